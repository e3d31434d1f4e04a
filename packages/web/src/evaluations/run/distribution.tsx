import type { ReactNode } from 'react'
import type { ScoreSummary } from '../../api/evaluations.ts'
import { formatCount, formatScore, visible } from '../../format/format.ts'
import type { BinSearch } from '../search.ts'
import styles from './run.module.css'

interface DistributionProps {
  score: ScoreSummary
  /** The bin that the table is narrowed to. */
  chosen: BinSearch | undefined
  onChoose: (bin: BinSearch | undefined) => void
}

type Bin = ScoreSummary['bins'][number]

/** How often each value, or each interval of values, occurs; a click shows the cases behind a bar. */
export function Distribution({ score, chosen, onChoose }: DistributionProps): ReactNode {
  const { bins } = score
  const most = Math.max(1, ...bins.map(({ count }) => count))
  return (
    <ul className={styles.bins} aria-label="Distribution">
      {bins.map((bin, index) => {
        const sought = soughtOf(score, bin, index === bins.length - 1)
        const isChosen = chosen !== undefined && JSON.stringify(chosen) === JSON.stringify(sought)
        const name = `${labelOf(bin)}: ${formatCount(bin.count)} of ${formatCount(score.count)}`
        return (
          <li key={labelOf(bin)}>
            <button
              type="button"
              aria-pressed={isChosen}
              aria-label={name}
              title={name}
              disabled={bin.count === 0}
              onClick={() => onChoose(isChosen ? undefined : sought)}
            >
              <span
                className={styles.bar}
                style={{ height: `${bin.count === 0 ? 0 : Math.max(6, (bin.count / most) * 100)}%` }}
              />
            </button>
            {bins.length <= LABELLED_MAX && (
              <span className={styles.label} aria-hidden="true">
                {labelOf(bin)}
              </span>
            )}
          </li>
        )
      })}
    </ul>
  )
}

/** More bars leave no room for words below them. */
const LABELLED_MAX = 5

const labelOf = ({ value, from, to }: Bin): string => {
  if (value === undefined) return `${formatScore(from ?? 0)} to ${formatScore(to ?? 0)}`
  return typeof value === 'number' ? formatScore(value) : visible(String(value))
}

/** An interval does not include its end, but the last one does. */
function soughtOf({ step_key, path }: ScoreSummary, { value, from, to }: Bin, isLast: boolean): BinSearch {
  if (value !== undefined) return { step_key, path, value }
  return { step_key, path, ...(from !== undefined && { min: from }), ...(!isLast && to !== undefined && { max: to }) }
}
