import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Span } from '../span.ts'
import { AMOUNTS, amountOfText, amountText, toAmount } from './amounts.ts'
import { oracle } from './oracle.testing.ts'
import { rollUp } from './roll-up.testing.ts'
import { measureSpan, type TraceNode } from './trace-node.ts'
import { drawnNode, plainNode } from './trace-nodes.testing.ts'

const nodes = fc.uniqueArray(drawnNode, { selector: one => one.span_id, maxLength: 12 })

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

/** A call of a model and by an instrumentation that nobody names. */
const UNKNOWN = { models: [], source: '', end_time: 0 }

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
      is_step: false,
      call: span_id === 'parent' ? null : UNKNOWN,
      failure: null,
      session_id: '',
      user_id: '',
    })
    const all = [nodeOf('parent', own), ...children.map((values, index) => nodeOf(`child ${index}`, values))]
    const derived = rollUp(new Map(all.map(one => [one.span_id, one]))).get('parent')
    expect(derived?.cumulative).toEqual(total.map(BigInt))
    expect(derived?.restated).toBe(restated)
  },
)

/** A span of a trace: its depth in the tree, whether it is a call, a step or neither, its tokens and more. */
interface Drawn {
  depth: number
  kind: 'call' | 'step' | 'other'
  prompt?: number
  completion?: number
  model?: string
  source?: string
  from?: number
  to?: number
}

/** The prompt tokens and completion tokens of the first span's total, and which spans restate. */
function totalsOf(drawn: readonly Drawn[]) {
  const nodes = drawn.map((one, index): TraceNode => {
    const { kind, prompt = 0, completion = 0, model, source = '', from = 0, to = 10 } = one
    const parent = drawn.slice(0, index).findLastIndex(({ depth }) => depth === one.depth - 1)
    return {
      span_id: String(index),
      parent_id: parent === -1 ? null : String(parent),
      start_time: from,
      own: [0n, BigInt(prompt), BigInt(completion), BigInt(prompt + completion), 0n, 0n, 0n],
      claimed: null,
      declared_trace_type: null,
      is_trace_type_explicit: false,
      repeats_usage: false,
      is_call: kind === 'call',
      is_step: kind === 'step',
      call: kind === 'call' && prompt > 0 ? { models: model ? [model] : [], source, end_time: to } : null,
      failure: null,
      session_id: '',
      user_id: '',
    }
  })
  const derived = rollUp(new Map(nodes.map(one => [one.span_id, one])))
  const [, prompt, completion] = derived.get('0')?.cumulative ?? []
  const restating = nodes.flatMap(({ span_id }, index) => (derived.get(span_id)?.restated === 'none' ? [] : [index]))
  return { prompt: Number(prompt), completion: Number(completion), restating }
}

const ROOT: Drawn = { depth: 0, kind: 'other' }
const HTTP: Drawn = { depth: 2, kind: 'other' }
const call = (depth: number, prompt: number, completion: number, more: Partial<Drawn> = {}): Drawn => ({
  depth,
  kind: 'call',
  prompt,
  completion,
  ...more,
})

test.each<[string, Drawn[], prompt: number, completion: number, restating: number[]]>([
  ['a call around the same call', [ROOT, call(1, 140, 24), call(2, 140, 24)], 140, 24, [1]],
  ['with something between', [ROOT, call(1, 140, 24), HTTP, call(3, 140, 24)], 140, 24, [1]],
  ['three times', [call(0, 140, 24), call(1, 140, 24), call(2, 140, 24)], 140, 24, [0, 1]],
  ['of the same model', [call(0, 140, 24, { model: 'a' }), call(1, 140, 24, { model: 'a' })], 140, 24, [0]],
  ['of another model', [call(0, 140, 24, { model: 'a' }), call(1, 140, 24, { model: 'b' })], 280, 48, []],
  ['and of another one', [call(0, 140, 24), call(1, 140, 24), call(1, 10, 0)], 150, 24, [0]],
  ['that tells less', [call(0, 140, 24), HTTP, call(1, 100, 0)], 140, 24, [0]],
  ['that tells more', [call(0, 100, 24), call(1, 140, 24)], 240, 48, []],
  ['a smaller one of a tool', [call(0, 140, 24), { depth: 1, kind: 'step' }, call(2, 100, 20)], 240, 44, []],
  ['the same one of a tool', [call(0, 140, 24), { depth: 1, kind: 'step' }, call(2, 140, 24)], 140, 24, [0]],
  ['what is no call', [call(0, 140, 24), { ...call(1, 140, 24), kind: 'other' }], 280, 48, []],
])('a call is recorded inside another one: %s', (_, spans, prompt, completion, restating) => {
  expect(totalsOf(spans)).toEqual({ prompt, completion, restating })
})

