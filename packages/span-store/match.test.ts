import { type Json, type JsonObject, numberOf, parseJson, type Span } from '@spanhouse/model'
import {
  compileFilter,
  compileSpanQuery,
  fromSpans,
  matchSpan,
  parseFilter,
  parseSpanQuery,
  printSql,
  restoreCopies,
  type SpanRow,
  sql,
} from '@spanhouse/query'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sampledRuns } from '../../test/sets/sample.ts'
import { SpanBatch } from './bytes/span-batch.ts'
import type { Engine } from './engine/engine.ts'
import { toMatchable } from './read/matchable.ts'
import { readSpanRows, SPAN_COLUMNS } from './read/row.ts'
import { makeSpan, newProject, openTestEngine } from './spans.testing.ts'
import { SpanWriter } from './write/write.ts'

const PROJECT = newProject()
const SENDER = '0d9f8e7c-1111-4222-8333-944455556666'
const START = 1_770_000_000_000_000
const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0')

/** Attributes that repeat these from the data are stored without them. */
const REPEATED = `Quick "fox" jumps, C:\\new\\call\nof the model: ${'über '.repeat(10)}\x7f`
const REPEATED_IN_JSON = JSON.stringify({ content: REPEATED, a: 'Call model' })
const repeated = fc.constantFrom<Json[]>(REPEATED, REPEATED_IN_JSON, { a: REPEATED }, { b: ['a', REPEATED_IN_JSON] })

const text = fc.constantFrom(
  REPEATED,
  REPEATED_IN_JSON,
  '',
  'a',
  'Call model',
  'JUDGE',
  'Über',
  '100%_x',
  '\\',
  "it's",
  '😀 quick fox',
  'Σ',
  'line\nQuick “fox”—\tC:\\new "call',
  'KELVIN \u212aelvin Straße \u001b[31mquick\u2028 Sum:\nΣ',
  '5',
  '-1.5e3',
  '[100000000000000000000]',
  'true',
  'null',
)
/** Also ones that the engine writes as integers of more than 64 bits, which it does not read as JSON again. */
const number = fc.constantFrom<Json[]>(
  ...[0, 5, 12, 5.5, 0.3, -1, 1e21, 1e-7, 2 ** 53 + 2, 1e20, -1e19],
  ...['18446744073709551615', '18446744073709551616', '-9223372036854775809'].map(parseJson),
)
/** Numbers near each other and near the bounds of what is compared as an integer, and texts that may be numbers. */
const numeric = fc.oneof(
  number,
  fc.constantFrom(2, 1e20, -1e19),
  fc.constantFrom(...['9007199254740993', '-9007199254740993', '18446744073709551616'].map(parseJson)),
  fc.constantFrom(...['5', '+5', '5.50', '05', ' 5', '5 ', '9007199254740993', '1e400', '0x5', '.5', '-', '1.2.3']),
)
const scalar = fc.oneof(text, number, fc.boolean())
const key = fc.constantFrom('a', 'b', '0', '1', 'x.y')
const { value } = fc.letrec<{ value: Json }>(tie => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.oneof(scalar, fc.constant(null)),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(key, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ) as fc.Arbitrary<Json>,
}))
const amounts = fc.record({ prompt: fc.constantFrom(0, 2, 7), total: fc.constantFrom(0, 5, 12) }, { requiredKeys: [] })
const item = fc.record(
  {
    id: fc.constant(SENDER),
    slug: text.filter(one => one !== ''),
    version: fc.constantFrom('1', '2'),
    attributes: fc.record({ key: fc.constantFrom('evaluator', 'workflow', 'testset') }),
  },
  { requiredKeys: ['attributes'] },
)
const LINK = { trace_id: hex(0xabc, 32), span_id: hex(0xdef, 16) }
const role = fc.constantFrom('evaluator', 'workflow', 'application').map(one => ({ attributes: { key: one } }))
const span = fc.record({
  span_name: text,
  status_message: text,
  session_id: text,
  user_id: text,
  parent: fc.option(fc.constant(1)),
  start: fc.constantFrom(0, 250_000, 1_000_001),
  seconds: fc.constantFrom(0, 1.5),
  status_code: fc.constantFrom('STATUS_CODE_OK' as const, 'STATUS_CODE_ERROR' as const),
  attributes: fc.dictionary(fc.constantFrom('a', 'b', 'plan', 'x.y'), fc.oneof(value, repeated), {
    maxKeys: 4,
    noNullPrototype: true,
  }),
  data: fc.dictionary(fc.constantFrom('inputs', 'outputs'), fc.oneof(value, repeated), {
    maxKeys: 2,
    noNullPrototype: true,
  }),
  n: fc.option(numeric),
  tokens: amounts,
  references: fc.array(item, { maxLength: 2 }),
  isLinked: fc.boolean(),
  events: fc.array(
    fc.record({ name: fc.constantFrom('exception', 'note'), attributes: fc.constant({ 'exception.type': 'E', n: 1 }) }),
    { maxLength: 2 },
  ),
})

