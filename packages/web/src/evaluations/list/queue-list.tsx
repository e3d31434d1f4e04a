import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { queuesQuery } from '../../api/evaluations.ts'
import { formatFullTime, formatTime, visible } from '../../format/format.ts'
import { Button, Failure, Waiting } from '../../parts/controls.tsx'
import { useBegan } from '../../parts/use-began.ts'
import { useKeptScroll } from '../../parts/use-kept-scroll.ts'
import { RunStatus } from '../run-status.tsx'
import styles from './list.module.css'
import { useListKeys } from './use-list-keys.ts'

/** Queues of cases that people annotate, newest first. */
export function QueueList(): ReactNode {
  const list = useInfiniteQuery(queuesQuery)
  const queues = list.data?.pages.flatMap(page => page.queues) ?? []
  const place = useListKeys()
  const began = useBegan()
  useKeptScroll(place, queues.length > 0 ? `queues ${began}` : undefined)
  return (
    <div ref={place} className={styles.scroller}>
      {list.error && <Failure what="The queues cannot be read." error={list.error} />}
      {list.isPending && <Waiting />}
      {queues.length > 0 && (
        <table className={styles.table}>
          <thead>
            <tr>
              <th>Name</th>
              <th>Status</th>
              <th>Cases from</th>
              <th>Run</th>
              <th className={styles.wide}>Created</th>
            </tr>
          </thead>
          <tbody>
            {queues.map(({ id, name, status, run_id, data, created_at }) => (
              <tr key={id} data-id={id}>
                <td>
                  <Link to="/queues/$queueId" params={{ queueId: id }}>
                    {visible(name ?? `Queue ${id.slice(-6)}`)}
                  </Link>
                </td>
                <td>
                  <RunStatus status={status} />
                </td>
                <td>{data.kind}</td>
                <td>
                  <Link to="/evaluations/$runId" params={{ runId: run_id }}>
                    Run
                  </Link>
                </td>
                <td className={styles.wide} title={formatFullTime(created_at)}>
                  {formatTime(created_at)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {list.data && queues.length === 0 && (
        <p className={styles.nothing}>
          There are no queues. An evaluation whose evaluator is carried out by people has one:{' '}
          <Link to="/evaluations/new">start it here</Link>.
        </p>
      )}
      {list.hasNextPage && <Button onClick={() => void list.fetchNextPage()}>Show more</Button>}
    </div>
  )
}
