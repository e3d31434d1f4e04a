import { parseJson } from '@spanhouse/model'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  compileJson,
  expectedOf,
  type FilterCase,
  OTHER_PROJECT,
  openTable,
  printedCases,
  type SpanRow,
  selectedBy,
  spanId,
  type TestTable,
  traceId,
} from '../query.testing.ts'

/** Beyond 2^53; as text because JavaScript has no such number. */
const BIG = '9007199254740993'

const span = (number: number, row: Partial<SpanRow>): SpanRow => ({
  trace_id: traceId(number),
  span_id: spanId(number),
  ...row,
})

let table: TestTable
beforeAll(async () => {
  table = await openTable()
  await table.insert([
    span(1, { attributes: { a: { n: 5, s: 'Hello', b: true, z: null, l: ['x', 'y', 5] }, mixed: 12 } }),
    span(2, {
      attributes: { a: { n: 5.5, s: '5', b: false, l: [{ k: 'v', m: 1 }, { k: 'w' }, [1, 2]] }, mixed: '12' },
    }),
    span(3, { attributes: { a: { n: -1, s: '100%_\'"\\\n\u0000é', o: { p: { q: 1 }, r: [1] } }, mixed: 'abc' } }),
    span(4, { attributes: { a: { 0: 'zero', n: 'NaN', l: { 0: 'key', 1: { c: 'deep' } } }, mixed: [12] } }),
    span(5, { attributes: { a: { l: [[{ c: 'deep' }], 'last'] }, big: parseJson(BIG), mixed: null } }),
    span(6, {
      trace_type: 'annotation',
      session_id: 'chat-1',
      parent_id: spanId(5),
      duration_cumulative: '2500.5',
      tokens_cumulative_total: '24',
      costs_cumulative_total: '12.345678901234567',
      attributes: {
        ag: { metrics: { errors: { incremental: 0 }, tokens: {} }, session: { id: 'chat-1' } },
        mixed: true,
      },
      data: { inputs: { question: 'Capital of Peru?', n: 3 }, outputs: ['Lima', { city: 'Lima' }] },
    }),
    span(7, {
      errors_incremental: '2',
      tokens_cumulative_prompt: '3',
      attributes: { ag: { metrics: { errors: { incremental: 2 }, tokens: { cumulative: { cached: 7 } } } } },
      data: { outputs: 'Lima' },
    }),
    { ...span(8, { attributes: { a: { n: 5 }, mixed: 12 } }), project_id: OTHER_PROJECT },
  ])
})
afterAll(() => table.close())

const on = (key: string, operator: string, value?: unknown, options?: object): object => ({
  field: 'attributes',
  key,
  operator,
  ...(value === undefined ? {} : { value }),
  ...(options === undefined ? {} : { options }),
})
const EXACT = { case_sensitive: true }
const ALL = { all: true }

