import { expect, test } from 'vitest'
import { idleGaps } from './idle-gaps.ts'
import type { Trace } from './trace-model.ts'

/** Spans without children. */
const traceOf = (...spans: [start: number, end: number][]): Trace =>
  ({
    count: spans.length,
    starts: Float64Array.from(spans, ([start]) => start),
    ends: Float64Array.from(spans, ([, end]) => end),
    sizes: new Int32Array(spans.length).fill(1),
    lastsMicros: Math.max(1, ...spans.map(([, end]) => end)),
  }) as Partial<Trace> as Trace

test('times in which nothing happens are gaps, also before the first span and after the last', () => {
  expect(idleGaps(traceOf([100, 200], [150, 300], [500, 600]))).toEqual([
    { from: 0, to: 100 },
    { from: 300, to: 500 },
  ])
})

test('a trace that takes no time has no gap', () => {
  expect(idleGaps(traceOf([0, 0]))).toEqual([])
})
