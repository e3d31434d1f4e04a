import { AMOUNTS, type JsonObject, measureSpan, type Span, type TraceNode } from '@spanhouse/model'
import { oracle } from '@spanhouse/model/totals/oracle.testing.ts'
import { compileSpanQuery, parseSpanQuery } from '@spanhouse/query'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sampledRuns } from '../../../test/sets/sample.ts'
import { type IncomingSpan, SpanBatch } from '../bytes/span-batch.ts'
import type { Engine, Statement } from '../engine/engine.ts'
import { SPAN_COLUMNS } from '../read/row.ts'
import { readSpans } from '../read/stored-span.ts'
import { makeSpan, newProject, type OpenTestCluster, openTestCluster, openTestEngine } from '../spans.testing.ts'
import { SpanWriter } from './write.ts'

let engine: Engine
let close: () => Promise<void>
let cluster: OpenTestCluster

beforeAll(async () => {
  ;({ engine, close } = await openTestEngine())
  cluster = await openTestCluster(2)
})
afterAll(async () => {
  await close()
  await cluster.close()
})

const SENDER = '0d9f8e7c-1111-4222-8333-944455556666'

/** One version of a span, drawn small: few ids, so that parents, resends and cycles happen. */
interface Version {
  trace: number
  id: number
  parent: number | null
  start: number
  tokens: number
  cost: number
  claimed: number | null
  type: 'annotation' | null
  repeats?: boolean
  session?: string | null
}

const version: fc.Arbitrary<Version> = fc.record({
  trace: fc.integer({ min: 1, max: 2 }),
  id: fc.integer({ min: 1, max: 6 }),
  parent: fc.option(fc.integer({ min: 1, max: 7 }), { freq: 3 }),
  start: fc.integer({ min: 0, max: 3 }),
  tokens: fc.integer({ min: 0, max: 3 }),
  cost: fc.constantFrom(0, 0.1, 0.2, 0.00012),
  claimed: fc.option(fc.integer({ min: 1, max: 9 })),
  type: fc.constantFrom(null, null, null, 'annotation'),
  repeats: fc.boolean(),
  // The last one is longer than what other spans of its trace show.
  session: fc.constantFrom(null, null, null, 'chat-1', 'chat-2', 'long'.repeat(60)),
})

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0')

function spanOf({ trace, id, parent, start, tokens, cost, claimed, type, repeats, session }: Version): Span {
  const metrics: JsonObject = { duration: {}, errors: {}, tokens: {}, costs: {} }
  if (tokens > 0) metrics.tokens = { incremental: { prompt: tokens, total: tokens } }
  if (claimed !== null) metrics.tokens = { ...(metrics.tokens as JsonObject), cumulative: { total: claimed } }
  if (cost > 0) metrics.costs = { incremental: { total: cost } }
  return makeSpan({
    trace_id: hex(trace, 32),
    span_id: hex(id, 16),
    ...(parent === null ? {} : { parent_id: hex(parent, 16) }),
    start_time: 1_770_000_000_000_000 + start,
    ...(type ? { declared_trace_type: type, is_trace_type_explicit: true } : {}),
    ...(repeats ? { repeats_usage: true } : {}),
    ...(session ? { session_id: session } : {}),
    attributes: {
      ag: {
        type: {},
        data: { inputs: { q: 'say "\\n"\n\tor \u0000' } },
        metrics,
        ...(session ? { session: { id: session } } : {}),
      },
    },
  })
}

/** How the versions travel: which of them again, in which order, cut into which batches, with restarts in between. */
interface Journey {
  versions: Version[]
  repeats: number[]
  shuffle: number[]
  batch: number
  restartEvery: number
}
const journey: fc.Arbitrary<Journey> = fc.record({
  versions: fc.array(version, { minLength: 1, maxLength: 10 }),
  repeats: fc.array(fc.nat(), { maxLength: 6 }),
  shuffle: fc.array(fc.nat(), { minLength: 16, maxLength: 16 }),
  batch: fc.integer({ min: 1, max: 6 }),
  restartEvery: fc.integer({ min: 1, max: 3 }),
})

