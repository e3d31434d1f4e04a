import { randomUUID } from 'node:crypto'
import type { JsonObject } from '@spanhouse/model'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sampledRuns } from '../../../test/sets/sample.ts'
import type { Position } from '../position.ts'
import {
  compileJson,
  NOON,
  OTHER_PROJECT,
  openTable,
  PROJECT,
  printed,
  type SpanRow,
  spanId,
  type TestTable,
  traceId,
} from '../query.testing.ts'
import { type Sql, sql } from '../sql.ts'
import { compilePreviews } from './previews.ts'
import { compileRows } from './rows.ts'
import { parseSpanQuery } from './span-query.ts'
import {
  compileFewSpans,
  compileFewSpansByIds,
  compileFirstSpans,
  compileSpanQuery,
  compileSpansByIds,
  compileTraceQuery,
  fromSpans,
} from './statements.ts'
import { nextWindowing } from './windowing.ts'

let table: TestTable
beforeAll(async () => {
  table = await openTable()
})
afterAll(() => table.close())

/** Aliases that are names of columns, as in a reader. */
const COLUMNS = [
  sql`lower(hex(trace_id)) AS trace_id`,
  sql`lower(hex(span_id)) AS span_id`,
  sql`toString(toUnixTimestamp64Micro(start_time)) AS start_time`,
  sql`upper(attributes) AS attributes`,
  sql`data`,
]
interface ReadSpan {
  trace_id: string
  span_id: string
  start_time: string
}

const spanQuery = (project_id: string, body: unknown) =>
  compileSpanQuery({ project_id, columns: COLUMNS, query: parseSpanQuery(body, 'span') })
const traceQuery = (project_id: string, body: unknown, candidates?: number) =>
  compileTraceQuery({ project_id, query: parseSpanQuery(body, 'trace') }, candidates)

const spansOf = async (project_id: string, body: unknown): Promise<number[]> => {
  const rows = await table.run<ReadSpan>(spanQuery(project_id, body))
  return rows.map(row => Number.parseInt(row.span_id, 16))
}
const tracesOf = async (project_id: string, body: unknown, candidates?: number): Promise<number[]> => {
  const rows = await table.run<{ trace_id: string; sort_time: number }>(traceQuery(project_id, body, candidates))
  return rows.map(row => Number.parseInt(row.trace_id, 16))
}

const rowAt = (project_id: string, seconds: number, trace: number, span: number, more: object = {}): SpanRow => ({
  project_id,
  trace_id: traceId(trace),
  span_id: spanId(span),
  start_time: NOON + seconds * 1_000_000,
  ...more,
})
const timeAt = (seconds: number): number => NOON / 1_000_000 + seconds

test('windows of spans: which bounds are included', async () => {
  const project = randomUUID()
  await table.insert([1, 2, 3, 4].map(second => rowAt(project, second, second, second)))
  // Spans 2, 3 and 4 are at second 3.
  await table.insert([rowAt(project, 3, 9, 2), rowAt(project, 3, 9, 4)])
  const at = (windowing: object) => spansOf(project, { windowing })
  expect(await at({})).toEqual([4, 4, 3, 2, 2, 1])
  expect(await at({ order: 'ascending' })).toEqual([1, 2, 2, 3, 4, 4])
  expect(await at({ newest: timeAt(3), oldest: timeAt(2) })).toEqual([2])
  expect(await at({ newest: timeAt(3), oldest: timeAt(2), order: 'ascending' })).toEqual([2, 3, 4])
  expect(await at({ newest: timeAt(3), next: spanId(4) })).toEqual([3, 2, 2, 1])
  expect(await at({ newest: timeAt(3), next: `${spanId(3)}${spanId(3)}` })).toEqual([2, 2, 1])
  expect(await at({ newest: timeAt(3), next: `${spanId(3)}${spanId(3)}`, oldest: timeAt(2) })).toEqual([2, 2])
  expect(await at({ oldest: timeAt(3), next: spanId(2), order: 'ascending' })).toEqual([3, 4, 4])
  expect(await at({ oldest: timeAt(3), next: spanId(2), newest: timeAt(3), order: 'ascending' })).toEqual([3, 4])
  // A cursor without its time is ignored.
  expect(await at({ next: spanId(2), limit: 2 })).toEqual([4, 4])
  expect(await at({ next: spanId(2), newest: timeAt(3), order: 'ascending' })).toEqual([1, 2, 2, 3, 4])
  expect(await at({ limit: 0 })).toEqual([4])
})

