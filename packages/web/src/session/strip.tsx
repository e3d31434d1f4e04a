import type { ReactNode } from 'react'
import { isFailed, type Row } from '../api/queries.ts'
import { formatCost, formatDuration } from '../format/format.ts'
import { turnId } from './queries.ts'
import styles from './session.module.css'

interface StripProps {
  turns: readonly Row[]
  /** How many turns the session has before them. */
  earlier: number
  selected: number
  select: (at: number) => void
}

const HEIGHT = 56
const MIDDLE = 36

/** Each turn as a column: how long it took upwards, what it cost downwards. */
export function Strip({ turns, earlier, selected, select }: StripProps): ReactNode {
  const longest = Math.max(1, ...turns.map(({ duration = 0 }) => duration))
  const dearest = Math.max(1e-12, ...turns.map(({ costs = 0 }) => costs))
  return (
    <svg
      className={styles.strip}
      viewBox={`0 0 ${Math.max(24, turns.length)} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label="Duration and cost of each turn"
    >
      {turns.map((turn, at) => {
        const { duration = 0, costs = 0 } = turn
        const up = (duration / longest) * (MIDDLE - 2)
        const down = (costs / dearest) * (HEIGHT - MIDDLE - 2)
        return (
          // biome-ignore lint/a11y/noStaticElementInteractions: the list of turns has the keys
          <g key={turnId(turn)} onClick={() => select(at)}>
            <title>{`Turn ${earlier + at + 1}: ${formatDuration(duration)}, ${formatCost(costs)}`}</title>
            <rect
              className={at === selected ? styles.stripChosen : styles.stripBack}
              x={at}
              width={1}
              height={HEIGHT}
            />
            <rect
              className={isFailed(turn) ? styles.stripFailed : styles.stripBar}
              x={at + 0.15}
              width={0.7}
              y={MIDDLE - up}
              height={up}
            />
            <rect className={styles.stripCost} x={at + 0.15} width={0.7} y={MIDDLE + 1} height={down} />
          </g>
        )
      })}
    </svg>
  )
}
