import type { Json, JsonObject, Span } from '@spanhouse/model'
import {
  type Aggregation,
  type AnalyticsQuery,
  aggregate,
  compileCount,
  compileGroups,
  FACETS,
  type Focus,
  GROUP_ORDERS,
  GROUPED_BY,
  int,
  nextWindowing,
  parseActivityQuery,
  parseAnalyticsQuery,
  parseSpanQuery,
  type RowOrder,
  SPEC_TYPES,
  type SpanQuery,
  sql,
} from '@spanhouse/query'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sampledRuns } from '../../../test/sets/sample.ts'
import { type Engine, openEngine } from '../engine/engine.ts'
import type { Settings } from '../engine/http-client.ts'
import { readActivity } from '../read/activity.ts'
import { readAggregates } from '../read/aggregates.ts'
import { type AnalyticsBucket, readAnalytics, readTotals } from '../read/analytics.ts'
import { readFacets } from '../read/facets.ts'
import { readTraceHeads } from '../read/row.ts'
import { readPreviews, readRowPage } from '../read/rows.ts'
import { readSpanPage } from '../read/span-page.ts'
import { readSpansByIds } from '../read/spans-by-ids.ts'
import { positionOf } from '../read/stored-span.ts'
import { newProject, type OpenTestCluster } from '../spans.testing.ts'
import { openClusterAndServer, traceId } from './cluster-and-server.testing.ts'
import { clusterEngine } from './cluster-engine.ts'

/* Lists and aggregates that each shard reads its part of, compared with those of a single server with the same spans. */

const TRACES = 60
const SPANS_PER_TRACE = 4
const START = 1_770_000_000_000_000
const project_id = newProject()

let cluster: OpenTestCluster
let single: OpenTestCluster
let closeBoth: () => Promise<void>
const opened: Engine[] = []

beforeAll(async () => {
  const both = await openClusterAndServer({
    project_id,
    traces: TRACES,
    spansPerTrace: SPANS_PER_TRACE,
    spanOf,
    shardOf: trace => (trace % 5 === 0 ? 0 : 1),
  })
  ;({ cluster, single } = both)
  closeBoth = both.close
})
afterAll(async () => {
  await Promise.all(opened.map(engine => engine.close()))
  await closeBoth()
})

/** Values of each type that is measured. */
const VALUES: readonly Json[] = [
  0.1,
  0.2,
  1e6,
  -2.5,
  3,
  3,
  'Ünï \r\n--"q"',
  'a',
  '',
  true,
  false,
  ['a', 'b'],
  ['a'],
  {},
]

/** Three traces begin at a time, on different shards, and have the same ids of spans. */
function spanOf(trace: number, span: number): Partial<Span> {
  const start_time = START + Math.floor(trace / 3) * 1_000_000 + (span > 2 ? 500 : 0)
  return {
    start_time,
    end_time: start_time + (trace % 4) * 1_500,
    session_id: trace % 9 === 0 ? '' : `session-${trace % 9}`,
    ...(span === 3 && trace % 5 === 0 ? { events: [{ name: 'exception', timestamp: start_time }] } : {}),
    attributes: {
      value: VALUES[trace % VALUES.length] as Json,
      colour: trace % 4 === 0 ? 'red' : 'blue',
      shop: { city: `city-${trace % 6}` },
      ag: {
        type: {},
        data: { outputs: 'x'.repeat(trace % 7 === 0 ? 2_000 : 20) },
        metrics: {
          tokens: { incremental: { total: trace % 6 } },
          costs: { incremental: { total: trace / 1e9 } },
        },
      },
    },
  }
}

/** Engines on each shard's own tables; over all of them nothing can be read. */
function shardsOnly(settings: Settings = {}): Engine {
  const refuse = (): never => {
    throw new Error('read through one of the servers')
  }
  return withReader({ ...cluster.engine, rows: refuse, binaryRows: refuse } as Engine, settings)
}