test('windows of traces: which bounds are included', async () => {
  const project = randomUUID()
  const head = { is_trace_head: true }
  await table.insert([
    ...[1, 2, 3, 4].map(second => rowAt(project, second, second, 1, head)),
    ...[2, 4].map(trace => rowAt(project, 3, trace + 10, 1, head)),
    // Not heads: late spans of the first trace.
    ...[5, 6].map(second => rowAt(project, second, 1, second)),
  ])
  const at = (windowing: object) => tracesOf(project, { windowing })
  expect(await at({})).toEqual([4, 14, 12, 3, 2, 1])
  expect(await at({ order: 'ascending' })).toEqual([1, 2, 3, 12, 14, 4])
  expect(await at({ newest: timeAt(3), oldest: timeAt(2) })).toEqual([2])
  expect(await at({ newest: timeAt(3), oldest: timeAt(2), order: 'ascending' })).toEqual([2])
  expect(await at({ newest: timeAt(3), next: traceId(14) })).toEqual([12, 3, 2, 1])
  expect(await at({ oldest: timeAt(3), next: traceId(3), order: 'ascending' })).toEqual([12, 14, 4])
  expect(await at({ oldest: timeAt(3), next: traceId(3), newest: timeAt(4), order: 'ascending' })).toEqual([12, 14])
  expect(await at({ next: traceId(14), limit: 1 })).toEqual([4])
})

test('a trace qualifies when one span satisfies the whole filter, wherever it lies', async () => {
  const project = randomUUID()
  await table.insert([
    rowAt(project, 1, 1, 1, { is_trace_head: true, span_name: 'root', trace_type: 'invocation' }),
    rowAt(project, 90_000, 1, 2, { span_name: 'tool', span_type: 'tool', trace_type: 'invocation' }),
    rowAt(project, 2, 2, 3, { is_trace_head: true, span_name: 'tool', trace_type: 'annotation' }),
    rowAt(project, 3, 2, 4, { span_name: 'other', span_type: 'tool', trace_type: 'annotation' }),
    // Not a head: a trace whose root has not arrived yet.
    rowAt(project, 4, 3, 5, { span_name: 'tool', span_type: 'tool' }),
  ])
  const tool = { field: 'span_name', value: 'tool' }
  const ofType = { field: 'span_type', value: 'tool' }
  const annotation = { field: 'trace_type', value: 'annotation' }
  const at = (conditions: object[], windowing = {}) => tracesOf(project, { filtering: { conditions }, windowing })
  expect(await at([tool])).toEqual([2, 1])
  expect(await at([tool, ofType])).toEqual([1])
  expect(await at([tool], { oldest: timeAt(1), newest: timeAt(2) })).toEqual([1])
  expect(await at([tool], { oldest: timeAt(2) })).toEqual([2])
  expect(await at([tool, annotation])).toEqual([2])
  expect(await at([tool, annotation], { oldest: timeAt(0) })).toEqual([2])
  expect(await at([annotation])).toEqual([2])
  expect(await at([{ operator: 'not', conditions: [annotation] }])).toEqual([1])
  // One span that is not of type tool is enough.
  expect(await at([{ operator: 'not', conditions: [ofType] }])).toEqual([2, 1])
  expect(await at([{ operator: 'or', conditions: [annotation, ofType] }])).toEqual([2, 1])
})