/** What a journey sends, and the order in which it arrives. */
function routeOf({ versions, repeats, shuffle }: Journey, project_id: string) {
  const sent = versions.map(
    (one, index): IncomingSpan => ({ project_id, user_id: SENDER, accepted_at: index + 1, span: spanOf(one) }),
  )
  const travelling = [...sent, ...repeats.map(at => sent[at % sent.length] as IncomingSpan)]
    .map((incoming, at) => ({ incoming, rank: shuffle[at % shuffle.length] as number }))
    .sort((one, other) => one.rank - other.rank)
    .map(({ incoming }) => incoming)
  return { sent, travelling }
}

test('whatever way spans come, each is stored once and every total is that of the oracle', async () => {
  await fc.assert(
    fc.asyncProperty(journey, async journey => {
      const project_id = newProject()
      const { sent, travelling } = routeOf(journey, project_id)
      let writer = new SpanWriter(engine, { memorySpansMax: 5 })
      for (let at = 0, turn = 1; at < travelling.length; at += journey.batch, turn++) {
        await writer.write(SpanBatch.of(travelling.slice(at, at + journey.batch)))
        if (turn % journey.restartEvery === 0) writer = new SpanWriter(engine)
      }
      expect(await stored(project_id)).toEqual(expected(sent))
    }),
    { numRuns: sampledRuns(80) },
  )
})

test('while shards are added, each trace stays on the shard that has it, and the cluster shows each span once', async () => {
  const [first, second] = cluster.shards.map(({ own }) => own) as [Engine, Engine]
  const routes = [
    [first, second],
    [second, first],
  ] as const
  await fc.assert(
    fc.asyncProperty(journey, fc.nat({ max: 1 }), async (journey, from) => {
      const project_id = newProject()
      const { sent, travelling } = routeOf(journey, project_id)
      for (let at = 0, turn = 0; at < travelling.length; at += journey.batch, turn++) {
        const route = routes[from] as readonly Engine[]
        // The second shard of the route is added after the first batch.
        const writer = new SpanWriter(turn > 0 ? route : route.slice(0, 1))
        if (turn % journey.restartEvery === 0) await writer.recover()
        await writer.write(SpanBatch.of(travelling.slice(at, at + journey.batch)))
      }
      expect(await stored(project_id, cluster.engine)).toEqual(expected(sent))
      const perShard = await Promise.all([first, second].map(shard => stored(project_id, shard)))
      const traces = perShard.map(rows => [...new Set(rows.map(({ trace_id }) => trace_id))])
      expect(traces.flat()).toHaveLength(new Set(traces.flat()).size)
    }),
    { numRuns: sampledRuns(25) },
  )
})

test('a write that failed half-way is finished by writing it again', async () => {
  const project_id = newProject()
  const spans = [1, 2, 3].map(id => incomingOf(project_id, id, id === 1 ? null : id - 1))
  for (const failAt of ['command', 'insert'] as const) {
    const writer = new SpanWriter(failing(engine, failAt))
    await new SpanWriter(engine).write(SpanBatch.of([spans[1] as IncomingSpan]))
    await writer.write(SpanBatch.of(spans)).catch(error => expect(error.message).toBe('cut off'))
    await writer.write(SpanBatch.of(spans))
  }
  expect(await stored(project_id)).toEqual(expected(spans))
})

test('a trace without a root gets its earliest span as head after the wait, and gives it up when the root comes', async () => {
  const project_id = newProject()
  const writer = new SpanWriter(engine, { rootWaitMs: 0 })
  const [root, child, grandchild] = [null, 1, 2].map((parent, index) => incomingOf(project_id, index + 1, parent))
  await writer.write(SpanBatch.of([child as IncomingSpan, grandchild as IncomingSpan]))
  expect(await heads(project_id)).toEqual([])
  expect(await writer.settleRootless()).toBe(1)
  expect(await heads(project_id)).toEqual([hex(2, 16)])
  await new SpanWriter(engine).write(SpanBatch.of([root as IncomingSpan]))
  expect(await heads(project_id)).toEqual([hex(1, 16)])
})

test('of any number of traces without a root, each that has waited gets its head', async () => {
  const project_id = newProject()
  const writer = new SpanWriter(engine, { rootWaitMs: 0 })
  const spans = Array.from({ length: 2_500 }, (_, index) => incomingOf(project_id, index + 2, 1))
  const apart = spans.map(({ span, ...sender }, index) => ({
    ...sender,
    span: { ...span, trace_id: hex(index + 1, 32) },
  }))
  await writer.write(SpanBatch.of(apart))
  expect(await writer.settleRootless()).toBe(2_500)
  expect(await writer.settleRootless()).toBe(0)
  expect(await heads(project_id)).toHaveLength(2_500)
})