function withReader(reader: Engine, settings: Settings = {}): Engine {
  const shards = cluster.cluster.servers.map(({ url }) => openEngine(url, { connections: 2, settings }))
  opened.push(...shards)
  return clusterEngine({
    reader,
    members: async () => shards,
    shards: async () => shards,
    shardsOf: async () => [],
  })
}

const WINDOW = { oldest: START - 1, newest: START + 3_600_000_000 }
const ROOTS = { field: 'parent_id', operator: 'is', value: null }
const RED = { field: 'attributes', key: 'colour', operator: 'is', value: 'red' }
const NOBODY = { field: 'attributes', key: 'colour', operator: 'is', value: 'green' }
const UNHELD = { hold: () => undefined, release: () => undefined }

const queryOf = <F extends Focus>(focus: F, conditions: object[], windowing: object): SpanQuery<F> =>
  parseSpanQuery({ filtering: { conditions }, windowing: { ...WINDOW, ...windowing } } as JsonObject, focus)

/** The ids of all spans of a list, page by page. */
async function walk(engine: Engine, conditions: object[], windowing: object): Promise<string[]> {
  const ids: string[] = []
  for (let more: object = {}; ; ) {
    const query = queryOf('span', conditions, { ...windowing, ...more })
    const page = await readSpanPage(engine, { project_id, query })
    ids.push(...page.spans.map(span => `${span.trace_id}-${span.span_id}`))
    const next = nextWindowing(query, page.spans.map(positionOf), page.isFull)
    if (!next) return ids
    more = next
  }
}

const orders = ['ascending', 'descending'] as const

test.each(
  orders.flatMap(order =>
    [[], [ROOTS], [RED], [ROOTS, RED], [NOBODY]].map(conditions => [order, JSON.stringify(conditions)] as const),
  ),
)('pages of spans, %s, by %s', async (order, conditions) => {
  const asked = [JSON.parse(conditions), { order, limit: 23 }] as const
  const expected = await walk(single.engine, ...asked)
  expect(await walk(shardsOnly(), ...asked)).toEqual(expected)
  expect(new Set(expected).size).toBe(expected.length)
})

test('pages of spans that are shorter than asked for on a shard, since its spans are large', async () => {
  const asked = [[], { order: 'descending', limit: 40 }] as const
  const expected = await walk(single.engine, [...asked[0]], asked[1])
  expect(expected).toHaveLength(TRACES * SPANS_PER_TRACE)
  expect(await walk(shardsOnly({ max_result_bytes: 12_000 }), [...asked[0]], asked[1])).toEqual(expected)
})

test.each(
  orders.flatMap(order => [[], [RED], [ROOTS, RED]].map(conditions => [order, JSON.stringify(conditions)] as const)),
)('pages of traces, %s, by %s', async (order, conditions) => {
  for (const limit of [1, 7, 1_000]) {
    const query = queryOf('trace', JSON.parse(conditions), { order, limit })
    const heads = await readTraceHeads(shardsOnly(), { project_id, query })
    expect(heads).toEqual(await readTraceHeads(single.engine, { project_id, query }))
    expect(heads).not.toEqual([])
  }
})

test.each(
  (['time', 'duration', 'tokens', 'costs'] as RowOrder[]).flatMap(order =>
    (['span', 'trace'] as const).map(focus => [focus, order] as const),
  ),
)('rows of a list of each %s by %s, page by page', async (focus, order_by) => {
  const pages = async (engine: Engine): Promise<object[]> => {
    const found: object[] = []
    for (let more: object = {}, after: string | undefined; ; ) {
      const query = queryOf(focus, [], { limit: focus === 'trace' ? 25 : 70, order: 'descending', ...more })
      const parsed = after === undefined ? {} : { after: afterOf(after) }
      const page = await readRowPage(engine, { project_id, query, order_by, ...parsed })
      const previews = await readPreviews(engine, { project_id, rows: page.rows, attributes: ['colour'] })
      found.push(...page.rows.map((row, place) => ({ ...row, ...previews[place] })))
      if (!page.windowing && page.after === undefined) return found
      more = page.windowing ?? {}
      after = page.after
    }
  }
  const rows = await pages(shardsOnly())
  expect(rows).toEqual(await pages(single.engine))
  expect(rows).toHaveLength(focus === 'trace' ? TRACES : TRACES * SPANS_PER_TRACE)
})