test('a filter by trace id keeps window, limit and group operator', async () => {
  const project = randomUUID()
  const head = { is_trace_head: true }
  await table.insert([1, 2, 3].map(number => rowAt(project, number, number, number, head)))
  const two = { field: 'trace_id', operator: 'in', value: [traceId(1), traceId(2)] }
  for (const at of [spansOf, tracesOf]) {
    expect(await at(project, { filter: { conditions: [two] } })).toEqual([2, 1])
    expect(await at(project, { filter: { conditions: [two] }, limit: 1 })).toEqual([2])
    expect(await at(project, { filter: { conditions: [two] }, newest: timeAt(2) })).toEqual([1])
    expect(await at(project, { filter: { operator: 'not', conditions: [two] } })).toEqual([3])
  }
})

test('sampling keeps whole traces by the first 32 bits of their id', async () => {
  const project = randomUUID()
  const sampled = (first: number, span: number): SpanRow => ({
    ...rowAt(project, span, 1, span, { is_trace_head: true }),
    trace_id: first.toString(16).padStart(8, '0') + traceId(span).slice(8),
  })
  // Remainders 0, 24, 25, 99 and, for the largest number, 95.
  await table.insert([sampled(0, 1), sampled(1_000_024, 2), sampled(25, 3), sampled(199, 4), sampled(0xffffffff, 5)])
  const whole = randomUUID()
  await table.insert([27, 28, 29].map((remainder, at) => ({ ...sampled(remainder, at + 1), project_id: whole })))
  for (const at of [spansOf, tracesOf]) {
    expect((await at(project, { rate: 0.25 })).length).toBe(2)
    expect((await at(project, { rate: 0.259 })).length).toBe(2)
    expect((await at(project, { rate: 0.26 })).length).toBe(3)
    expect((await at(project, { rate: 0.96 })).length).toBe(4)
    expect((await at(project, { rate: 1 })).length).toBe(5)
    expect((await at(whole, { rate: 0.28 })).length).toBe(1)
    expect((await at(whole, { rate: 0.29 })).length).toBe(2)
    expect(await at(project, { rate: 0 })).toEqual([])
    expect(await at(project, { rate: 0.009 })).toEqual([])
  }
})

test('spans by ids, in the order of their start', async () => {
  const project = randomUUID()
  await table.insert([
    rowAt(project, 3, 256, 256),
    rowAt(project, 1, 256, 2),
    rowAt(project, 2, 2, 2),
    rowAt(randomUUID(), 2, 256, 2),
  ])
  const ids = async (statement: Sql) => (await table.run<ReadSpan>(statement)).map(row => [row.trace_id, row.span_id])
  const read = { project_id: project, columns: COLUMNS }
  expect(await ids(compileSpansByIds({ ...read, trace_ids: [traceId(256)] }))).toEqual([
    [traceId(256), spanId(2)],
    [traceId(256), spanId(256)],
  ])
  expect(await ids(compileSpansByIds({ ...read, span_ids: [spanId(2)] }))).toEqual([
    [traceId(256), spanId(2)],
    [traceId(2), spanId(2)],
  ])
  expect(await ids(compileSpansByIds({ ...read, trace_ids: [traceId(256)], span_ids: [spanId(2)] }))).toHaveLength(1)
  expect(await ids(compileSpansByIds({ ...read, trace_ids: [] }))).toEqual([])
  expect(await ids(compileFewSpansByIds({ ...read, trace_ids: [traceId(256)] }))).toHaveLength(2)
  expect(() => compileSpansByIds(read)).toThrow('ids')
})

test('no statement returns rows of another project', async () => {
  await table.insert([rowAt(OTHER_PROJECT, 1, 77, 77, { is_trace_head: true, span_name: 'theirs' })])
  const everything = [
    {},
    { filter: { operator: 'or', conditions: [{ field: 'trace_id', value: traceId(77) }, { field: 'parent_id' }] } },
    { filter: { operator: 'not', conditions: [{ field: 'span_name', value: 'x' }] }, oldest: 0 },
    { filter: { conditions: [{ field: 'span_name', value: "x' OR 1=1 --" }] } },
  ]
  for (const body of everything) {
    expect(await spansOf(PROJECT, body)).toEqual([])
    expect(await tracesOf(PROJECT, body)).toEqual([])
  }
  const read = { project_id: PROJECT, columns: COLUMNS }
  expect(await table.run(compileSpansByIds({ ...read, trace_ids: [traceId(77)], span_ids: [spanId(77)] }))).toEqual([])
  expect(await table.run(compileSpansByIds({ ...read, trace_ids: [traceId(77)] }))).toEqual([])
})

