import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type NestedSpan, nestSpans, type SpanLevel } from './tree.ts'

const span = (span_id: string, parent_id: string | null, span_name = span_id, second = 0): NestedSpan => ({
  span_id,
  ...(parent_id === null ? {} : { parent_id }),
  span_name,
  start_time: second * 1e6,
})

test.each([
  {
    name: 'children by name, siblings of one name as a list in order of start',
    spans: [span('a', null), span('b', 'a', 'call', 2), span('c', 'a', 'call', 1), span('d', 'c')],
    paths: { a: 'a', 'a.call.0': 'c', 'a.call.1': 'b', 'a.call.0.d': 'd' },
  },
  {
    name: 'several roots, the one that started last first',
    spans: [span('a', null, 'one', 1), span('b', null, 'two', 2)],
    paths: { two: 'b', one: 'a' },
    first: 'two',
  },
  {
    name: 'orphans after the roots',
    spans: [span('x', 'gone', 'orphan', 0), span('a', null, 'root', 5)],
    paths: { root: 'a', orphan: 'x' },
    first: 'root',
  },
  {
    name: 'a child that starts before its parent',
    spans: [span('a', null, 'a', 5), span('b', 'a', 'b', 1)],
    paths: { 'a.b': 'b' },
  },
  {
    name: 'a cycle shows from its earliest span on',
    spans: [span('a', 'b', 'a', 2), span('b', 'a', 'b', 1)],
    paths: { b: 'b', 'b.a': 'a' },
  },
  {
    name: 'names that objects are born with',
    spans: [span('a', null, '__proto__'), span('b', 'a', 'constructor')],
    paths: { '__proto__.constructor': 'b' },
  },
])('$name', ({ spans, paths, first }) => {
  const tree = nestSpans(spans)
  for (const [path, span_id] of Object.entries(paths)) expect(at(tree, path.split('.'))).toBe(span_id)
  if (first) expect(tree.keys().next().value).toBe(first)
})

test('a tree has every span once, whatever the parents', () => {
  const id = fc.integer({ min: 1, max: 9 }).map(String)
  const spans = fc.uniqueArray(
    fc.record({ id, parent: fc.option(id), name: fc.constantFrom('x', 'y', '1'), second: fc.nat({ max: 3 }) }),
    { selector: one => one.id },
  )
  fc.assert(
    fc.property(spans, drawn => {
      const flat = drawn.map(one => span(one.id, one.parent, one.name, one.second))
      const idsOf = (level: SpanLevel<NestedSpan> = new Map()): string[] =>
        [...level.values()].flat().flatMap(node => [node.span.span_id, ...idsOf(node.spans)])
      expect(idsOf(nestSpans(flat)).toSorted()).toEqual(flat.map(one => one.span_id).toSorted())
    }),
    { numRuns: 1000 },
  )
})

/** The id that a path leads to: names, each with the place among the spans of that name where there are several. */
function at(tree: SpanLevel<NestedSpan>, path: string[]): string | undefined {
  const [name, ...rest] = path as [string, ...string[]]
  const group = tree.get(name) ?? []
  const isPlaced = /^\d$/.test(rest[0] ?? '')
  expect(group.length > 1).toBe(isPlaced)
  const node = group[isPlaced ? Number(rest.shift()) : 0]
  return rest.length > 0 && node?.spans ? at(node.spans, rest) : node?.span.span_id
}