const afterOf = (text: string) => {
  const [value = '', time = '', trace_id = '', span_id = ''] = text.split('_')
  return { value, time: Number(time), trace_id, span_id }
}

test('the spans of several traces, in the order of their start', async () => {
  const ids = { project_id, trace_ids: [5, 6, 7, 8, 10, TRACES + 1].map(traceId) }
  const spans = await readSpansByIds(shardsOnly(), ids, UNHELD)
  expect(spans.map(positionOf)).toEqual((await readSpansByIds(single.engine, ids, UNHELD)).map(positionOf))
  expect(spans).toHaveLength(5 * SPANS_PER_TRACE)
})

const window = fc.record(
  {
    oldest: fc.integer({ min: -3, max: 12 }).map(seconds => START + seconds * 1_000_000),
    newest: fc.integer({ min: 4, max: 25 }).map(seconds => START + seconds * 1_000_000),
  },
  { requiredKeys: ['oldest', 'newest'] },
)
const conditions = fc.constantFrom<object[]>([], [ROOTS], [RED], [NOBODY])
const focus = fc.constantFrom('span' as const, 'trace' as const)
const list = fc
  .record({ window, conditions, focus })
  .map(({ window, conditions, focus }) => queryOf(focus, conditions, window))
const buckets = fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined })
const spec = fc.record(
  {
    type: fc.constantFrom(...SPEC_TYPES),
    path: fc.constantFrom('attributes.value', 'attributes.ag.metrics.costs.cumulative.total', 'attributes.colour'),
    bins: fc.integer({ min: 1, max: 9 }),
    vmin: fc.integer({ min: -2, max: 0 }),
    vmax: fc.integer({ min: 0, max: 4 }),
    edge: fc.boolean(),
  },
  { requiredKeys: ['type', 'path'] },
)
const analytics = fc
  .record({ window, conditions, focus, specs: fc.array(spec, { maxLength: 6 }), hasParts: fc.boolean() })
  .map(({ window, conditions, focus, specs, hasParts }) =>
    parseAnalyticsQuery(
      {},
      {
        formatting: { focus },
        windowing: { ...window, ...(hasParts && { interval: 1 }) },
        filtering: { conditions },
        specs,
      },
    ),
  )

/** Questions that are answered by aggregates, each with a way to ask it. */
const AGGREGATES: Record<string, fc.Arbitrary<(engine: Engine) => Promise<unknown[]>>> = {
  counts: fc.record({ query: list, buckets }).map(
    ({ query, buckets }) =>
      engine =>
        readAggregates(engine, compileCount(project_id, query, buckets)),
  ),
  groups: fc
    .record({
      query: list,
      by: fc.constantFrom(undefined, ...GROUPED_BY, 'shop.city', 'ag.data.outputs'),
      buckets,
      amounts: fc.constantFrom('total' as const, 'own' as const),
      order_by: fc.constantFrom(...GROUP_ORDERS),
      values: fc.integer({ min: 1, max: 20 }),
      count_min: fc.integer({ min: 1, max: 9 }),
    })
    .map(({ by, buckets, ...asked }) => {
      const groups = by === undefined ? buckets !== undefined && { buckets } : { by }
      return engine => readAggregates(engine, compileGroups(project_id, { ...asked, ...groups }))
    }),
  facets: fc
    .record({ query: list, facets: fc.subarray([...FACETS], { minLength: 1 }), limit: fc.integer({ min: 1, max: 9 }) })
    .map(asked => engine => readFacets(engine, { ...asked, project_id, among: 1_000 })),
  analytics: analytics.map(query => engine => readBuckets(engine, query)),
  totals: analytics.map(query => engine => readTotals(engine, { project_id, query })),
  activity: fc
    .record({
      window,
      realtime: fc.boolean(),
      order: fc.constantFrom(...orders),
      limit: fc.integer({ min: 1, max: 9 }),
    })
    .map(({ window, realtime, ...page }) => {
      const query = parseActivityQuery({ realtime, windowing: { ...window, ...page } })
      return engine => readActivity(engine, { project_id, actor: 'session', query })
    }),
}

