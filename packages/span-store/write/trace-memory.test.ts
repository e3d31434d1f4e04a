import { type Derived, NO_AMOUNTS, type SettledSpan, type SpanId } from '@spanhouse/model'
import { VERSION_HASH_BYTES } from '@spanhouse/query'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { StoredNode } from '../stored-node.ts'
import { keepTrace, newTotals, TraceMemory, type TracePlace, type TraceState, traceKey } from './trace-memory.ts'

const PROJECT = '019d9ca1-0000-7000-8000-000000000001'
const placeOf = (name: string): TracePlace => ({ project_id: PROJECT, trace_id: name })
const keyOf = (name: string): string => traceKey(PROJECT, name)
/** 2255. */
const LATER = 9_000_000_000_000_000
const put = (memory: TraceMemory, name: string, spans: number): void =>
  memory.put(keyOf(name), { nodes: '', spans, isRootless: false, deleted_at: 0, shard: 0, known_until: LATER })
const keptOf = (memory: TraceMemory, names: string[]): string[] =>
  names.filter(name => memory.get(keyOf(name), placeOf(name)))

test('what was not touched for longest goes first', () => {
  const memory = new TraceMemory(4)
  put(memory, 'a', 2)
  put(memory, 'b', 2)
  put(memory, 'a', 2)
  put(memory, 'c', 1)
  expect(keptOf(memory, ['a', 'b', 'c'])).toEqual(['a', 'c'])
})

test('one large trace stays besides the others, until it is not used for long', () => {
  const memory = new TraceMemory(4)
  put(memory, 'a', 2)
  put(memory, 'large', 3)
  put(memory, 'large', 10)
  put(memory, 'd', 1)
  expect(keptOf(memory, ['a', 'large', 'd'])).toEqual(['a', 'large', 'd'])
  expect(memory.spans).toBe(13)
  put(memory, 'larger', 11)
  expect(keptOf(memory, ['a', 'large', 'larger', 'd'])).toEqual(['a', 'larger', 'd'])
  for (let number = 0; number < 9_000; number++) put(memory, `other ${number}`, 1)
  put(memory, 'larger', 12)
  for (let number = 0; number < 10_000; number++) put(memory, `other ${number}`, 1)
  expect(keptOf(memory, ['larger'])).toEqual(['larger'])
  put(memory, 'one more', 1)
  expect([keptOf(memory, ['larger']), memory.spans]).toEqual([[], 4])
})

test('a trace that grows while it is kept is counted as it is', () => {
  const memory = new TraceMemory(10)
  const names = Array.from({ length: 100 }, (_, number) => String(number))
  for (const [number, name] of names.entries()) {
    put(memory, name, 1)
    put(memory, name, 5)
    expect(memory.spans).toBe(number === 0 ? 5 : 10)
  }
  expect(keptOf(memory, names)).toHaveLength(2)
})

const totalsOf = (nodes: readonly StoredNode[]): TraceState['totals'] => {
  const totals = newTotals()
  for (const node of nodes) totals.set(node)
  totals.settle()
  return totals
}

test('a large trace that was taken and not put again is looked up', () => {
  const memory = new TraceMemory(10_000)
  const bare = { parent_id: null, own: NO_AMOUNTS, claimed: null, declared_trace_type: null, call: null, failure: null }
  const actors = { session_id: '', user_id: '' }
  const version = { accepted_at: 1, created_at: 2, created_by_id: PROJECT }
  const more = { start_time: 3, version_hash: '12345', version, is_trace_type_explicit: false, repeats_usage: false }
  const nodes = Array.from({ length: 2_000 }, (_, number): StoredNode => {
    const span_id = number.toString(16).padStart(16, '0')
    return { span_id, ...bare, ...actors, ...more, is_call: false, is_step: false }
  })
  memory.put(keyOf('t'), keepTrace({ ...placeOf('t'), ...STATE, totals: totalsOf(nodes) }))
  const taken = memory.get(keyOf('t'), placeOf('t'))
  expect(taken?.totals.get(nodes[7]?.span_id as string)).toEqual(nodes[7])
  expect([memory.get(keyOf('t'), placeOf('t')), memory.spans]).toEqual([undefined, 0])
})

const STATE = { isRootless: false, deleted_at: 0, shard: 0, known_until: LATER, expired: [] }

const id = fc.uint8Array({ minLength: 8, maxLength: 8 }).map(bytes => Buffer.from(bytes).toString('hex'))
const amount = fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n })
const amounts = fc.oneof(fc.constant(NO_AMOUNTS), fc.array(amount, { minLength: 7, maxLength: 7 }))
const time = fc.integer({ min: 0, max: 2 ** 53 - 1 })
const actor = fc.oneof(fc.constantFrom('', null), fc.string({ maxLength: 200 }))
const nodes = fc.uniqueArray(
  fc.record<StoredNode>({
    span_id: id,
    parent_id: fc.oneof(fc.constant(null), id),
    start_time: time,
    own: amounts,
    claimed: fc.oneof(fc.constant(null), amounts),
    declared_trace_type: fc.constantFrom(null, 'invocation', 'annotation', 'unknown'),
    is_trace_type_explicit: fc.boolean(),
    repeats_usage: fc.boolean(),
    is_call: fc.boolean(),
    is_step: fc.boolean(),
    call: fc.option(
      fc.record({ models: fc.array(fc.string(), { maxLength: 2 }), source: fc.string(), end_time: time }),
    ),
    failure: fc.option(fc.record({ type: fc.string(), message: fc.string() })),
    session_id: actor,
    user_id: actor,
    version_hash: fc
      .uint8Array({ minLength: VERSION_HASH_BYTES, maxLength: VERSION_HASH_BYTES })
      .map(bytes => Buffer.from(bytes).toString('latin1')),
    version: fc.record({ accepted_at: time, created_at: time, created_by_id: fc.uuid() }),
  }),
  { selector: node => node.span_id },
)

test('a trace comes back as it was kept, with the totals that follow from its spans', () => {
  fc.assert(
    fc.property(nodes, fc.boolean(), time, (list, isRootless, deleted_at) => {
      const memory = new TraceMemory(1_000)
      const state = { ...placeOf('t'), isRootless, deleted_at, shard: 1, known_until: LATER, expired: [] }
      memory.put(keyOf('t'), keepTrace({ ...state, totals: totalsOf(list) }))
      const { totals, ...kept } = memory.get(keyOf('t'), placeOf('t')) as TraceState
      expect(kept).toEqual(state)
      expect(sorted(totals.values())).toEqual(sorted(list))
      expect(totals.settle(isRootless)).toEqual([])
      const again = newTotals()
      for (const node of list) again.set(node)
      for (const node of [...totals.values()]) totals.set(node)
      const [derived, expected] = [totals, again].map(one => new Map(one.settle(isRootless).map(byId)))
      expect(derived).toEqual(expected)
    }),
  )
})

const sorted = (nodes: Iterable<StoredNode>): StoredNode[] =>
  [...nodes].sort((one, other) => (one.span_id < other.span_id ? -1 : 1))

const byId = ({ node, derived }: SettledSpan<StoredNode>): [SpanId, Derived] => [node.span_id, derived]