test('a page of traces among those that come first, by what any of their spans says', async () => {
  const project = randomUUID()
  const traces = Array.from({ length: 40 }, (_, at) => at + 1)
  await table.insert(traces.map(trace => rowAt(project, trace, trace, 1, { is_trace_head: true })))
  // Long before the roots, so that no time window contains both.
  const hits = traces.filter(trace => trace % 4 === 0)
  const more = { parent_id: spanId(1), span_name: 'hit', attributes: { env: 'staging' } }
  await table.insert(hits.map(trace => rowAt(project, trace - 1_000, trace, 2, more)))
  const conditions = [
    { field: 'span_name', operator: 'is', value: 'hit' },
    { field: 'attributes', key: 'env', operator: 'is', value: 'staging' },
  ]
  for (const condition of conditions) {
    const body = { filter: { conditions: [condition] }, windowing: { limit: 3 } }
    expect(await tracesOf(project, body)).toEqual([40, 36, 32])
    expect(await tracesOf(project, body, 12)).toEqual([40, 36, 32])
    expect(await tracesOf(project, body, 5)).toEqual([40, 36])
    const from = { ...body, windowing: { limit: 3, oldest: timeAt(3), newest: timeAt(20), order: 'ascending' } }
    expect(await tracesOf(project, from, 12)).toEqual([4, 8, 12])
    expect(await tracesOf(project, from, 4)).toEqual([4])
  }
})

test('sees rows that were changed by a lightweight update', async () => {
  const project = randomUUID()
  await table.insert([
    rowAt(project, 1, 1, 1, { is_trace_head: true }),
    rowAt(project, 2, 2, 2, { is_trace_head: true }),
  ])
  await table.command(`UPDATE spans SET tokens_cumulative_total = 42, data = '{"outputs":"new"}', is_trace_head = 0
    WHERE project_id = '${project}' AND span_id = toFixedString(unhex('${spanId(1)}'), 8)`)
  const key = 'ag.metrics.tokens.cumulative.total'
  const filter = { conditions: [{ field: 'attributes', key, operator: 'gt', value: 41 }] }
  expect(await table.run(spanQuery(project, { filter }))).toEqual([
    expect.objectContaining({ data: '{"outputs":"new"}' }),
  ])
  expect(await tracesOf(project, {})).toEqual([2])
  expect(await tracesOf(project, { filter, oldest: 0 })).toEqual([])
})

/** Reads page after page as a client does, sending back the windowing it received. */
async function readPages<T>(
  body: JsonObject,
  read: (body: JsonObject) => Promise<{ rows: T[]; windowing: JsonObject | undefined }>,
  between: (page: number) => Promise<void>,
): Promise<T[]> {
  const seen: T[] = []
  let windowing: JsonObject | undefined = body
  for (let page = 1; windowing !== undefined; page++) {
    expect(page).toBeLessThan(200)
    const result: { rows: T[]; windowing: JsonObject | undefined } = await read({ windowing })
    seen.push(...result.rows)
    // Through JSON and back.
    windowing = result.windowing && JSON.parse(JSON.stringify(result.windowing))
    await between(page)
  }
  return seen
}

async function readSpanPage(project_id: string, body: JsonObject) {
  const query = parseSpanQuery(body, 'span')
  const rows = await table.run<ReadSpan>(compileSpanQuery({ project_id, columns: COLUMNS, query }))
  const positions = rows.map(({ start_time, ...ids }): Position => ({ ...ids, time: Number(start_time) }))
  return { rows: rows.map(row => `${row.trace_id}/${row.span_id}`), windowing: nextWindowing(query, positions) }
}