test('a writer that starts anew knows the traces that still wait for a root', async () => {
  const project_id = newProject()
  await new SpanWriter(engine).write(SpanBatch.of([incomingOf(project_id, 2, 1)]))
  const next = new SpanWriter(engine, { rootWaitMs: 0 })
  await next.recover()
  await next.settleRootless()
  expect(await heads(project_id)).toEqual([hex(2, 16)])
})

test('a writer that starts anew goes on with a trace of 150,000 spans', async () => {
  const project_id = newProject()
  const [size, perBatch] = [150_000, 10_000]
  const batchFrom = (from: number, length: number): SpanBatch =>
    SpanBatch.of(Array.from({ length }, (_, at) => incomingOf(project_id, from + at, from + at === 1 ? null : 1)))
  const first = new SpanWriter(engine)
  for (let from = 1; from < size; from += perBatch) await first.write(batchFrom(from, perBatch))
  // One that is stored already, and a new one.
  const result = await new SpanWriter(engine).write(batchFrom(size, 2))
  expect(result).toMatchObject({ known: 1, inserted: 1, updated: 1 })
  const [root] = await engine.rows({
    text: `SELECT toInt64(tokens_cumulative_total) AS tokens FROM spans WHERE project_id = {project_id:UUID} AND is_root`,
    params: { project_id },
  })
  expect(root).toEqual({ tokens: ((size + 1) * (size + 2)) / 2 })
})

test('a row changed in place is the row that an insert of the same span makes', async () => {
  const span = makeSpan({
    trace_id: hex(5, 32),
    span_id: hex(6, 16),
    parent_id: hex(0x7f5c27ff, 16),
    end_time: 1_770_000_000_000_007,
    declared_trace_type: 'annotation',
    is_trace_type_explicit: true,
    span_type: 'rerank',
    span_kind: 'SPAN_KIND_CONSUMER',
    span_name: "it's \\ a\tname\n{keys:String}",
    status_code: 'STATUS_CODE_ERROR',
    status_message: 'é😀\u0000',
    session_id: 's',
    user_id: 'u',
    agent_id: 'a',
    events: [{ name: 'e', timestamp: 3 }],
    links: [{ trace_id: hex(9, 32), span_id: hex(9, 16) }],
    references: [{ slug: 'bot', attributes: { key: 'application' } }],
    hashes: [{ id: SENDER, attributes: {} }],
    attributes: {
      ag: { type: {}, data: { outputs: 'x'.repeat(200_000) }, metrics: { costs: { incremental: { total: 0.00012 } } } },
    },
  })
  const [changed, fresh] = [newProject(), newProject()]
  const first = { ...span, span_name: 'first', attributes: makeSpan(span).attributes }
  const writer = new SpanWriter(engine)
  await writer.write(SpanBatch.of([{ project_id: changed, user_id: SENDER, accepted_at: 1, span: first }]))
  await writer.write(SpanBatch.of([{ project_id: changed, user_id: SENDER, accepted_at: 2, span }]))
  await writer.write(SpanBatch.of([{ project_id: fresh, user_id: SENDER, accepted_at: 2, span }]))
  const rows = await rowsOf(changed, fresh)
  expect(rows).toHaveLength(2)
  expect(rows[0]).toEqual(rows[1])
  // Two at once, with different values in all columns.
  const other = makeSpan({ trace_id: hex(5, 32), span_id: hex(7, 16), end_time: span.end_time + 5 })
  const swapped = [
    { ...span, span_id: other.span_id },
    { ...other, span_id: span.span_id },
  ]
  const [both, anew] = [newProject(), newProject()]
  await writer.write(SpanBatch.of([span, other].map(one => ({ ...sentBy(both, 1), span: one }))))
  await writer.write(SpanBatch.of(swapped.map(one => ({ ...sentBy(both, 2), span: one }))))
  await writer.write(SpanBatch.of(swapped.map(one => ({ ...sentBy(anew, 2), span: one }))))
  const [one, another, ...more] = await rowsOf(both)
  expect([one, another]).toEqual(await rowsOf(anew))
  expect(one).not.toEqual({ ...another, span_id: one?.span_id })
  expect(more).toEqual([])
})

