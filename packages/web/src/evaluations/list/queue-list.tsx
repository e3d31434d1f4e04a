import { useInfiniteQuery, useQueries, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { queuesQuery } from '../../api/evaluations.ts'
import { type ListedProgress, profileQuery, progressQueries, type QueueProgress } from '../../api/queues.ts'
import { formatCount, formatFullTime, formatTime, MISSING, visible } from '../../format/format.ts'
import { Button, Failure, Waiting } from '../../parts/controls.tsx'
import { useBegan } from '../../parts/use-began.ts'
import { useKeptScroll } from '../../parts/use-kept-scroll.ts'
import styles from './list.module.css'
import { useListKeys } from './use-list-keys.ts'

/** Queues of cases that people annotate, newest first. */
export function QueueList(): ReactNode {
  const list = useInfiniteQuery(queuesQuery)
  const queues = list.data?.pages.flatMap(page => page.queues) ?? []
  const counted = useQueries({ queries: progressQueries(queues.map(({ id }) => id)), combine: combined })
  const place = useListKeys()
  const began = useBegan()
  useKeptScroll(place, queues.length > 0 ? `queues ${began}` : undefined)
  return (
    <div ref={place} className={styles.scroller}>
      {list.error && <Failure what="The queues cannot be read." error={list.error} />}
      {counted.error && <Failure what="The progress of the queues cannot be read." error={counted.error} />}
      {list.isPending && <Waiting />}
      {queues.length > 0 && (
        <table className={styles.table}>
          <thead>
            <tr>
              <th>Name</th>
              <th>Annotated</th>
              <th>Cases from</th>
              <th>Run</th>
              <th className={styles.wide}>Created</th>
            </tr>
          </thead>
          <tbody>
            {queues.map(({ id, name, run_id, data, created_at }) => (
              <tr key={id} data-id={id}>
                <td>
                  <Link to="/queues/$queueId" params={{ queueId: id }}>
                    {visible(name ?? `Queue ${id.slice(-6)}`)}
                  </Link>
                </td>
                <td>
                  <Annotated progress={counted.of.get(id)} />
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

interface Combined {
  of: ReadonlyMap<string, QueueProgress>
  error: Error | null
}

const combined = (answers: readonly { data?: ListedProgress[] | undefined; error: Error | null }[]): Combined => ({
  of: new Map(answers.flatMap(({ data = [] }) => data.map(one => [one.queue_id, one] as const))),
  error: answers.find(({ error }) => error)?.error ?? null,
})

/** How many of the cases are done, and of those that are assigned to the reader. */
function Annotated({ progress }: { progress: QueueProgress | undefined }): ReactNode {
  const { data: profile } = useQuery(profileQuery)
  if (progress === undefined) return MISSING
  const { scenarios, done, assignees } = progress
  if (scenarios === 0) return 'no cases yet'
  const own = assignees.filter(({ user_id }) => user_id !== undefined && user_id === profile?.id)
  const sum = (of: 'scenarios' | 'done'): number => own.reduce((all, one) => all + one[of], 0)
  return (
    <span className={styles.annotated}>
      <progress aria-hidden="true" value={done} max={scenarios} />
      {formatCount(done)} of {formatCount(scenarios)}
      {own.length > 0 && (
        <>
          {' '}
          <span>
            · yours: {formatCount(sum('done'))} of {formatCount(sum('scenarios'))}
          </span>
        </>
      )}
    </span>
  )
}