async function readTracePage(project_id: string, body: JsonObject) {
  const query = parseSpanQuery(body, 'trace')
  const rows = await table.run<{ trace_id: string; sort_time: number }>(compileTraceQuery({ project_id, query }))
  const positions = rows.map(({ trace_id, sort_time }): Position => ({ trace_id, time: Number(sort_time) }))
  return { rows: rows.map(row => row.trace_id), windowing: nextWindowing(query, positions) }
}

// Few times, span ids and trace ids, so that nearly every page ends within a tie.
const someSpans = fc.uniqueArray(
  fc.record({
    micros: fc.integer({ min: 0, max: 2 }),
    trace: fc.integer({ min: 1, max: 9 }),
    span: fc.integer({ min: 1, max: 5 }),
  }),
  { minLength: 1, maxLength: 30, selector: ({ trace, span }) => `${trace}/${span}` },
)
const order = fc.constantFrom('ascending', 'descending')

test('paging visits each span once while spans arrive', async () => {
  await fc.assert(
    fc.asyncProperty(someSpans, order, fc.integer({ min: 1, max: 7 }), async (spans, order, limit) => {
      const project = randomUUID()
      const toRow = ({ micros, trace, span }: (typeof spans)[number]): SpanRow => ({
        project_id: project,
        trace_id: traceId(trace * 65_537),
        span_id: spanId(span),
        start_time: NOON + micros,
      })
      await table.insert(spans.map(toRow))
      const newer = (page: number) =>
        page > 3 ? Promise.resolve() : table.insert([rowAt(project, page, 1000 + page, page)])
      const seen = await readPages({ limit, order }, body => readSpanPage(project, body), newer)
      const expected = spans.map(span => `${toRow(span).trace_id}/${toRow(span).span_id}`)
      expect(new Set(seen).size).toBe(seen.length)
      expect(seen.filter(one => Number.parseInt(one, 16) < 1000 * 65_537 && expected.includes(one)).toSorted()).toEqual(
        expected.toSorted(),
      )
    }),
    { numRuns: sampledRuns(40) },
  )
})

test('paging visits each trace once while traces arrive', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 1, maxLength: 25 }),
      order,
      fc.integer({ min: 1, max: 7 }),
      async (times, order, limit) => {
        const project = randomUUID()
        const heads = times.map((micros, index) => ({
          ...rowAt(project, 0, index * 256, 1),
          start_time: NOON + micros,
          is_trace_head: true,
        }))
        await table.insert(heads)
        const newer = (page: number) =>
          page > 3 ? Promise.resolve() : table.insert([rowAt(project, page, 99_999 + page, 1, { is_trace_head: true })])
        const seen = await readPages({ limit, order }, body => readTracePage(project, body), newer)
        expect(new Set(seen).size).toBe(seen.length)
        const expected = heads.map(head => head.trace_id)
        expect(seen.filter(one => expected.includes(one)).toSorted()).toEqual(expected.toSorted())
      },
    ),
    { numRuns: sampledRuns(30) },
  )
})

const IS_ROOT = { field: 'parent_id', operator: 'is', value: null }

