import type { JsonObject } from '@spanhouse/model'
import { type Focus, nextWindowing, parseSpanQuery, type RowOrder, type SpanQuery } from '@spanhouse/query'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SpanBatch } from '../bytes/span-batch.ts'
import { type Engine, openEngine } from '../engine/engine.ts'
import type { Settings } from '../engine/http-client.ts'
import { readTraceHeads } from '../read/row.ts'
import { readPreviews, readRowPage } from '../read/rows.ts'
import { readSpanPage } from '../read/span-page.ts'
import { readSpansByIds } from '../read/spans-by-ids.ts'
import { positionOf } from '../read/stored-span.ts'
import { makeSpan, newProject, type OpenTestCluster, openTestCluster } from '../spans.testing.ts'
import { SpanWriter } from '../write/write.ts'
import { clusterEngine } from './cluster-engine.ts'

/* Lists that each shard reads its part of, compared with those of a single server with the same spans. */

const TRACES = 60
const SPANS_PER_TRACE = 4
const START = 1_770_000_000_000_000
const project_id = newProject()

let cluster: OpenTestCluster
let single: OpenTestCluster
const opened: Engine[] = []

beforeAll(async () => {
  cluster = await openTestCluster(2)
  single = await openTestCluster(1)
  for (const [shard, { own }] of cluster.shards.entries())
    await new SpanWriter(own).write(batchOf(trace => (trace % 5 === 0) === (shard === 0)))
  await new SpanWriter((single.shards[0] as OpenTestCluster['shards'][number]).own).write(batchOf(() => true))
}, 240_000)
afterAll(async () => {
  await Promise.all(opened.map(engine => engine.close()))
  await cluster.close()
  await single.close()
})

const traceId = (trace: number): string => (trace * 65_537).toString(16).padStart(32, '0')

/** Three traces begin at a time, on different shards, and have the same ids of spans. */
function batchOf(isIn: (trace: number) => boolean): SpanBatch {
  const batch = new SpanBatch()
  for (let trace = 1; trace <= TRACES; trace++) {
    if (!isIn(trace)) continue
    for (let span = 1; span <= SPANS_PER_TRACE; span++) {
      const start_time = START + Math.floor(trace / 3) * 1_000_000 + (span > 2 ? 500 : 0)
      batch.add(
        { project_id, user_id: project_id, accepted_at: START },
        makeSpan({
          trace_id: traceId(trace),
          span_id: span.toString(16).padStart(16, '0'),
          ...(span > 1 ? { parent_id: '1'.padStart(16, '0') } : {}),
          start_time,
          end_time: start_time + (trace % 4) * 1_500,
          attributes: {
            colour: trace % 4 === 0 ? 'red' : 'blue',
            ag: {
              type: {},
              data: { outputs: 'x'.repeat(trace % 7 === 0 ? 2_000 : 20) },
              metrics: {
                tokens: { incremental: { total: trace % 6 } },
                costs: { incremental: { total: trace / 1e9 } },
              },
            },
          },
        }),
      )
    }
  }
  return batch
}

/** Engines on each shard's own tables; over all of them nothing can be read. */
function shardsOnly(settings: Settings = {}): Engine {
  const shards = cluster.cluster.servers.map(({ url }) => openEngine(url, { connections: 2, settings }))
  opened.push(...shards)
  const refuse = (): never => {
    throw new Error('read through one of the servers')
  }
  const reader = { ...cluster.engine, rows: refuse, binaryRows: refuse } as Engine
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
