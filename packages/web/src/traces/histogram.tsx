import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { countQuery, type RowCount } from '../api/queries.ts'
import { formatTime } from '../format/format.ts'
import { useDrag } from '../parts/use-drag.ts'
import type { Change } from './search.ts'
import styles from './traces.module.css'
import type { List } from './use-list.ts'

/** Into how many parts the window is divided. */
export const BUCKETS = 120
const HEIGHT = 40

/** When the rows of a list began, those with errors in red. Dragging narrows the window. */
export function Histogram({ list, change }: { list: List; change: Change }): ReactNode {
  const { body, isSettled } = list
  const { data, isPlaceholderData } = useQuery({ ...countQuery(body, BUCKETS), enabled: isSettled })
  const [oldest, newest] = [Date.parse(body.windowing.oldest), Date.parse(body.windowing.newest)]
  const { drag, handlers } = useDrag((from, to) => {
    const at = (share: number): string => new Date(oldest + share * (newest - oldest)).toISOString()
    change({ from: at(from), to: at(to), since: undefined, live: undefined })
  })
  return (
    <div className={styles.histogram} {...handlers} data-stale={isPlaceholderData || undefined}>
      <svg viewBox={`0 0 ${BUCKETS} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={spoken(data)}>
        {data && <Bars data={data} oldest={oldest} />}
        {drag && (
          <rect
            className={styles.drag}
            x={drag.from * BUCKETS}
            width={(drag.to - drag.from) * BUCKETS}
            height={HEIGHT}
          />
        )}
      </svg>
      <div className={styles.axis} aria-hidden="true">
        <span>{formatTime(body.windowing.oldest)}</span>
        <span>{formatTime(body.windowing.newest)}</span>
      </div>
    </div>
  )
}

function Bars({ data, oldest }: { data: RowCount; oldest: number }): ReactNode {
  const { buckets = [], bucket_ms = 1 } = data
  const most = Math.max(1, ...buckets.map(({ count }) => count))
  // By the square root, so that a few are still seen beside many.
  const heightOf = (count: number): number => (count === 0 ? 0 : Math.max(3, Math.sqrt(count / most) * (HEIGHT - 2)))
  return buckets.map(({ start, count, errors }) => {
    const x = Math.round((start - oldest) / bucket_ms)
    const whole = heightOf(count)
    const red = errors === 0 ? 0 : Math.max(1.5, (errors / count) * whole)
    return (
      <g key={start}>
        <title>{`${formatTime(new Date(start).toISOString())}: ${count}, ${errors} with errors`}</title>
        <rect className={styles.column} x={x + 0.1} width={0.8} y={HEIGHT - whole} height={whole} />
        {errors > 0 && <rect className={styles.failed} x={x + 0.1} width={0.8} y={HEIGHT - red} height={red} />}
      </g>
    )
  })
}

const spoken = (data: RowCount | undefined): string =>
  data ? `${data.count} over time, ${data.errors} of them with errors` : 'Not counted yet'