test('statements: SQL', async () => {
  const filter = {
    conditions: [
      { field: 'trace_type', value: 'invocation' },
      { field: 'span_name', operator: 'contains', value: 'x' },
    ],
  }
  const next = '00000000-0000-0005-0123-456789abcdef'
  const read = { project_id: PROJECT, columns: [sql`span_name`, sql`lower(hex(span_id)) AS span_id`] }
  const firstSpans = (conditions: JsonObject[]): Sql =>
    compileFirstSpans({ ...read, query: parseSpanQuery({ filter: { conditions }, limit: 50 }, 'span') }) as Sql
  const fewSpans = (conditions: JsonObject[]): Sql =>
    compileFewSpans({ ...read, query: parseSpanQuery({ filter: { conditions }, limit: 50 }, 'span') }) as Sql
  const rowsOf = (conditions: JsonObject[]): Sql =>
    compileRows(PROJECT, parseSpanQuery({ filter: { conditions }, limit: 50 }, 'span'))
  const statements: [string, Sql][] = [
    ['spans, all', compileSpanQuery({ ...read, query: parseSpanQuery({}, 'span') })],
    ['roots', compileSpanQuery({ ...read, query: parseSpanQuery({ filter: { conditions: [IS_ROOT] } }, 'span') })],
    ['spans by an id that few have', fewSpans([{ field: 'attributes', key: 'ag.session.id', value: 'x' }])],
    ['roots with a search term, in one pass', firstSpans([IS_ROOT, { field: 'session_id', value: 'x' }])],
    ['rows of roots, in one pass', rowsOf([IS_ROOT, { field: 'session_id', value: 'x' }])],
    ['rows of spans, in one pass', rowsOf([{ field: 'attributes', key: 'a', value: 'x' }])],
    [
      'previews of roots',
      compilePreviews(
        PROJECT,
        {
          areRoots: true,
          positions: [{ time: 1, trace_id: traceId(1), span_id: spanId(1) }],
        },
        ['a.b'],
      ),
    ],
    [
      'spans, filter, next page, sampled',
      compileSpanQuery({
        ...read,
        query: parseSpanQuery({ filter, newest: timeAt(0), next, limit: 50, rate: 0.5 }, 'span'),
      }),
    ],
    [
      'spans, oldest first',
      compileSpanQuery({ ...read, query: parseSpanQuery({ order: 'ascending', oldest: 0, next }, 'span') }),
    ],
    ['traces, all', traceQuery(PROJECT, {})],
    ['traces, filter', traceQuery(PROJECT, { filter })],
    ['traces, filter, among those that come first', traceQuery(PROJECT, { filter, windowing: { limit: 50 } }, 500)],
    ['traces, filter in a window', traceQuery(PROJECT, { filter, oldest: timeAt(0), newest: timeAt(60), next })],
    ['traces, by id', traceQuery(PROJECT, { filter: { conditions: [{ field: 'trace_id', value: traceId(1) }] } })],
    ['spans of traces', compileSpansByIds({ ...read, trace_ids: [traceId(1)] })],
    ['spans by ids', compileSpansByIds({ ...read, trace_ids: [traceId(1)], span_ids: [spanId(1)] })],
  ]
  const text = statements.map(([name, statement]) => `-- ${name}\n${printed(statement)}\n`).join('\n')
  await expect(text).toMatchFileSnapshot('../snapshots/statements.sql')
})

test('a trace id is found by the index, and pages are read by key', async () => {
  const project = randomUUID()
  await table.command(`INSERT INTO spans (project_id, start_time, trace_id, span_id, is_trace_head, data)
    SELECT '${project}', toDateTime64('2026-02-03 09:15:00', 6, 'UTC') + number, toFixedString(MD5(toString(number)), 16),
    toFixedString(substring(MD5(toString(number)), 1, 8), 8), true, '{}' FROM numbers(100000)`)
  const [found] = await table.run<{ id: string }>(
    sql`SELECT lower(hex(trace_id)) AS id FROM spans WHERE start_time = '2026-02-03 10:15:00.000000' LIMIT 1`,
  )
  const plan = async (statement: Sql) => {
    const rows = await table.run<{ explain: string }>(sql`EXPLAIN indexes = 1 ${statement}`)
    return rows.map(row => row.explain).join('\n')
  }
  const conditions = (operator: string, value: unknown) => ({
    filter: { conditions: [{ field: 'trace_id', operator, value }] },
  })
  for (const body of [conditions('is', found?.id), conditions('in', [found?.id])]) {
    const condition = compileJson(body.filter)
    for (const statement of [sql`SELECT span_id ${fromSpans(project, [condition])}`, traceQuery(project, body)]) {
      expect(await plan(statement)).toMatch(/Name: by_trace[\s\S]*Granules: [1-3]\/\d+\b/)
    }
    expect(await spansOf(project, body)).toHaveLength(1)
    expect(await tracesOf(project, body)).toHaveLength(1)
  }
  // The newest page: its keys, then its rows, in one or two of the granules.
  expect(await plan(spanQuery(project, { limit: 50 }))).toMatch(/Granules: [1-3]\/\d+\b/)
})