const CASES: Record<string, FilterCase[]> = {
  comparison: [
    [on('a.n', 'is', 5), [1]],
    [on('a.n', 'is', 5.5), [2]],
    [on('a.n', 'is', '5'), []],
    [on('a.s', 'is', '5'), [2]],
    [on('a.s', 'is', 5), []],
    [on('a.s', 'is', 'hello'), []],
    [on('a.s', 'is', '100%_\'"\\\n\u0000é'), [3]],
    [on('a.b', 'is', true), [1]],
    [on('a.b', 'is', false), [2]],
    [on('a.z', 'is', null), [1]],
    [{ field: 'attributes', key: 'a.z' }, [1]],
    [on('a.missing', 'is', null), []],
    [on('a.z', 'is_not', null), [2, 3, 4, 5, 6, 7]],
    [on('a.n', 'is_not', 5), [2, 3, 4, 5, 6, 7]],
    [on('a.n', 'is_not', -1), [1, 2, 4, 5, 6, 7]],
    [on('a.o', 'is', { p: { q: 1.0 } }), [3]],
    [on('a.o', 'is', { p: {}, r: [] }), [3]],
    [on('a.o', 'is', { p: { q: '1' } }), []],
    [on('a', 'is', { o: {}, n: -1 }), [3]],
    [on('a', 'is', { 0: 'zero' }), [4]],
    [on('a', 'is', {}), [1, 2, 3, 4, 5]],
    [on('a.s', 'is', {}), []],
    [on('a.l', 'is', ['y']), [1]],
    [on('a.l', 'is', [5, 'x']), [1]],
    [on('a.l', 'is', [5, 'nope']), []],
    [on('a.l', 'is', []), [1, 2, 5]],
    [on('a.l', 'is', 'x'), []],
    [on('a.l', 'is', [{ k: 'v' }]), [2]],
    [on('a.l', 'is', [{ k: 'w', m: 1 }]), []],
    [on('a.l', 'is', [{ k: 'w' }, [2]]), [2]],
    [on('a.l', 'is_not', ['y']), [2, 3, 4, 5, 6, 7]],
    [on('a.n', 'has', 5), [1]],
    [on('a.n', 'has_not', 5), [2, 3, 4, 5, 6, 7]],
    [on('big', 'is', parseJson(BIG)), [5]],
    [on('big', 'is', 9007199254740992), []],
    [on('big', 'is', parseJson('100000000000000000000000')), []],
  ],
  numeric: [
    [on('a.n', 'eq', 5), [1]],
    [on('a.n', 'neq', 5), [2, 3]],
    [on('a.n', 'gt', 5), [2]],
    [on('a.n', 'gte', 5), [1, 2]],
    [on('a.n', 'lt', 5), [3]],
    [on('a.n', 'lte', 5), [1, 3]],
    [on('a.n', 'lt', 1e300), [1, 2, 3]],
    [on('a.n', 'btwn', [-1, 5]), [1, 3]],
    [on('mixed', 'eq', 12), [1, 2]],
    [on('mixed', 'neq', 13), [1, 2]],
    [on('mixed', 'gt', 11.5), [1, 2]],
    [on('a.s', 'gte', 5), [2]],
    [on('big', 'gt', 9007199254740992), [5]],
    [on('big', 'eq', 9007199254740992), []],
    [on('big', 'eq', parseJson(BIG)), [5]],
    [on('big', 'lt', parseJson('9007199254740994')), [5]],
    [on('big', 'lt', parseJson('900719925474099400000000000000000000000000000')), [5]],
    // Texts are ordered as texts: numbers by their text form.
    [on('a.s', 'eq', '5'), [2]],
    [on('a.n', 'eq', '5'), [1]],
    [on('a.s', 'gt', '5'), [1]],
    [on('a.s', 'lte', '5'), [2, 3]],
    [on('mixed', 'btwn', ['12', 'abc']), [1, 2, 3, 4]],
    [on('mixed', 'neq', '12'), [3, 4, 6]],
    [on('mixed', 'gte', ''), [1, 2, 3, 4, 6]],
    [on('a.b', 'eq', true), [1]],
    [on('a.b', 'neq', true), [2, 3, 4, 5, 6, 7]],
  ],
  string: [
    [on('a.s', 'startswith', 'hE'), [1]],
    [on('a.s', 'startswith', 'hE', EXACT), []],
    [on('a.s', 'startswith', 'He', EXACT), [1]],
    [on('a.s', 'endswith', 'É'), [3]],
    [on('a.s', 'endswith', 'É', EXACT), []],
    [on('a.s', 'contains', '%_'), [3]],
    [on('a.s', 'contains', '%'), [3]],
    [on('a.s', 'contains', '\\\n\u0000'), [3]],
    [on('a.s', 'contains', ''), [1, 2, 3]],
    [on('a.z', 'contains', ''), []],
    [on('a.n', 'contains', 5), [1, 2]],
    [on('a.b', 'startswith', 'TRU'), [1]],
    [on('a.o', 'contains', '"q":1'), [3]],
    [on('a.s', 'matches', 'ELL'), [1]],
    [on('a.s', 'matches', '^Hello$'), []],
    [on('a.s', 'matches', 'HELLO', { exact_match: true }), [1]],
    [on('a.s', 'matches', 'ELL', { exact_match: true }), []],
    [on('a.s', 'like', 'h_l%'), [1]],
    [on('a.s', 'like', '%\\%\\_%'), [3]],
    [on('a.s', 'like', '%'), [1, 2, 3]],
    // Tested on the undecoded text first: text in other places of it, in keys, and in other forms.
    [on('ag.data.outputs', 'contains', 'lima'), [6, 7]],
    [on('ag.data.outputs', 'contains', 'Lima', EXACT), [6, 7]],
    [on('ag.data.outputs', 'startswith', 'lima'), [7]],
    [on('ag.data.outputs', 'contains', 'Peru'), []],
    [on('ag.data.inputs', 'contains', 'question'), [6]],
    [on('ag.data.inputs.question', 'endswith', 'peru?'), [6]],
    [on('a.s', 'contains', '_\'"\\\n'), [3]],
    [on('a.b', 'contains', 'als'), [2]],
    [on('a.l', 'contains', 'last'), [5]],
    [on('a.l', 'contains', '[1,2]'), [2]],
  ],
  list: [
    [on('a.n', 'in', [5, 7]), [1]],
    [on('a.n', 'in', ['5', true]), []],
    [on('a.n', 'in', [5.5, -1, 'NaN']), [2, 3, 4]],
    [on('a.s', 'in', ['100%_\'"\\\n\u0000é', 'Hello']), [1, 3]],
    [on('a.z', 'in', [null]), [1]],
    [on('a.l', 'in', ['x', 'nope']), [1]],
    [on('a.l', 'in', [5.0]), [1]],
    [on('a.l', 'in', ['x', 5, 'x'], ALL), [1]],
    [on('a.l', 'in', ['x', 'nope'], ALL), []],
    [on('a.l', 'in', [{ k: 'v' }, 'x']), [1, 2]],
    [on('a.l', 'in', [{ k: 'v' }, { k: 'w' }, [1]], ALL), [2]],
    [on('a.l', 'in', [{ k: 'v' }, 'x'], ALL), []],
    [on('a.o', 'in', [{ r: [1] }]), [3]],
    [on('a.l', 'in', []), []],
    [on('a.l', 'in', [], ALL), []],
    [on('a.n', 'not_in', [5, 7]), [2, 3, 4]],
    [on('a.l', 'not_in', ['x']), [2, 4, 5]],
    [on('a.z', 'not_in', [1]), [1]],
    [on('a.l', 'not_in', []), [1, 2, 4, 5]],
    [on('a.l', 'not_in', ['x', 'nope'], ALL), [1, 2, 4, 5]],
  ],
  existence: [
    [on('a.z', 'exists'), [1]],
    [on('a.n', 'exists'), [1, 2, 3, 4]],
    [on('a.n', 'not_exists'), [5, 6, 7]],
    [on('a.b.c', 'not_exists'), [1, 2, 3, 4, 5, 6, 7]],
    [on('nowhere.at.all', 'not_exists', null), [1, 2, 3, 4, 5, 6, 7]],
    [on('ag.data', 'exists'), [1, 2, 3, 4, 5, 6, 7]],
    [on('ag.data.inputs', 'exists'), [6]],
    [on('ag.data.outputs', 'not_exists'), [1, 2, 3, 4, 5]],
  ],
  path: [
    [on('a.l.0', 'is', 'x'), [1]],
    [on('a.l.2', 'is', 5), [1]],
    [on('a.l.3', 'exists'), []],
    [on('a.l.0', 'is', 'key'), [4]],
    [on('a.0', 'is', 'zero'), [4]],
    [on('a.l.1.c', 'is', 'deep'), [4]],
    [on('a.l.0.0.c', 'is', 'deep'), [5]],
    [on('a.l.0', 'is', { k: 'v' }), [2]],
    [on('a.l.01', 'exists'), []],
    [on('a.l.1', 'startswith', 'LA'), [5]],
    [on('a.l.99999999999', 'exists'), []],
    [on('a..n', 'exists'), []],
    [on("a'.n", 'exists'), []],
    [on('ag.data.inputs.question', 'contains', 'peru'), [6]],
    [on('ag.data.inputs.n', 'lt', 4), [6]],
    [on('ag.data.outputs', 'in', ['Lima']), [6, 7]],
    [on('ag.data.outputs.1.city', 'is', 'Lima'), [6]],
    [on('ag.data', 'is', { outputs: 'Lima' }), [7]],
    [on('ag.data', 'is', {}), [1, 2, 3, 4, 5, 6, 7]],
    [on('ag', 'is', { data: { inputs: { n: 3 } }, session: { id: 'chat-1' } }), [6]],
    [on('ag.data', 'contains', '"outputs":"lima"'), [7]],
    [on('ag.data', 'has_not', { outputs: 'Lima' }), [1, 2, 3, 4, 5, 6]],
  ],
  columns: [
    [on('ag.type.trace', 'is', 'annotation'), [6]],
    [on('ag.type.trace', 'is', 'no such type'), []],
    [on('ag.type', 'is', { trace: 'annotation' }), [6]],
    [on('ag.type.trace', 'in', ['annotation', 'invocation']), [6]],
    [on('ag.type.trace', 'exists'), [1, 2, 3, 4, 5, 6, 7]],
    [on('ag.type.trace', 'startswith', 'ANNO'), [6]],
    // On any span, unlike the field `session_id`.
    [on('ag.session.id', 'is', 'chat-1'), [6]],
    [on('ag.session.id', 'is_not', 'chat-1'), [1, 2, 3, 4, 5, 7]],
    [on('ag.session.id', 'in', ['chat-1']), [6]],
    [on('ag.session.id', 'not_in', ['chat-2']), [6]],
    [on('ag.session.id', 'contains', 'HAT'), [6]],
    [on('ag.session.id', 'gt', 'chat-0'), [6]],
    [on('ag.session.id', 'not_exists'), [1, 2, 3, 4, 5, 7]],
    [on('ag.session.id', 'is', ''), []],
    [on('ag.session.id', 'is', 5), []],
    [on('ag.metrics.duration.cumulative', 'is', 2500.5), [6]],
    [on('ag.metrics.duration.cumulative', 'eq', 2500.5), [6]],
    [on('ag.metrics.duration.cumulative', 'eq', '2500.5'), [6]],
    [on('ag.metrics.duration.cumulative', 'is', '2500.5'), []],
    [on('ag.metrics.duration.cumulative', 'gt', 2500.4999999), [6]],
    [on('ag.metrics.duration.cumulative', 'lt', 1e300), [6]],
    [on('ag.metrics.duration.cumulative', 'gte', -5), [6]],
    [on('ag.metrics.duration.cumulative', 'neq', 1), [6]],
    [on('ag.metrics.duration.cumulative', 'btwn', [0, 5000]), [6]],
    [on('ag.metrics.duration.cumulative', 'in', [2500.5]), [6]],
    [on('ag.metrics.duration.cumulative', 'exists'), [6]],
    [on('ag.metrics.duration.cumulative', 'is_not', 2500.5), [1, 2, 3, 4, 5, 7]],
    [on('ag.metrics.duration.cumulative', 'startswith', '25'), [6]],
    [on('ag.metrics.costs.cumulative.total', 'eq', 12.345678901234567), [6]],
    [on('ag.metrics.costs.cumulative.total', 'gt', 1e-7), [6]],
    [on('ag.metrics.costs.cumulative.total', 'gt', 1e-17), [6]],
    [on('ag.metrics.tokens.cumulative.total', 'eq', 24), [6]],
    [on('ag.metrics.tokens.cumulative.total', 'is', 24.0), [6]],
    [on('ag.metrics.tokens.cumulative', 'is', { prompt: 3, cached: 7 }), [7]],
    [on('ag.metrics.tokens.cumulative', 'is', {}), [6, 7]],
    [on('ag.metrics.tokens.cumulative', 'exists'), [6, 7]],
    [on('ag.metrics.costs.cumulative', 'exists'), [6]],
    [on('ag.metrics.tokens.cumulative.cached', 'lt', 8), [7]],
    // A part is zero beside another number of the same total.
    [on('ag.metrics.tokens.cumulative.completion', 'is', 0), [6, 7]],
    [on('ag.metrics.tokens.cumulative.completion', 'lte', 5), [6, 7]],
    [on('ag.metrics.tokens.cumulative.completion', 'gt', 0), []],
    [on('ag.metrics.tokens.cumulative.completion', 'not_in', [0]), []],
    [on('ag.metrics.tokens.cumulative.completion', 'contains', '0'), [6, 7]],
    [on('ag.metrics.tokens.cumulative.completion', 'exists'), [6, 7]],
    [on('ag.metrics.tokens.cumulative.prompt', 'btwn', [0, 3]), [6, 7]],
    [on('ag.metrics.tokens.cumulative.prompt', 'neq', 3), [6]],
    [on('ag.metrics.tokens.cumulative', 'is', { prompt: 0, completion: 0 }), [6]],
    [on('ag.metrics.costs.cumulative.prompt', 'is', 0), [6]],
    // An explicit zero is a value if the span itself can set one.
    [on('ag.metrics.errors.incremental', 'eq', 0), [6]],
    [on('ag.metrics.errors.incremental', 'is', 0), [6]],
    [on('ag.metrics.errors.incremental', 'lt', 5), [6, 7]],
    [on('ag.metrics.errors.incremental', 'gt', 0), [7]],
    [on('ag.metrics.errors.incremental', 'is', 2), [7]],
    [on('ag.metrics.errors.incremental', 'exists'), [6, 7]],
    [on('ag.metrics.errors.incremental', 'in', [0, 2]), [6, 7]],
    [on('ag.metrics.errors.cumulative', 'eq', 0), []],
    [on('ag.metrics.errors.cumulative', 'not_exists'), [1, 2, 3, 4, 5, 6, 7]],
  ],
}