test.each(Object.entries(AGGREGATES))('%s: two shards answer as one server does', async (_, question) => {
  const shards = shardsOnly()
  let found = 0
  await fc.assert(
    fc.asyncProperty(question, async ask => {
      const rows = await ask(single.engine)
      found += rows.length
      expect(await ask(shards)).toEqual(rows)
    }),
    { numRuns: sampledRuns(40) },
  )
  expect(found).toBeGreaterThan(0)
})

test('facets are counted among the newest rows of all shards', async () => {
  // So many that none is left out which begins at the same time as the last one.
  const cases = [
    ['span', 4],
    ['span', 16],
    ['span', 28],
    ['trace', 1],
    ['trace', 7],
  ] as const
  for (const [focus, among] of cases) {
    const asked = { project_id, query: queryOf(focus, [], {}), among, facets: ['status_code'] as const, limit: 9 }
    for (const engine of [single.engine, shardsOnly()])
      expect(await readFacets(engine, asked)).toEqual([
        { facet: 'status_code', value: 'STATUS_CODE_UNSET', count: among },
      ])
  }
})

const countOf = (engine: Engine): Promise<unknown[]> =>
  readAggregates(engine, compileCount(project_id, queryOf('span', [], { newest: START + 30_000_000 }), 9))

const readBuckets = async (engine: Engine, query: AnalyticsQuery): Promise<AnalyticsBucket[]> => [
  ...(await readAnalytics(engine, { project_id, query })).buckets,
]

test('as many measures as a request may have', async () => {
  const specs = Array.from({ length: 50 }, (_, index) => ({
    type: 'numeric/continuous',
    path: `attributes.${index === 7 ? 'value' : `absent-${index}`}`,
    bins: index + 1,
  }))
  const query = parseAnalyticsQuery({}, { windowing: WINDOW, specs })
  const buckets = await readBuckets(single.engine, query)
  expect(buckets[0]?.metrics).toMatchObject({ 'attributes.value': { type: 'numeric/continuous' } })
  expect(await readBuckets(shardsOnly(), query)).toEqual(buckets)
})

test.each([2, 4, 10, 100, 1_000])('facets among the %i newest spans of all shards', async among => {
  // Spans with the same start are among these or not together.
  const asked = { project_id, query: queryOf('span', [], {}), among, facets: FACETS, limit: 50 }
  const expected = await readFacets(single.engine, asked)
  expect(expected.length).toBeGreaterThan(0)
  expect(await readFacets(shardsOnly(), asked)).toEqual(expected)
})

test('without one of the shards there is no answer', async () => {
  const away = openEngine('http://127.0.0.1:9', { connections: 1 })
  opened.push(away)
  const shards = [...((await shardsOnly().shards?.()) ?? []).slice(0, 1), away]
  const partly = { ...shardsOnly(), shards: async () => shards } as Engine
  await expect(countOf(partly)).rejects.toMatchObject({ code: 'overloaded' })
})

test('states that are too large to be sent through this process are sent among the servers', async () => {
  const numbers = (count: number): Aggregation => ({
    keys: [{ name: sql`one`, value: sql`1` }],
    columns: sql`length(${aggregate(sql`groupArray`, sql`number`)}) AS found`,
    rows: sql`FROM numbers(${int(count)})`,
    order: sql``,
    settings: sql``,
  })
  // Each shard has all of these numbers, so where they are gathered can be told.
  expect(await readAggregates(shardsOnly(), numbers(1_000_000))).toEqual([{ one: 1, found: 2_000_000 }])
  expect(await readAggregates(withReader(cluster.engine), numbers(9_000_000))).toEqual([{ one: 1, found: 9_000_000 }])
  await expect(readAggregates(shardsOnly(), numbers(9_000_000))).rejects.toThrow('read through one of the servers')
})