const sentBy = (project_id: string, accepted_at: number) => ({ project_id, user_id: SENDER, accepted_at })

/** All of the rows but what tells when a version was stored, by span. */
const rowsOf = (...projects: string[]): Promise<{ span_id: string }[]> =>
  engine.rows({
    text: `SELECT * EXCEPT (project_id, created_at, updated_at, updated_by_id) FROM spans
      WHERE project_id IN (SELECT arrayJoin({projects:Array(UUID)})) ORDER BY span_id`,
    params: { projects },
  })

test('ids that end in zeros are known again', async () => {
  const project_id = newProject()
  const span = makeSpan({ trace_id: 'ab'.padEnd(32, '0'), span_id: 'cd'.padEnd(16, '0') })
  const incoming = { project_id, user_id: SENDER, accepted_at: 1, span }
  expect(await new SpanWriter(engine).write(SpanBatch.of([incoming]))).toMatchObject({ inserted: 1 })
  expect(await new SpanWriter(engine).write(SpanBatch.of([incoming]))).toMatchObject({ known: 1 })
  const changed = { ...incoming, accepted_at: 2, span: { ...span, span_name: 'renamed' } }
  expect(await new SpanWriter(engine).write(SpanBatch.of([changed]))).toMatchObject({ replaced: 1 })
  expect(await read(project_id)).toHaveLength(1)
})

test('a later version replaces the earlier one and says so', async () => {
  const project_id = newProject()
  const writer = new SpanWriter(engine)
  const first = incomingOf(project_id, 1, null)
  expect(await writer.write(SpanBatch.of([first]))).toMatchObject({ inserted: 1 })
  const [before] = await read(project_id)
  const second = { ...first, accepted_at: 2, span: { ...first.span, span_name: 'renamed' } }
  expect(await writer.write(SpanBatch.of([second]))).toMatchObject({ replaced: 1 })
  expect(await writer.write(SpanBatch.of([first, second]))).toMatchObject({ known: 2 })
  const [after, ...more] = await read(project_id)
  expect(more).toEqual([])
  expect(after).toMatchObject({ span_name: 'renamed', created_at: before?.created_at, updated_by_id: SENDER })
  expect(before).not.toHaveProperty('updated_at')
})

test('a row gives back the span it was made from', async () => {
  const project_id = newProject()
  const attributes = {
    ag: {
      type: { span: 'chat' },
      data: {
        inputs: { text: 'tab\t line\n nul\u0000 back\\slash "quote" é😀 \ud800' },
        outputs: [1, null, { a: [] }],
      },
      metrics: { duration: {}, errors: { incremental: 1 }, tokens: { incremental: { cached: 2 } }, costs: {} },
      tags: { a: 'b' },
    },
    'gen_ai.x': { deep: [[{}]] },
  }
  const span = makeSpan({
    trace_id: hex(1, 32),
    span_id: hex(1, 16),
    span_name: 'tab\tand\nline\\N',
    status_message: "it's \\x41",
    session_id: 's-1',
    references: [{ slug: 'bot', attributes: { key: 'application' } }],
    links: [{ trace_id: hex(9, 32), span_id: hex(9, 16), attributes: { key: 'k' } }],
    events: [{ name: 'exception', timestamp: 1_770_000_000_000_001, attributes: { 'exception.type': 'E' } }],
    hashes: [{ id: SENDER, attributes: { key: 'indirect' } }],
    attributes,
  })
  await new SpanWriter(engine).write(SpanBatch.of([{ project_id, user_id: SENDER, accepted_at: 1, span }]))
  const [back] = await read(project_id)
  const { duration, ...metrics } = attributes.ag.metrics
  expect(back).toMatchObject({
    span_name: 'tab\tand\nline\\N',
    status_message: "it's \\x41",
    session_id: 's-1',
    start_time: '2026-02-02T02:40:00Z',
    references: span.references,
    links: span.links,
    hashes: span.hashes,
    events: [{ name: 'exception', timestamp: '2026-02-02T02:40:00.000001Z', attributes: { 'exception.type': 'E' } }],
    attributes: {
      'gen_ai.x': { deep: [[{}]] },
      ag: {
        ...attributes.ag,
        // Half a surrogate pair is no character: the engine could not read anything of a document with one.
        data: JSON.parse(JSON.stringify(attributes.ag.data).replace('\\ud800', '\ufffd')),
        type: { span: 'chat', trace: 'invocation' },
        metrics: { ...metrics, duration: { cumulative: 1000 }, errors: { incremental: 1, cumulative: 1 } },
      },
    },
  })
})

