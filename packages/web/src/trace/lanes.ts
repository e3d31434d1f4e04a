import { NONE, type Trace } from './trace-model.ts'

/** Lanes that are tried for a span: where more run at the same time, some are drawn over others. */
const TRIED_MAX = 200

/** The lane of each span in the flame graph: below that of its parent, and apart from what runs at the same time. */
export function lanesOf({ count, parents, preorder, starts, ends }: Trace): Int32Array {
  const lanes = new Int32Array(count)
  /** Until when each lane is taken. */
  const taken: number[] = []
  for (const span of preorder) {
    const parent = parents[span] as number
    const first = parent === NONE ? 0 : (lanes[parent] as number) + 1
    const isFree = (lane: number): boolean => (taken[lane] ?? 0) <= (starts[span] as number)
    let lane = first
    while (!isFree(lane) && lane < first + TRIED_MAX) lane++
    lanes[span] = isFree(lane) ? lane : first
    taken[lanes[span]] = Math.max(taken[lanes[span]] ?? 0, ends[span] as number)
  }
  return lanes
}
