import { expect, test } from 'vitest'
import type { Skeleton } from '../api/queries.ts'
import { type Trace, topsOf, traceOf } from './trace-model.ts'

/** A trace of spans in the order of their start, each named by one letter, with the letter of its parent. */
function trace(...spans: [name: string, parent: string][]): Trace {
  const zeros = spans.map(() => 0)
  const window = {
    count: spans.length,
    total: spans.length,
    offset: 0,
    began_at: '2026-11-30T00:00:00.000000Z',
    names: spans.map(([name]) => name),
    types: ['task'],
    spans: {
      span_id: spans.map(([name]) => name),
      parent_id: spans.map(([, parent]) => parent),
      span_name: [...spans.keys()],
      span_type: zeros,
      start: [...spans.keys()],
      duration: zeros,
      is_error: zeros,
      errors: zeros,
      tokens: zeros,
      own_tokens: zeros,
      costs: zeros,
      own_costs: zeros,
    },
  }
  return traceOf([window as Skeleton])
}

const lines = ({ preorder, depths, names }: Trace): string[] =>
  [...preorder].map(span => `${' '.repeat(depths[span] ?? 0)}${names[span]}`)

test('a cycle is cut at its earliest span, whatever began before it below', () => {
  expect(lines(trace(['d', 'c'], ['a', 'c'], ['b', 'a'], ['c', 'b'], ['s', 's']))).toEqual([
    'a',
    ' b',
    '  c',
    '   d',
    's',
  ])
})

test('at the top of a trace are its roots and the spans whose parent is missing', () => {
  const found = trace(['a', ''], ['b', 'a'], ['o', 'x'], ['r', ''])
  expect([...topsOf(found)].map(span => found.names[span])).toEqual(['a', 'o', 'r'])
})