test.each(Object.keys(CASES))('%s: selects', async name => {
  const cases = CASES[name] ?? []
  expect(await selectedBy(table, cases)).toEqual(expectedOf(cases))
})

test.each(Object.keys(CASES))('%s: SQL', async name => {
  await expect(printedCases(CASES[name] ?? [])).toMatchFileSnapshot(`../snapshots/attribute-${name}.sql`)
})

test('every condition and its negation split the spans', async () => {
  for (const [filter] of Object.values(CASES).flat()) {
    const selected = await table.spanIds(compileJson({ conditions: [filter] }))
    const others = await table.spanIds(compileJson({ operator: 'not', conditions: [filter] }))
    expect([...selected, ...others].toSorted(), JSON.stringify(filter)).toEqual([1, 2, 3, 4, 5, 6, 7].map(spanId))
  }
})

test('takes 100,000 values, for scalars and lists', async () => {
  const values = Array.from({ length: 100_000 }, (_, index) =>
    index % 2 === 0 ? index + 5.5 : `x${'y'.repeat(index % 50)}`,
  )
  const ids = async (options: object, more: unknown[]) =>
    table.spanIds(compileJson({ conditions: [on('a.n', 'in', [...values.slice(more.length), ...more], options)] }))
  expect(await ids({}, [-1])).toEqual([spanId(3)])
  expect(await ids(ALL, [-1])).toEqual([spanId(3)])
})

test('takes a key of 64 segments that may all be indexes', async () => {
  const key = Array.from({ length: 64 }, (_, index) => index).join('.')
  expect(await table.spanIds(compileJson({ conditions: [on(key, 'exists')] }))).toEqual([])
})
