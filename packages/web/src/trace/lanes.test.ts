import { expect, test } from 'vitest'
import { lanesOf } from './lanes.ts'
import { NONE, type Trace } from './trace-model.ts'

/** The lanes of spans in their preorder, each with the index of its parent, its start and its end. */
function lanes(...spans: [parent: number, start: number, end: number][]): number[] {
  const column = (at: 0 | 1 | 2): number[] => spans.map(span => span[at])
  const trace = {
    count: spans.length,
    preorder: Int32Array.from(spans.keys()),
    parents: Int32Array.from(column(0)),
    starts: Float64Array.from(column(1)),
    ends: Float64Array.from(column(2)),
  }
  return [...lanesOf(trace as unknown as Trace)]
}

test('spans one after the other share a lane, those at the same time do not', () => {
  expect(lanes([NONE, 0, 100], [0, 0, 40], [0, 40, 80], [0, 50, 100], [0, 90, 100])).toEqual([0, 1, 1, 2, 1])
})

test('a span that runs beside the children of another one is below these', () => {
  expect(lanes([NONE, 0, 100], [0, 0, 90], [1, 10, 80], [0, 20, 100], [3, 30, 40])).toEqual([0, 1, 2, 3, 4])
})

test('more spans at once than there are lanes to try share the first one', () => {
  const many = Array.from({ length: 300 }, () => [0, 0, 100] as [number, number, number])
  const found = lanes([NONE, 0, 100], ...many)
  expect(Math.max(...found)).toBe(201)
  expect(found.at(-1)).toBe(1)
})
