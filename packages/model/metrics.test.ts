import fc from 'fast-check'
import { expect, test } from 'vitest'
import { AMOUNTS, amountOfText, amountText, toAmount } from './amounts.ts'
import { measureSpan, rollUp, type TraceNode } from './metrics.ts'
import { oracle } from './oracle.testing.ts'
import type { Span } from './span.ts'

const amounts = fc.oneof(
  fc.constant(AMOUNTS.map(() => 0n)),
  // Few and small, so that some are sums of others.
  fc.tuple(...AMOUNTS.map(() => fc.bigInt({ min: 0n, max: 2n }))),
  fc.tuple(...AMOUNTS.map(() => fc.bigInt({ min: -5n, max: 1000n }))),
)
const id = fc.integer({ min: 1, max: 12 }).map(n => n.toString(16).padStart(16, '0'))

/** Few ids and few times, so that parents are found, missing, their own, and in cycles, and starts tie. */
const node: fc.Arbitrary<TraceNode> = fc
  .record({
    span_id: id,
    parent_id: fc.option(id, { freq: 4 }),
    start_time: fc.integer({ min: 0, max: 3 }),
    own: amounts,
    claimed: fc.option(amounts),
    declared_trace_type: fc.constantFrom(null, null, 'annotation', 'invocation', 'unknown'),
    is_trace_type_explicit: fc.boolean(),
    repeats_usage: fc.boolean(),
    is_call: fc.boolean(),
  })
  .map(one => ({
    ...one,
    // What a span only suggests is always an annotation.
    declared_trace_type:
      one.declared_trace_type && !one.is_trace_type_explicit ? 'annotation' : one.declared_trace_type,
  }))
const nodes = fc.uniqueArray(node, { selector: one => one.span_id, maxLength: 12 })

test('the roll-up is the definition, for any trace in any order', () => {
  fc.assert(
    fc.property(nodes, fc.boolean(), (trace, isRootless) => {
      const expected = oracle(trace, isRootless)
      for (const order of [trace, trace.toReversed()])
        expect(rollUp(new Map(order.map(one => [one.span_id, one])), isRootless)).toEqual(expected)
    }),
    { numRuns: 2000 },
  )
})

/** Amounts of errors, tokens (prompt, completion, total) and costs (the same). */
type Small = readonly [number, number, number, number, number, number, number]
const NOTHING: Small = [0, 0, 0, 0, 0, 0, 0]

/** A parent and its children: own amounts, what the parent's total is, and what of its own is restated. */
const RESTATED: [string, own: Small, children: Small[], total: Small, restated: string][] = [
  ['all of one child', [0, 4, 2, 6, 4, 8, 12], [[0, 4, 2, 6, 4, 8, 12]], [0, 4, 2, 6, 4, 8, 12], 'tokens and costs'],
  [
    'the sum of two',
    [1, 5, 0, 5, 0, 0, 0],
    [
      [0, 4, 0, 4, 0, 0, 0],
      [0, 1, 0, 1, 0, 0, 0],
    ],
    [1, 5, 0, 5, 0, 0, 0],
    'tokens',
  ],
  ['without a total', [0, 4, 2, 0, 0, 0, 0], [[0, 4, 2, 6, 0, 0, 0]], [0, 4, 2, 6, 0, 0, 0], 'tokens'],
  ['at another price', [0, 4, 2, 6, 9, 9, 18], [[0, 4, 2, 6, 4, 8, 12]], [0, 4, 2, 6, 4, 8, 12], 'tokens and costs'],
  ['where only it is priced', [0, 4, 2, 6, 4, 8, 12], [[0, 4, 2, 6, 0, 0, 0]], [0, 4, 2, 6, 4, 8, 12], 'tokens'],
  ['where only the child is priced', [0, 4, 2, 6, 0, 0, 0], [[0, 4, 2, 6, 4, 8, 12]], [0, 4, 2, 6, 4, 8, 12], 'tokens'],
  ['costs alone', [0, 0, 0, 0, 0, 0, 12], [[0, 4, 2, 6, 4, 8, 12]], [0, 4, 2, 6, 4, 8, 12], 'costs'],
  ['costs beside tokens of its own', [0, 1, 0, 1, 0, 0, 3], [[0, 2, 0, 2, 0, 0, 3]], [0, 3, 0, 3, 0, 0, 3], 'costs'],
  ['errors never', [2, 0, 0, 0, 0, 0, 0], [[2, 0, 0, 0, 0, 0, 0]], [4, 0, 0, 0, 0, 0, 0], 'none'],
  ['nothing', NOTHING, [[0, 4, 2, 6, 0, 0, 0]], [0, 4, 2, 6, 0, 0, 0], 'none'],
  ['something a child has nothing of', [0, 4, 2, 6, 0, 0, 0], [NOTHING], [0, 4, 2, 6, 0, 0, 0], 'none'],
  ['a leaf', [0, 4, 2, 6, 0, 0, 0], [], [0, 4, 2, 6, 0, 0, 0], 'none'],
  ['other usage', [0, 4, 2, 7, 0, 0, 0], [[0, 4, 2, 6, 0, 0, 0]], [0, 8, 4, 13, 0, 0, 0], 'none'],
]

