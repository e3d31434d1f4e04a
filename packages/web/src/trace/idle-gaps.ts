import type { Trace } from './trace-model.ts'

/** When spans begin and end where they are drawn, in microseconds. */
export type Times = Pick<Trace, 'starts' | 'ends' | 'lastsMicros'>

interface Gap {
  from: number
  to: number
}

/** A gap is hidden if it is longer than this share of the trace; so much of it is left. */
const SHARE = { min: 0.04, left: 0.01 }

/** The times in which nothing happens: no span without children runs. */
export function idleGaps({ starts, ends, sizes, count, lastsMicros }: Trace): Gap[] {
  // A trace that takes no time is drawn a microsecond long.
  if (ends.every(end => end <= 0)) return []
  const leaves = [...Array(count).keys()].filter(span => sizes[span] === 1)
  leaves.sort((one, other) => (starts[one] as number) - (starts[other] as number))
  const gaps: Gap[] = []
  let reached = 0
  const add = (until: number): void => {
    if (until - reached > SHARE.min * lastsMicros) gaps.push({ from: reached, to: until })
  }
  for (const leaf of leaves) {
    add(starts[leaf] as number)
    reached = Math.max(reached, ends[leaf] as number)
  }
  add(lastsMicros)
  return gaps
}

/** The times of a trace without its gaps, of which a little is left. */
export function withoutGaps({ starts, ends, lastsMicros }: Times, gaps: readonly Gap[]): Times {
  const left = SHARE.left * lastsMicros
  const place = (micros: number): number => {
    let hidden = 0
    for (const { from, to } of gaps) {
      if (micros <= from) break
      const length = to - from
      // Inside of a gap time goes on, but faster.
      hidden += (Math.min(micros, to) - from) * (1 - Math.min(1, left / length))
    }
    return micros - hidden
  }
  return { starts: starts.map(place), ends: ends.map(place), lastsMicros: place(lastsMicros) }
}