function toSpan(drawn: any, at: number): Span {
  const { parent, start, seconds, n, attributes, data, tokens, references, isLinked, events, ...plain } = drawn
  const start_time = START + start
  return makeSpan({
    ...plain,
    trace_id: hex(1 + (at % 5), 32),
    span_id: hex(at + 1, 16),
    start_time,
    end_time: start_time + seconds * 1e6,
    ...(parent === null ? {} : { parent_id: hex(parent, 16) }),
    attributes: {
      ...(attributes as JsonObject),
      ...(n === null ? {} : { n }),
      ag: {
        type: { span: 'chat' },
        data,
        metrics: { duration: {}, errors: {}, tokens: { incremental: tokens }, costs: {} },
      },
    },
    ...(references.length > 0 ? { references } : {}),
    ...(isLinked ? { links: [{ ...LINK, attributes: { key: 'about' } }] } : {}),
    ...(events.length > 0 ? { events: events.map((event: object) => ({ ...event, timestamp: start_time })) } : {}),
  })
}

let engine: Engine
let rows: SpanRow[]
let close: () => Promise<void>
beforeAll(async () => {
  ;({ engine, close } = await openTestEngine())
  const spans = fc.sample(span, 120).map(toSpan)
  const sent = { project_id: PROJECT, user_id: SENDER, accepted_at: 1 }
  await new SpanWriter(engine).write(SpanBatch.of(spans.map(one => ({ ...sent, span: one }))))
  const query = parseSpanQuery({}, 'span')
  rows = await readSpanRows(engine, compileSpanQuery({ project_id: PROJECT, columns: SPAN_COLUMNS, query }))
})
afterAll(() => close())

test('texts that attributes repeat from the data are stored once, and sent attributes are restored', async () => {
  expect(rows.filter(({ copies }) => copies.length > 0).length).toBeGreaterThan(3)
  const inEngine = await engine.rows<{ span_id: string; sent: string }>({
    text: 'SELECT lower(hex(span_id)) AS span_id, sent_attributes AS sent FROM spans',
    params: {},
  })
  const restored = rows.map(row => ({ span_id: row.span_id, sent: restoreCopies(row) }))
  const byId = (one: { span_id: string }, other: { span_id: string }): number => (one.span_id < other.span_id ? -1 : 1)
  expect(inEngine.toSorted(byId)).toEqual(restored.toSorted(byId))
})

const options = fc.record(
  { case_sensitive: fc.boolean(), exact_match: fc.boolean(), all: fc.boolean() },
  { requiredKeys: [] },
)
const RELATIONS = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte']
const TEXTS = ['startswith', 'endswith', 'contains', 'matches', 'like']
const on = (
  field: string,
  operators: string[],
  value: fc.Arbitrary<unknown>,
  key: fc.Arbitrary<unknown> = fc.constant(undefined),
) => fc.record({ field: fc.constant(field), operator: fc.constantFrom(...operators), value, key, options })
const NOTHING = fc.constant(undefined)
const several = (one: fc.Arbitrary<unknown>) => fc.array(one, { maxLength: 3 })
const time = fc.constantFrom(START, START + 250_000, '2026-02-02T02:40:01Z')
const pattern = fc
  .array(fc.constantFrom('%', '%', '_', 'a', 'l', ' ', '😀', '\\', 'quick', 'Σ', '\n', '1'), { maxLength: 6 })
  .map(parts => parts.join(''))