/** The same for a parent that says that it repeats. */
const REPEATED: typeof RESTATED = [
  [
    'of the last of two',
    [0, 4, 2, 6, 0, 0, 0],
    [
      [0, 4, 2, 6, 0, 0, 0],
      [0, 9, 1, 10, 0, 0, 0],
    ],
    [0, 13, 3, 16, 0, 0, 0],
    'tokens',
  ],
  ['more than is known', [1, 9, 4, 13, 0, 0, 0], [[0, 4, 2, 6, 1, 1, 2]], [1, 9, 4, 13, 1, 1, 2], 'tokens'],
  ['with costs', [0, 9, 4, 13, 5, 5, 10], [[0, 4, 2, 6, 1, 1, 2]], [0, 9, 4, 13, 5, 5, 10], 'tokens and costs'],
  ['what nobody says', [0, 4, 2, 6, 0, 0, 0], [NOTHING], [0, 4, 2, 6, 0, 0, 0], 'none'],
  ['errors never', [2, 0, 0, 0, 0, 0, 0], [[2, 1, 0, 1, 0, 0, 0]], [4, 1, 0, 1, 0, 0, 0], 'none'],
]

test.each([...RESTATED.map(row => [...row, false] as const), ...REPEATED.map(row => [...row, true] as const)])(
  'usage said twice counts once: %s',
  (_, own, children, total, restated, repeats_usage) => {
    const nodeOf = (span_id: string, values: Small): TraceNode => ({
      span_id,
      parent_id: span_id === 'parent' ? null : 'parent',
      start_time: 0,
      own: values.map(BigInt),
      claimed: null,
      declared_trace_type: null,
      is_trace_type_explicit: false,
      repeats_usage,
      is_call: span_id !== 'parent',
    })
    const all = [nodeOf('parent', own), ...children.map((values, index) => nodeOf(`child ${index}`, values))]
    const derived = rollUp(new Map(all.map(one => [one.span_id, one]))).get('parent')
    expect(derived?.cumulative).toEqual(total.map(BigInt))
    expect(derived?.restated).toBe(restated)
  },
)

test.each([
  ['a call inside a call', true, true],
  ['what no call has used', false, false],
  ['a call around something else', true, false],
])('equal usage adds up: %s', (_, isParentCall, isChildCall) => {
  const nodeOf = (span_id: string, parent_id: string | null, is_call: boolean): TraceNode => ({
    span_id,
    parent_id,
    is_call,
    start_time: 0,
    own: [0n, 4n, 2n, 6n, 0n, 0n, 0n],
    claimed: null,
    declared_trace_type: null,
    is_trace_type_explicit: false,
    repeats_usage: false,
  })
  const nodes = [nodeOf('parent', null, isParentCall), nodeOf('child', 'parent', isChildCall)]
  const derived = rollUp(new Map(nodes.map(one => [one.span_id, one]))).get('parent')
  expect(derived).toMatchObject({ cumulative: [0n, 8n, 4n, 12n, 0n, 0n, 0n], restated: 'none' })
})

test('a chain of 200,000 spans is summed up', () => {
  const chain = Array.from(
    { length: 200_000 },
    (_, index): TraceNode => ({
      span_id: String(index),
      parent_id: index === 0 ? null : String(index - 1),
      start_time: index,
      own: AMOUNTS.map(() => 1n),
      claimed: null,
      declared_trace_type: null,
      is_trace_type_explicit: false,
      repeats_usage: false,
      is_call: false,
    }),
  )
  const derived = rollUp(new Map(chain.map(one => [one.span_id, one])))
  expect(derived.get('0')?.cumulative[0]).toBe(200_000n)
})

test('amounts are decimals: ten times a tenth is one', () => {
  const total = AMOUNTS.findIndex(({ metric, key }) => metric === 'costs' && key === 'total')
  const sum = Array.from({ length: 10 }, () => toAmount(0.1, total)).reduce((a, b) => a + b)
  expect(amountText(sum, total)).toBe('1.000000000000000')
  expect(amountText(toAmount(-0.00012, total), total)).toBe('-0.000120000000000')
  expect(toAmount(Number.NaN, total)).toBe(0n)
  expect(toAmount(1e300, total)).toBe(0n)
})

test('the text of an amount gives the amount back', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: -(10n ** 17n), max: 10n ** 17n }),
      fc.nat({ max: AMOUNTS.length - 1 }),
      (amount, at) => {
        expect(amountOfText(amountText(amount, at), at)).toBe(amount)
      },
    ),
  )
})

test('a span is measured by its own metrics alone', () => {
  const metrics = {
    errors: { incremental: 2 },
    tokens: { incremental: { prompt: 5, cached: 3 }, cumulative: { total: 9 } },
    costs: { incremental: { total: 'much' } },
  }
  const span = { span_id: 'a', start_time: 1, attributes: { ag: { metrics } } } as unknown as Span
  const named = (values: readonly bigint[] | null): Record<string, string> =>
    Object.fromEntries(
      AMOUNTS.flatMap(({ metric, key }, at) => {
        const value = values?.[at] ?? 0n
        return value === 0n ? [] : [[`${metric}.${key}`, amountText(value, at)]]
      }),
    )
  const measured = measureSpan(span)
  expect(named(measured.own)).toEqual({ 'errors.null': '2.000', 'tokens.prompt': '5.000' })
  expect(named(measured.claimed)).toEqual({ 'tokens.total': '9.000' })
})
