import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useRef } from 'react'
import { useRefusal } from '../../api/rights.ts'
import { useKeys } from '../../frame/keys.ts'
import { Button, Choices, controls, Kbd } from '../../parts/controls.tsx'
import { useTyped } from '../../parts/use-typed.ts'
import { COMPARED_MAX, itemsOf } from '../search.ts'
import styles from './list.module.css'
import { QueueList } from './queue-list.tsx'
import { RunList } from './run-list.tsx'

/** Evaluation runs, and queues of cases that people annotate. */
export function EvaluationsScreen(): ReactNode {
  const search = useSearch({ from: '/evaluations' })
  const navigate = useNavigate({ from: '/evaluations' })
  const chosen = itemsOf(search.chosen)
  const choose = (ids: readonly string[]): void =>
    void navigate({ search: before => ({ ...before, chosen: ids.join() || undefined }), replace: true })
  const compare = (): unknown => {
    const [baseline, ...runs] = chosen
    if (runs.length === 0) return false
    return navigate({ to: '/evaluations/compare', search: { baseline, runs: runs.join() } })
  }
  const refusal = useRefusal('edit_evaluation_runs')
  const field = useRef<HTMLInputElement>(null)
  const typed = useTyped(
    search.find ?? '',
    find => void navigate({ search: before => ({ ...before, find: find || undefined }), replace: true }),
  )
  useKeys({
    c: compare,
    n: () => (refusal === undefined ? navigate({ to: '/evaluations/new' }) : false),
    '/': () => field.current?.focus(),
  })
  return (
    <div className={styles.screen}>
      <header className={styles.toolbar}>
        <h1>Evaluations</h1>
        <Choices
          label="What is listed"
          value={search.list ?? 'runs'}
          choices={[
            ['runs', 'Runs'],
            ['queues', 'Queues'],
          ]}
          onChange={list => void navigate({ search: { list: list === 'runs' ? undefined : list } })}
        />
        {search.list !== 'queues' && (
          <input
            ref={field}
            className={styles.find}
            aria-label="Find runs by name"
            placeholder="Find runs by name"
            {...typed}
          />
        )}
        <span className={styles.space} />
        {search.list !== 'queues' && (
          <Button
            disabled={chosen.length < 2}
            onClick={compare}
            title={`Choose two to ${COMPARED_MAX} runs; the first is the baseline.`}
          >
            Compare {chosen.length > 0 && chosen.length} <Kbd>c</Kbd>
          </Button>
        )}
        {refusal === undefined ? (
          <Link to="/evaluations/new" className={`${controls.button} ${controls.primary}`}>
            New evaluation
          </Link>
        ) : (
          <Button disabled title={refusal}>
            New evaluation
          </Button>
        )}
        {refusal !== undefined && <p className={styles.refusal}>{refusal}</p>}
      </header>
      {search.list === 'queues' ? <QueueList /> : <RunList find={search.find} chosen={chosen} choose={choose} />}
    </div>
  )
}
