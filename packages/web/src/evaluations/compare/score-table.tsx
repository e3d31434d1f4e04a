import type { ReactNode } from 'react'
import type { ComparedScore, Comparison, Run, ScoreName } from '../../api/evaluations.ts'
import { formatCount, formatNumberOf, MISSING, visible } from '../../format/format.ts'
import { Button } from '../../parts/controls.tsx'
import { Scroller } from '../../parts/scroller.tsx'
import { pinnedOf, stepsOf } from '../table/case-model.ts'
import table from '../table/table.module.css'
import styles from './compare.module.css'
import { Interval } from './interval.tsx'
import { directionOf, formatChange, formatMeasure, isSameScore, titlesOf } from './measures.ts'

interface ScoreTableProps {
  baseline: Run
  runs: readonly Run[]
  compared: Comparison['runs']
  /** The score by which cases are sorted. */
  by: ScoreName | undefined
  onBy: (score: ScoreName) => void
  onBaseline: (id: string) => void
  onRemove: (id: string) => void
}

/** Runs that were started together have one name, so they are told apart by the revisions of their applications. */
export function runName(run: Run): string {
  const name = run.name ?? `Run ${run.id.slice(-6)}`
  if (!run.meta?.group_id) return visible(name)
  const subjects = stepsOf(run).filter(({ type }) => type === 'invocation')
  return visible([name, ...subjects.map(pinnedOf)].join(' · '))
}

/** The name of a run above its column: two lines of it, whole in its title. */
export const RunName = ({ run }: { run: Run }): ReactNode => (
  <span className={styles.name} title={runName(run)}>
    {runName(run)}
  </span>
)

/** For each score and run: the difference to the baseline, how sure it is, and what that means. */
export function ScoreTable(props: ScoreTableProps): ReactNode {
  const { baseline, runs, compared, by, onBy, onBaseline, onRemove } = props
  const scores = compared[0]?.scores ?? []
  const titles = titlesOf(baseline, scores)
  const byId = new Map(runs.map(run => [run.id, run]))
  // Amounts that nothing was measured of say nothing.
  const shown = scores
    .map((score, index) => ({ score, index }))
    .filter(({ score, index }) => score.better === 'higher' || compared.some(run => (run.scores[index]?.n ?? 0) > 0))
  return (
    <Scroller className={styles.scores} label="Scores">
      <table>
        <thead>
          <tr>
            <th>Score</th>
            <th>
              <RunName run={baseline} /> <span className={table.soft}>(baseline)</span>
            </th>
            {compared.map(({ run_id, matched }) => {
              const run = byId.get(run_id)
              return (
                <th key={run_id}>
                  <span className={styles.side}>
                    {run ? <RunName run={run} /> : run_id}{' '}
                    <span className={table.soft}>{formatNumberOf(matched, 'case')} in both</span>
                    <Button look="plain" onClick={() => onBaseline(run_id)}>
                      Make baseline
                    </Button>
                    <Button
                      look="plain"
                      aria-label={`Remove ${run ? runName(run) : run_id}`}
                      onClick={() => onRemove(run_id)}
                    >
                      ✕
                    </Button>
                  </span>
                </th>
              )
            })}
          </tr>
        </thead>
        <tbody>
          {shown.map(({ score, index }) => (
            <tr key={`${score.step_key} ${score.path}`}>
              <th scope="row">
                <button
                  type="button"
                  className={table.sort}
                  aria-pressed={isSameScore(score, by)}
                  title="Sort the cases by this score, the worst first"
                  onClick={() => onBy({ step_key: score.step_key, path: score.path })}
                >
                  {visible(titles[index] ?? score.path)}
                </button>
              </th>
              <td>{score.baseline_mean === undefined ? MISSING : formatMeasure(score, score.baseline_mean)}</td>
              {compared.map(({ run_id, scores }) => (
                <Compared key={run_id} score={scores[index] as ComparedScore} reach={reachOf(compared, index)} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroller>
  )
}

/** The scale that the intervals of one score share. */
const reachOf = (compared: Comparison['runs'], index: number): number =>
  Math.max(...compared.flatMap(({ scores }) => (scores[index]?.interval ?? [0]).map(Math.abs)))

function Compared({ score, reach }: { score: ComparedScore; reach: number }): ReactNode {
  const { difference, interval, n, wins, losses } = score
  const direction = score.verdict === undefined ? undefined : directionOf(score, difference)
  const [low, high] = interval ?? []
  return (
    <td>
      <span className={styles.compared}>
        <strong className={direction && table[direction]}>
          {difference === undefined ? MISSING : formatChange(score, difference)}
        </strong>
        <Interval score={score} reach={reach} />
        <span className={table.soft}>
          n {formatCount(n)} · {formatCount(wins)} better · {formatCount(losses)} worse
        </span>
      </span>
      <span className={styles.verdict}>
        <span className={direction ? table[direction] : table.soft}>{verdictOf(score)}</span>
        {low !== undefined && high !== undefined && (
          <>
            {' · '}
            <span className={table.soft}>
              95 % interval {formatChange(score, low)} to {formatChange(score, high)}
            </span>
          </>
        )}
      </span>
    </td>
  )
}

/** In words: what is known, and what would be needed to know more. */
function verdictOf({ n, verdict, difference, cases_needed, better, p_adjusted }: ComparedScore): string {
  if (n === 0) return 'No case has a value in both.'
  if (verdict !== undefined) {
    const direction = directionOf({ better }, difference)
    return `${direction === 'worse' ? 'Worse' : 'Better'}, adjusted p = ${Number(p_adjusted.toPrecision(2))}`
  }
  if (difference === 0) return 'No difference.'
  return cases_needed === undefined || cases_needed === 0
    ? 'May be chance.'
    : `May be chance: about ${formatNumberOf(cases_needed, 'more case')} would tell.`
}
