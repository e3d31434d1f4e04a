import { useKeys } from '../frame/keys.ts'
import type { Trace } from './trace-model.ts'

/** Keys that select a span by its place in `rows`. */
export function useSpanKeys(trace: Trace, rows: Int32Array, selected: number, select: (span: number) => void): void {
  const step = (by: number) => () => {
    const next = rows[Math.max(0, rows.indexOf(selected)) + by]
    if (next !== undefined) select(next)
  }
  const go = (index: number) => () => {
    const span = rows.at(index)
    if (span !== undefined && trace.count > 0) select(span)
  }
  useKeys({ j: step(1), k: step(-1), ArrowDown: step(1), ArrowUp: step(-1), Home: go(0), End: go(-1) })
}
