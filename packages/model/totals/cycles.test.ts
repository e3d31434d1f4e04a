import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nestSpans, type SpanLevel } from '../tree.ts'
import { NO_AMOUNTS } from './amounts.ts'
import { cycleTops, type LinkedSpan } from './cycles.ts'
import { rollUp } from './roll-up.testing.ts'
import type { TraceNode } from './trace-node.ts'
import { plainNode } from './trace-nodes.testing.ts'

const span = (span_id: string, parent_id: string | null, start_time = 0): LinkedSpan => ({
  span_id,
  parent_id,
  start_time,
})

const topsOf = (spans: LinkedSpan[]): string[] =>
  [...cycleTops(spans, new Map(spans.map(one => [one.span_id, one])))].map(one => one.span_id).toSorted()

test.each<[string, LinkedSpan[], string[]]>([
  ['a tree', [span('a', null), span('b', 'a'), span('c', 'gone')], []],
  ['a span that is its own parent', [span('a', 'a')], ['a']],
  ['two spans, the later one first', [span('a', 'b', 2), span('b', 'a', 1)], ['b']],
  ['spans that start together', [span('b', 'a'), span('a', 'b')], ['a']],
  ['spans that hang on a cycle', [span('x', 'a'), span('y', 'x'), span('a', 'b', 1), span('b', 'a', 2)], ['a']],
  ['two cycles', [span('a', 'b', 1), span('b', 'a', 2), span('c', 'd', 4), span('d', 'c', 3)], ['a', 'd']],
])('cuts %s', (_name, spans, tops) => {
  expect(topsOf(spans)).toEqual(tops)
  expect(topsOf(spans.toReversed())).toEqual(tops)
})

test('the tree and the totals are cut at the same places', () => {
  const id = fc.integer({ min: 1, max: 8 }).map(String)
  const spans = fc.uniqueArray(fc.record({ id, parent: fc.option(id, { freq: 8 }), start: fc.nat({ max: 3 }) }), {
    selector: one => one.id,
  })
  fc.assert(
    fc.property(spans, drawn => {
      const totals = rollUp(new Map(drawn.map(one => [one.id, nodeOf(span(one.id, one.parent, one.start))])))
      const below = (level: SpanLevel<LinkedSpan & { span_name: string; parent_id?: string }> = new Map()): bigint =>
        [...level.values()].flat().reduce((sum, node) => {
          const size = 1n + below(node.spans)
          expect(totals.get(node.span.span_id)?.cumulative[0]).toBe(size)
          return sum + size
        }, 0n)
      const nested = drawn.map(one => ({
        span_id: one.id,
        ...(one.parent !== null && { parent_id: one.parent }),
        span_name: 'x',
        start_time: one.start,
      }))
      expect(below(nestSpans(nested))).toBe(BigInt(drawn.length))
    }),
    { numRuns: 2000 },
  )
})

test('takes time in proportion to the spans, whatever the depth', () => {
  const count = 200_000
  const chain = Array.from({ length: count }, (_, at) => span(String(at), String((at + 1) % count), at))
  expect(topsOf(chain)).toEqual(['0'])
})

/** A span that counts as one in the first of the amounts. */
const nodeOf = (one: LinkedSpan): TraceNode =>
  plainNode({ ...one, parent_id: one.parent_id ?? null, own: NO_AMOUNTS.map((_, index) => (index === 0 ? 1n : 0n)) })
