import { randomUUID } from 'node:crypto'
import type { JsonObject, Span } from '@spanhouse/model'
import {
  bucketsOf,
  candidatesOf,
  compileActivityQuery,
  compileAggregation,
  compileAnalytics,
  compileCount,
  compileFewSpans,
  compileHeadsByIds,
  compileRows,
  compileSpanQuery,
  compileSpansByIds,
  compileTotals,
  compileTraceQuery,
  parseActivityQuery,
  parseAnalyticsQuery,
  parseSpanQuery,
  printSql,
  type Sql,
  sql,
} from '@spanhouse/query'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Engine, openEngine } from '../engine/engine.ts'
import { readSpansByIds } from '../read/spans-by-ids.ts'
import { newProject, type OpenTestCluster } from '../spans.testing.ts'
import { openClusterAndServer, traceId } from './cluster-and-server.testing.ts'
import { clusterEngine, openClusterReader } from './cluster-engine.ts'

/*
 * What shards send to the server that answers, from the shards' own logs. The same spans are on a single server, whose
 * answers are compared.
 */

const TRACES = 400
const SPANS_PER_TRACE = 5
const START = 1_770_000_000_000_000
const project_id = newProject()

let cluster: OpenTestCluster
let single: OpenTestCluster
let closeBoth: () => Promise<void>
/** Reads the cluster through its first server. */
let reader: Engine
let other: Engine

beforeAll(async () => {
  const both = await openClusterAndServer(
    { project_id, traces: TRACES, spansPerTrace: SPANS_PER_TRACE, spanOf, shardOf: trace => (trace % 2 === 0 ? 0 : 1) },
    { isLogged: true },
  )
  ;({ cluster, single } = both)
  closeBoth = both.close
  const urls = cluster.cluster.servers.map(({ url }) => url)
  reader = openClusterReader(cluster.shards, { connections: 1 })
  other = openEngine(urls[1] as string, { connections: 1 })
})
afterAll(async () => {
  await reader.close()
  await other.close()
  await closeBoth()
})

const spanOf = (trace: number, span: number): Partial<Span> => ({
  start_time: START + trace * 1_000_000 + span,
  end_time: START + trace * 1_000_000 + span * 7_000,
  session_id: `s-${trace % 7}`,
  attributes: {
    colour: trace % 10 === 0 ? 'red' : 'blue',
    ag: { type: {}, data: { outputs: 'x'.repeat(500) }, metrics: { tokens: { incremental: { total: trace } } } },
  },
})

const RED = { conditions: [{ field: 'attributes', key: 'colour', operator: 'is', value: 'red' }] }
const SESSION = { conditions: [{ field: 'attributes', key: 'ag.session.id', operator: 'is', value: 's-3' }] }
const spans = (body: JsonObject) => parseSpanQuery(body, 'span')
const traces = (body: JsonObject) =>
  parseSpanQuery(body, 'trace') as ReturnType<typeof parseSpanQuery> & { focus: 'trace' }
const columns = [
  sql`lower(hex(trace_id)) AS trace, lower(hex(span_id)) AS span, attributes, data, toString(tokens_cumulative_total) AS tokens`,
]
const analytics = parseAnalyticsQuery(
  {},
  {
    windowing: { oldest: START, newest: START + 1_000_000_000, interval: 5 },
    specs: [{ type: 'numeric/continuous', path: 'attributes.ag.metrics.tokens.cumulative.total' }],
  },
)
const buckets = bucketsOf(analytics.windowing, START + 1_000_000_000)

/** For a page of spans the server that answers also reads the start times of the page, from both parts of the key. */
const PAGE_AND_TIMES = 3 * 20