const measured = numeric.filter(one => numberOf(one) !== undefined)
const attribute = fc.constantFrom(
  ...['a', 'b', 'plan', 'a.0', 'a.b', 'a.1.b', 'x.y', 'a.x', 'nothing', 'ag.type.span', 'ag.type.trace', 'ag.data'],
  ...['ag.data.inputs', 'ag.data.inputs.a', 'ag.data.outputs.0', 'ag.session.id', 'ag.metrics.tokens', 'ag.metrics'],
  ...['ag.metrics.tokens.cumulative', 'ag.metrics.tokens.cumulative.total', 'ag.metrics.tokens.incremental.prompt'],
  ...['ag.metrics.tokens.cumulative.prompt', 'ag.metrics.tokens.cumulative.completion'],
  ...['ag.metrics.duration.cumulative', 'ag.metrics.errors.cumulative', 'ag'],
)
const condition = fc.oneof(
  ...['span_name', 'status_message', 'session_id', 'user_id'].flatMap(field => [
    on(field, ['is', 'is_not', ...RELATIONS, ...TEXTS], text),
    on(field, ['like'], pattern),
    on(field, ['in', 'not_in', 'btwn'], fc.tuple(text, text)),
    on(field, ['exists', 'not_exists'], NOTHING),
  ]),
  on('parent_id', ['is', 'is_not'], fc.constantFrom(null, hex(1, 16))),
  on(
    'trace_id',
    ['is', 'in'],
    fc.constant(hex(2, 32)).map(id => id),
  ).map(one => (one.operator === 'in' ? { ...one, value: [one.value] } : one)),
  on('status_code', ['is', 'is_not'], fc.constantFrom('STATUS_CODE_OK', 'STATUS_CODE_UNSET')),
  on('trace_type', ['is', 'is_not'], fc.constantFrom('invocation', 'annotation')),
  on('start_time', ['is', ...RELATIONS], time),
  on('end_time', TEXTS, fc.constantFrom('2026', '02:40:00+00', '.25+00', '%40:01%', '2026-02-02 02:40:00.25')),
  on('updated_at', ['is', 'is_not', 'gt'], time),
  on('created_by_id', ['exists', 'not_exists'], NOTHING),
  on('created_by_id', ['is', 'is_not'], fc.constant(SENDER)),
  ...[1, 2].flatMap(() => [
    on('attributes', ['is', 'is_not'], value, attribute),
    on('attributes', RELATIONS, fc.oneof(text, number), attribute),
    on('attributes', TEXTS, text, attribute),
    on('attributes', ['like'], pattern, attribute),
    on('attributes', ['in', 'not_in'], several(value), attribute),
    on('attributes', ['btwn'], fc.oneof(fc.tuple(text, text), fc.tuple(number, number)), attribute),
    on('attributes', ['exists', 'not_exists'], NOTHING, attribute),
  ]),
  ...[
    on('attributes', RELATIONS, numeric, fc.constant('n')),
    on('attributes', ['is', 'is_not'], numeric, fc.constant('n')),
    on('attributes', ['btwn'], fc.tuple(measured, measured), fc.constant('n')),
    on('attributes', ['in', 'not_in'], several(numeric), fc.constant('n')),
  ].map(arbitrary => ({ weight: 2, arbitrary })),
  { weight: 4, arbitrary: on('references', ['in', 'not_in'], several(fc.oneof(item, role))) },
  on('references', ['has', 'has_not'], scalar, fc.constantFrom('attributes.key', 'attributes.a.b')),
  on('references', ['exists', 'not_exists'], NOTHING),
  on('links', ['in', 'not_in'], several(fc.constantFrom({}, LINK, { span_id: LINK.span_id }))),
  on('links', ['has'], fc.constantFrom('about', 'x'), fc.constant('attributes.key')),
  on('events', ['in', 'not_in'], several(fc.record({ name: fc.constantFrom('exception', 'x') }))),
  on(
    'events',
    ['has', 'has_not'],
    fc.constantFrom('E', 1),
    fc.constantFrom('attributes.exception.type', 'attributes.n'),
  ),
  {
    weight: 4,
    arbitrary: on(
      'content',
      ['contains'],
      fc.constantFrom(
        ...[
          'quick',
          'quick -model',
          '"call model" or judge',
          'über',
          'exception',
          'e',
          '-quick',
          '"new call"',
          'nquick',
        ],
        ...[
          'fox quick',
          '"quick fox"',
          '"sum σ"',
          'ς',
          'kelvin -31mquick',
          'straße',
          '31mquick',
          'u001b',
          '5',
          '"c new"',
        ],
      ),
    ),
  },
)
const { filter } = fc.letrec(tie => ({
  filter: fc.oneof(
    { maxDepth: 2 },
    { weight: 4, arbitrary: condition },
    fc.record({
      operator: fc.constantFrom('and', 'or', 'nand', 'nor'),
      conditions: fc.array(tie('filter'), { minLength: 1, maxLength: 3 }),
    }),
    fc.record({ operator: fc.constant('not'), conditions: fc.tuple(tie('filter')) }),
  ),
}))

test('a filter finds the same spans in memory as in the store', async () => {
  await fc.assert(
    fc.asyncProperty(filter, async given => {
      const tree = parseFilter({ conditions: [given] }, ['body'])
      if (!tree) return
      const statement = sql`SELECT lower(hex(span_id)) AS id ${fromSpans(PROJECT, [sql`(${compileFilter(tree)})`])}`
      const stored = await engine.rows<{ id: string }>(printSql(statement))
      const matched = rows.filter(row => matchSpan(tree, toMatchable(row))).map(row => row.span_id)
      expect(matched.toSorted()).toEqual(stored.map(row => row.id).toSorted())
    }),
    { numRuns: sampledRuns(300) },
  )
})
