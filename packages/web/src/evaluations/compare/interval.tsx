import type { ReactNode } from 'react'
import type { ComparedScore } from '../../api/evaluations.ts'
import styles from './compare.module.css'
import { directionOf } from './measures.ts'

interface IntervalProps {
  score: ComparedScore
  /** The largest distance from zero that is drawn. */
  reach: number
}

const WIDTH = 120
const HEIGHT = 14

/** A difference and its 95 % interval on both sides of zero. */
export function Interval({ score, reach }: IntervalProps): ReactNode {
  const { difference, interval } = score
  const [low, high] = interval ?? []
  if (difference === undefined || low === undefined || high === undefined) return null
  const x = (value: number): number => WIDTH / 2 + (reach === 0 ? 0 : (value / reach) * (WIDTH / 2 - 4))
  const direction = score.verdict === undefined ? undefined : directionOf(score, difference)
  return (
    <svg
      className={styles.interval}
      width={WIDTH}
      height={HEIGHT}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      aria-hidden="true"
    >
      <line className={styles.zero} x1={WIDTH / 2} x2={WIDTH / 2} y1="0" y2={HEIGHT} />
      <g className={direction === undefined ? styles.unsure : styles[direction]}>
        <line x1={x(low)} x2={x(high)} y1={HEIGHT / 2} y2={HEIGHT / 2} />
        <circle cx={x(difference)} cy={HEIGHT / 2} r="3" />
      </g>
    </svg>
  )
}