const incomingOf = (project_id: string, id: number, parent: number | null): IncomingSpan => ({
  project_id,
  user_id: SENDER,
  accepted_at: 1,
  span: spanOf({ trace: 1, id, parent, start: id, tokens: id, cost: 0.1, claimed: null, type: null }),
})

/** An engine whose first statement of that kind is cut off. */
function failing(inner: Engine, kind: 'command' | 'insert'): Engine {
  let left = 1
  const once = <T>(go: () => Promise<T>): Promise<T> => (left-- > 0 ? Promise.reject(new Error('cut off')) : go())
  return {
    rows: statement => inner.rows(statement),
    binaryRows: (statement, read) => inner.binaryRows(statement, read),
    table: (...args) => inner.table(...args),
    command: statement => (kind === 'command' ? once(() => inner.command(statement)) : inner.command(statement)),
    insert: (...args) => (kind === 'insert' ? once(() => inner.insert(...args)) : inner.insert(...args)),
    endWrites: () => inner.endWrites(),
    close: () => inner.close(),
  }
}

const bySpan = (text: string, project_id: string): Statement => ({
  text: `SELECT ${text} FROM spans AS s WHERE s.project_id = {project_id:UUID} ORDER BY s.trace_id, s.span_id`,
  params: { project_id },
})

const read = async (project_id: string) => {
  const statement = compileSpanQuery({ project_id, columns: SPAN_COLUMNS, query: parseSpanQuery({}, 'span') })
  return (await readSpans(engine, statement)).map(span => span.toJSON())
}

const heads = async (project_id: string): Promise<string[]> => {
  const rows = await engine.rows<{ id: string; head: boolean }>(
    bySpan('lower(hex(s.span_id)) AS id, s.is_trace_head AS head', project_id),
  )
  return rows.filter(row => row.head).map(row => row.id)
}

/** Every stored row's derived values, as text. */
const stored = (project_id: string, from: Engine = engine) =>
  from.rows<{ trace_id: string }>(
    bySpan(
      `lower(hex(s.trace_id)) AS trace_id, lower(hex(s.span_id)) AS span_id, s.trace_type AS trace_type,
       s.is_trace_head AS is_trace_head, toString(s.tokens_incremental_total) AS own,
       toString(s.tokens_cumulative_total) AS tokens, toString(s.costs_cumulative_total) AS costs,
       s.session_id AS session_id`,
      project_id,
    ),
  )

function expected(sent: readonly IncomingSpan[]) {
  const latest = new Map(sent.map(({ span }) => [span.trace_id + span.span_id, span]))
  const spans = [...latest.values()].sort((a, b) => (a.trace_id + a.span_id < b.trace_id + b.span_id ? -1 : 1))
  const totals = new Map(
    [...new Set(spans.map(span => span.trace_id))].map(trace_id => [
      trace_id,
      oracle(spans.filter(span => span.trace_id === trace_id).map(measureSpan) as TraceNode[]),
    ]),
  )
  return spans.map(span => {
    const derived = totals.get(span.trace_id)?.get(span.span_id)
    return {
      trace_id: span.trace_id,
      span_id: span.span_id,
      trace_type: derived?.trace_type,
      is_trace_head: derived?.is_trace_head,
      own: decimal(measureSpan(span).own[TOKENS], 3),
      tokens: decimal(derived?.cumulative[TOKENS], 3),
      costs: decimal(derived?.cumulative[COSTS], 15),
      session_id: derived?.session_id ?? span.session_id,
    }
  })
}

const at = (metric: string): number => AMOUNTS.findIndex(one => one.metric === metric && one.key === 'total')
const TOKENS = at('tokens')
const COSTS = at('costs')

/** As ClickHouse prints a decimal: without trailing zeros. */
function decimal(amount: bigint | undefined, decimals: number): string {
  const digits = String(amount ?? 0n).padStart(decimals + 1, '0')
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`.replace(/\.?0+$/, '')
}