/** Statements, and the rows that a shard may send for each. */
const STATEMENTS: Record<string, { statement: () => Sql | undefined; rowsMax: number }> = {
  'newest spans': {
    statement: () => compileSpanQuery({ project_id, columns, query: spans({ windowing: { limit: 20 } }) }),
    rowsMax: PAGE_AND_TIMES,
  },
  'newest roots': {
    statement: () =>
      compileSpanQuery({
        project_id,
        columns,
        query: spans({
          filtering: { conditions: [{ field: 'parent_id', operator: 'is', value: null }] },
          windowing: { limit: 20 },
        }),
      }),
    rowsMax: 2 * 20,
  },
  'spans of a session': {
    statement: () =>
      compileFewSpans({ project_id, columns, query: spans({ filtering: SESSION, windowing: { limit: 20 } }) }),
    rowsMax: 2 * 20,
  },
  'rows of roots': {
    statement: () =>
      compileRows(
        project_id,
        spans({
          filtering: { conditions: [{ field: 'parent_id', operator: 'is', value: null }] },
          windowing: { limit: 20 },
        }),
      ),
    rowsMax: 21,
  },
  'spans by an attribute': {
    statement: () =>
      compileSpanQuery({ project_id, columns, query: spans({ filtering: RED, windowing: { limit: 20 } }) }),
    rowsMax: PAGE_AND_TIMES,
  },
  'newest traces': {
    statement: () => compileTraceQuery({ project_id, query: traces({ windowing: { limit: 20 } }) }),
    rowsMax: 40,
  },
  'traces by an attribute': {
    statement: () => compileTraceQuery({ project_id, query: traces({ filtering: RED, windowing: { limit: 5 } }) }),
    rowsMax: 10,
  },
  'a trace by id': {
    statement: () => compileSpansByIds({ project_id, columns, trace_ids: [traceId(3)] }),
    rowsMax: SPANS_PER_TRACE,
  },
  'the head of a trace by id': {
    statement: () => compileHeadsByIds({ project_id, columns, trace_ids: [traceId(3)] }),
    rowsMax: 1,
  },
  'a count': { statement: () => compileAggregation(compileCount(project_id, spans({}))), rowsMax: 1 },
  'a count of traces by an attribute': {
    statement: () => compileAggregation(compileCount(project_id, traces({ filtering: RED }))),
    rowsMax: 1,
  },
  analytics: {
    statement: () =>
      compileAggregation(compileAnalytics({ project_id, query: analytics, buckets, specs: analytics.specs })),
    rowsMax: 5,
  },
  totals: {
    statement: () => compileAggregation(compileTotals({ project_id, query: analytics, buckets, focus: 'trace' })),
    rowsMax: 5,
  },
  sessions: {
    statement: () =>
      compileAggregation(compileActivityQuery(project_id, 'session', parseActivityQuery({ windowing: { limit: 3 } }))),
    rowsMax: 7,
  },
}

test.each(Object.entries(STATEMENTS))(
  '%s: the answer is that of one server, and a shard sends only what it takes',
  async (_, { statement, rowsMax }) => {
    const compiled = statement()
    if (!compiled) throw new Error('there is no such statement')
    const { text, params } = printSql(compiled)
    const comment = randomUUID()
    const marked = { text: `${text}, log_comment = '${comment}'`, params }
    const answer = await reader.rows(marked)
    expect(answer).not.toEqual([])
    expect(answer).toEqual(await (single.shards[0] as OpenTestCluster['shards'][number]).own.rows({ text, params }))
    await other.command({ text: 'SYSTEM FLUSH LOGS', params: {} })
    const logged = await other.rows<{ rows: number }>({
      text: `SELECT result_rows AS rows FROM system.query_log
           WHERE type = 'QueryFinish' AND NOT is_initial_query AND log_comment = {comment:String}`,
      params: { comment },
    })
    expect(logged.length).toBeGreaterThan(0)
    expect(logged.reduce((sum, { rows }) => sum + rows, 0)).toBeLessThanOrEqual(rowsMax)
  },
)

test('candidates of a page of traces stay on their shard', async () => {
  const query = traces({ filtering: RED, windowing: { limit: 5 } })
  expect(candidatesOf(query)).toBe(50)
})

/** The statements about spans that each shard has run since `since`, also for the other one. */
async function statementsSince(since: string): Promise<number[]> {
  const counts: number[] = []
  for (const { own } of cluster.shards) {
    await own.command({ text: 'SYSTEM FLUSH LOGS', params: {} })
    const [row] = await own.rows<{ count: number }>({
      text: `SELECT count() AS count FROM system.query_log WHERE type = 'QueryFinish' AND query_kind = 'Select'
        AND event_time_microseconds > {since:String} AND arrayExists(name -> endsWith(name, '.spans'), tables)`,
      params: { since },
    })
    counts.push(row?.count ?? 0)
  }
  return counts
}

test.each([
  { what: 'its shard', trace: 3, shards: [1, 0], statements: [0, 1] },
  { what: 'two shards it may be on, the likeliest first', trace: 4, shards: [0, 1], statements: [1, 0] },
  { what: 'all shards if it is not where it should be', trace: 4, shards: [1], statements: [1, 2] },
  { what: 'all shards if it is nowhere', trace: TRACES + 1, shards: [0], statements: [2, 1] },
])('the spans of one trace are read from $what', async ({ trace, shards, statements }) => {
  const own = cluster.shards.map(shard => shard.own)
  const engine = clusterEngine({
    reader,
    members: async () => own,
    shards: async () => undefined,
    shardsOf: async () => shards.map(shard => own[shard] as Engine),
  })
  const [{ now } = { now: '' }] = await reader.rows<{ now: string }>({ text: 'SELECT now64(6) AS now', params: {} })
  const holder = { hold: () => undefined, release: () => undefined }
  const found = await readSpansByIds(engine, { project_id, trace_ids: [traceId(trace)] }, holder)
  expect(found.length).toBe(trace > TRACES ? 0 : SPANS_PER_TRACE)
  // A server logs a statement when it has already answered it.
  await expect.poll(() => statementsSince(now)).toEqual(statements)
})