const outer = call(1, 9, 4, { source: 'framework', from: 1, to: 9 })
const inner = call(1, 9, 4, { source: 'library', from: 2, to: 8 })
const chain: Drawn = { depth: 1, kind: 'step' }

test.each<[string, Drawn[], restating: number[]]>([
  ['beside it', [ROOT, outer, inner], [2]],
  ['before it in the list', [ROOT, inner, outer], [1]],
  ['beside the chain around it', [ROOT, chain, { ...outer, depth: 2 }, inner], [3]],
  ['twice beside it', [ROOT, outer, inner, { ...inner, source: 'proxy', from: 3, to: 7 }], [2, 3]],
  ['by the same instrumentation', [ROOT, outer, { ...inner, source: 'framework' }], []],
  ['by an unknown one', [ROOT, outer, { ...inner, source: '' }], []],
  ['not within its time', [ROOT, outer, { ...inner, to: 10 }], []],
  ['with other tokens', [ROOT, outer, { ...inner, completion: 5 }], []],
  ['of another model', [ROOT, { ...outer, model: 'a' }, { ...inner, model: 'b' }], []],
  ['in another branch', [ROOT, chain, { ...outer, depth: 2 }, chain, { ...inner, depth: 2 }], []],
  ['as often as it calls', [ROOT, outer, inner, { ...outer, from: 2, to: 9 }, { ...inner, from: 3 }], [2, 4]],
  ['more often than it calls', [ROOT, outer, inner, { ...inner, from: 3 }], [2]],
])('a call is recorded beside another one: %s', (_, spans, restating) => {
  const calls = spans.filter(({ kind }) => kind === 'call').length
  const { prompt, restating: actual } = totalsOf(spans)
  expect(actual).toEqual(restating)
  const tokens = spans.reduce((sum, one, index) => sum + (restating.includes(index) ? 0 : (one.prompt ?? 0)), 0)
  expect([prompt, calls > 1]).toEqual([tokens, true])
})

const failed = (message: string, type = 'Error') => ({ errors: 1, failure: { type, message } })
const fine = { errors: 0, failure: null }

test.each([
  ['passed on twice', [failed('no such city'), failed('no such city'), failed('no such city')], 1],
  ['passed on by a span that is fine', [failed('no such city'), fine, failed('no such city')], 1],
  ['passed on inside another message', [failed('tool: no such city'), failed('no such city')], 1],
  ['of the same type without messages', [failed('', 'Timeout'), failed('', 'Timeout')], 1],
  ['with its type in another message', [failed('404: model_not_found'), failed('', 'model_not_found')], 1],
  ['another one', [failed('too late'), failed('no such city')], 2],
  ['another one between', [failed('no such city'), failed('too late'), failed('no such city')], 3],
  [
    'unknown ones',
    [
      { errors: 1, failure: null },
      { errors: 1, failure: null },
    ],
    2,
  ],
  ['several of one span', [{ errors: 2, failure: null }, failed('no such city')], 3],
])('a failure counts once: %s', (_, spans, errors) => {
  const nodes = spans.map(
    ({ errors, failure }, index): TraceNode => ({
      ...plainNode({
        span_id: String(index),
        parent_id: index === 0 ? null : String(index - 1),
        start_time: 0,
        own: [BigInt(errors * 1000), 0n, 0n, 0n, 0n, 0n, 0n],
      }),
      failure,
    }),
  )
  const derived = rollUp(new Map(nodes.map(one => [one.span_id, one])))
  expect(derived.get('0')?.cumulative[0]).toBe(BigInt(errors * 1000))
})

test('a chain of 200,000 spans is summed up', () => {
  const chain = Array.from({ length: 200_000 }, (_, index) =>
    plainNode({
      span_id: String(index),
      parent_id: index === 0 ? null : String(index - 1),
      start_time: index,
      own: AMOUNTS.map(() => 1n),
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
