import type { ReactNode } from 'react'
import type { RunScores, ScoreSummary } from '../../api/evaluations.ts'
import { formatCount, formatScore, formatShare, MISSING, visible } from '../../format/format.ts'
import { Scroller } from '../../parts/scroller.tsx'
import type { BinSearch } from '../search.ts'
import type { ScoreColumn } from '../table/case-model.ts'
import { Distribution } from './distribution.tsx'
import styles from './run.module.css'

interface ScoreCardsProps {
  scores: RunScores['scores']
  columns: readonly ScoreColumn[]
  chosen: BinSearch | undefined
  onChoose: (bin: BinSearch | undefined) => void
}

/** Of each score the mean, how sure it is, and the distribution. */
export const ScoreCards = ({ scores, columns, chosen, onChoose }: ScoreCardsProps): ReactNode => (
  <Scroller className={styles.cards} label="Scores">
    {scores.map((score, index) => (
      <section key={`${score.step_key} ${score.path}`} className={styles.card}>
        <h2>{visible(columns[index]?.title ?? score.path)}</h2>
        <p>
          <strong>{meanOf(score)}</strong> <span className={styles.soft}>{sureness(score)}</span>
        </p>
        <Distribution score={score} chosen={chosen} onChoose={onChoose} />
      </section>
    ))}
  </Scroller>
)

const shown = ({ type }: ScoreSummary, value: number): string =>
  type === 'binary' ? formatShare(value) : formatScore(value)

function meanOf(score: ScoreSummary): string {
  if (score.mean !== undefined) return shown(score, score.mean)
  const [first] = score.bins
  return first ? visible(String(first.value)) : MISSING
}

function sureness(score: ScoreSummary): string {
  const of = `n = ${formatCount(score.count)}`
  const [low, high] = score.interval ?? []
  return low === undefined || high === undefined ? of : `95 %: ${shown(score, low)} to ${shown(score, high)} · ${of}`
}
