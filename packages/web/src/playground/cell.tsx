import { Link } from '@tanstack/react-router'
import { type ReactNode, useSyncExternalStore } from 'react'
import { isObject, type Json } from '../api/registry/registry.ts'
import { exact, formatDuration, formatNumberOf, formatScore, MISSING, visible } from '../format/format.ts'
import styles from './playground.module.css'
import type { Cell, Runs, Score } from './runs.ts'

interface CellViewProps {
  runs: Runs
  cellKey: string
  label: string
  column: string
  evaluators: readonly { id: string; name: string }[]
}

/** The output of a column for a row, as it arrives, with the scores below it. */
export function CellView({ runs, cellKey, label, column, evaluators }: CellViewProps): ReactNode {
  const cell = useSyncExternalStore(runs.subscribe, () => runs.cell(cellKey))
  return (
    <article className={styles.cell} aria-label={label} aria-busy={cell?.state === 'running'}>
      <p className={styles.narrow}>{column}</p>
      {cell === undefined ? <p className={styles.soft}>Not run yet.</p> : <Ended cell={cell} evaluators={evaluators} />}
    </article>
  )
}

function Ended({ cell, evaluators }: { cell: Cell; evaluators: CellViewProps['evaluators'] }): ReactNode {
  const { state, error, ms, tokens, trace_id } = cell
  return (
    <>
      {state === 'waiting' && <p className={styles.soft}>Waiting for the runs before it …</p>}
      {error !== undefined && (
        <p className={styles.fault} role="alert">
          {visible(error)}
        </p>
      )}
      <Output cell={cell} />
      {ms !== undefined && (
        <p className={styles.facts}>
          <span>{formatDuration(ms)}</span>
          {tokens !== undefined && tokens > 0 && <span title={exact(tokens)}>{formatNumberOf(tokens, 'token')}</span>}
          {trace_id && (
            <Link to="/traces/$traceId" params={{ traceId: trace_id }}>
              Trace
            </Link>
          )}
        </p>
      )}
      {state === 'done' && evaluators.length > 0 && (
        <dl className={styles.scores}>
          {evaluators.map(({ id, name }) => (
            <ScoreView key={id} name={name} score={cell.scores[id]} />
          ))}
        </dl>
      )}
    </>
  )
}

function Output({ cell: { state, text, outputs } }: { cell: Cell }): ReactNode {
  const shown = outputs === undefined ? text : contentOf(outputs)
  if (shown === '' && state === 'running') return <p className={styles.soft}>Running …</p>
  if (shown === '' && state !== 'done') return null
  return <pre className={styles.output}>{visible(shown)}</pre>
}

/** A text as it is, a message by its content, anything else as JSON. */
function contentOf(outputs: Json): string {
  if (typeof outputs === 'string') return outputs
  if (isObject(outputs) && typeof outputs.content === 'string') return outputs.content
  return JSON.stringify(outputs, null, 2)
}

const ScoreView = ({ name, score }: { name: string; score: Score | undefined }): ReactNode => (
  <div>
    <dt>{visible(name)}</dt>
    {score === undefined ? (
      <dd className={styles.soft}>…</dd>
    ) : score.error === undefined ? (
      <dd>{scoreText(score.outputs ?? null)}</dd>
    ) : (
      <dd className={styles.fault}>{visible(score.error)}</dd>
    )}
  </div>
)

/** The members of a result that are numbers, switches or short texts. */
function scoreText(outputs: Json): ReactNode {
  if (!isObject(outputs)) return <Value value={outputs} />
  const members = Object.entries(outputs).filter(([, value]) => !isObject(value) && !Array.isArray(value))
  return members.map(([member, value]) => (
    <span key={member} className={styles.score}>
      {member} <Value value={value} />
    </span>
  ))
}

function Value({ value }: { value: Json }): ReactNode {
  if (value === null) return MISSING
  if (typeof value === 'boolean') return <b className={value ? styles.good : styles.poor}>{value ? '✓ yes' : '✕ no'}</b>
  if (typeof value === 'number') return <b title={String(value)}>{formatScore(value)}</b>
  return <b>{visible(typeof value === 'string' ? value : JSON.stringify(value))}</b>
}
