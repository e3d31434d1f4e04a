import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { SpanId } from '../identifiers.ts'
import { NO_AMOUNTS } from './amounts.ts'
import type { Derived } from './metrics.ts'
import { oracle } from './oracle.testing.ts'
import type { TraceNode } from './trace-node.ts'
import { drawnNode, plainNode } from './trace-nodes.testing.ts'
import { type NodePacking, TraceTotals } from './trace-totals.ts'

/** Spans that come (again) or are deleted; then they are settled, and may be packed. */
interface Batch {
  changes: { node: TraceNode; isDeletion: boolean }[]
  isRootless: boolean
  isPacked: boolean
}
const batch: fc.Arbitrary<Batch> = fc.record({
  changes: fc.array(fc.record({ node: drawnNode, isDeletion: fc.nat({ max: 5 }).map(number => number === 0) }), {
    maxLength: 6,
  }),
  isRootless: fc.boolean(),
  isPacked: fc.boolean(),
})

/** Texts that stand for nodes: one that was packed is another object later. */
function newPacking(): NodePacking<TraceNode> {
  const packed: TraceNode[] = []
  return { pack: node => String(packed.push(node) - 1), unpack: text => ({ ...(packed[Number(text)] as TraceNode) }) }
}

test('whatever comes in whatever batches, all totals are those of the whole trace, and what is reported is what changed', () => {
  fc.assert(
    fc.property(fc.array(batch, { maxLength: 8 }), batches => {
      const totals = new TraceTotals(newPacking())
      const nodes = new Map<SpanId, TraceNode>()
      const derived = new Map<SpanId, Derived>()
      for (const { changes, isRootless, isPacked } of batches) {
        const set = new Set<SpanId>()
        for (const { node, isDeletion } of changes) apply(totals, nodes, node, isDeletion ? undefined : set)
        const expected = oracle([...nodes.values()], isRootless)
        const settled = totals.settle(isRootless)
        for (const { node, derived: now } of settled) {
          expect(node).toEqual(nodes.get(node.span_id))
          expect(set.has(node.span_id) || !isEqual(derived.get(node.span_id), now)).toBe(true)
          derived.set(node.span_id, now)
        }
        for (const span_id of derived.keys()) if (!nodes.has(span_id)) derived.delete(span_id)
        expect(new Map([...derived].toSorted())).toEqual(new Map([...expected].toSorted()))
        expect([totals.size, totals.hasRoot]).toEqual([nodes.size, [...nodes.values()].some(isRoot)])
        if (isPacked) totals.pack()
      }
    }),
    { numRuns: 1500 },
  )
})

function apply(
  totals: TraceTotals,
  nodes: Map<SpanId, TraceNode>,
  node: TraceNode,
  set: Set<SpanId> | undefined,
): void {
  if (set) {
    totals.set(node)
    nodes.set(node.span_id, node)
    set.add(node.span_id)
  } else {
    totals.delete(node.span_id)
    nodes.delete(node.span_id)
  }
}

const isRoot = ({ parent_id }: TraceNode): boolean => parent_id === null

const isEqual = (one: Derived | undefined, other: Derived): boolean =>
  one !== undefined && (Object.keys(other) as (keyof Derived)[]).every(key => String(one[key]) === String(other[key]))

test('of what is stored, only what differs from what follows is reported', () => {
  fc.assert(
    fc.property(fc.uniqueArray(drawnNode, { selector: ({ span_id }) => span_id }), fc.nat(), (nodes, at) => {
      const expected = oracle(nodes)
      const wrong = nodes[at % Math.max(1, nodes.length)]?.span_id
      const totals = new TraceTotals()
      for (const node of nodes) {
        const stored = expected.get(node.span_id) as Derived
        const isWrong = node.span_id === wrong
        totals.set(node, isWrong ? { ...stored, is_trace_head: !stored.is_trace_head } : stored)
      }
      expect(totals.settle().map(({ node }) => node.span_id)).toEqual(wrong === undefined ? [] : [wrong])
    }),
  )
})

const bare = (span_id: string, parent_id: string | null, tokens = 0): TraceNode =>
  plainNode({
    span_id,
    parent_id,
    start_time: 0,
    own: tokens === 0 ? NO_AMOUNTS : [0n, BigInt(tokens), 0n, BigInt(tokens), 0n, 0n, 0n],
  })

test('a span of a large trace concerns itself and what is above it', () => {
  let read = 0
  const packing = newPacking()
  const totals = new TraceTotals<TraceNode>({
    ...packing,
    unpack: text => [packing.unpack(text), read++][0] as TraceNode,
  })
  totals.set(bare('root', null))
  for (let step = 0; step < 100; step++) {
    totals.set(bare(`step ${step}`, 'root'))
    for (let leaf = 0; leaf < 100; leaf++) totals.set(bare(`leaf ${step}.${leaf}`, `step ${step}`, 1))
  }
  totals.settle()
  totals.pack()
  totals.set(bare('another', 'step 7', 1))
  expect(totals.settle().map(({ node, derived }) => [node.span_id, derived.cumulative[1]])).toEqual([
    ['another', 1n],
    ['step 7', 101n],
    ['root', 10_001n],
  ])
  expect(read).toBe(2)
})

test('many calls with the same tokens, of two instrumentations, are not all compared again', () => {
  let read = 0
  const packing = newPacking()
  const totals = new TraceTotals<TraceNode>({
    ...packing,
    unpack: text => [packing.unpack(text), read++][0] as TraceNode,
  })
  const call = (at: number): TraceNode => ({
    ...bare(`call ${at}`, `step ${at >> 2}`, 7),
    start_time: at,
    is_call: true,
    call: { models: ['m'], source: at % 2 ? 'library' : 'framework', end_time: at % 2 ? at : at + 1 },
  })
  const nodes = Array.from({ length: 5_000 }, (_, at) => call(at))
  for (const node of nodes) totals.set(node)
  totals.settle()
  totals.pack()
  const added = [call(5_000), { ...call(2_500), span_id: 'among them' }]
  for (const node of added) totals.set(node)
  const changed = totals.settle().map(({ node }) => node.span_id)
  expect(read).toBeLessThan(200)
  const expected = new TraceTotals()
  for (const node of [...nodes, ...added]) expected.set(node)
  const derived = new Map(expected.settle().map(one => [one.node.span_id, one.derived]))
  for (const { span_id } of nodes) totals.set(totals.get(span_id) as TraceNode)
  for (const one of totals.settle()) expect(one.derived).toEqual(derived.get(one.node.span_id))
  expect(changed).toContain('among them')
})
