import { compileRareTraces, parseAnalyticsQuery, parseSpanQuery, printSql } from '@spanhouse/query'
import { expect, test } from 'vitest'
import { SpanBatch } from './bytes/span-batch.ts'
import type { Engine } from './engine/engine.ts'
import { readAnalytics } from './read/analytics.ts'
import { readTraceHeads } from './read/row.ts'
import { makeSpan, newProject, openTestEngine } from './spans.testing.ts'
import { SpanWriter } from './write/write.ts'

async function headsOf(engine: Engine, project_id: string, body: object = {}): Promise<number[]> {
  const rows = await readTraceHeads(engine, { project_id, query: parseSpanQuery(body, 'trace') })
  return rows.map(({ trace_id }) => Number(trace_id))
}

test('a page of traces is found among the newest, and else among all', async () => {
  const { engine, close } = await openTestEngine()
  try {
    const project_id = newProject()
    const sender = { project_id, user_id: project_id, accepted_at: 1_770_000_000_000_000 }
    const spans = Array.from({ length: 40 }, (_, index) =>
      makeSpan({
        trace_id: String(index + 1).padStart(32, '0'),
        span_id: '0000000000000001',
        span_name: index % 20 === 0 ? 'rare' : 'often',
        start_time: 1_770_000_000_000_000 + index,
      }),
    )
    await new SpanWriter(engine).write(SpanBatch.of(spans.map(span => ({ ...sender, span }))))
    const byName = (value: string) =>
      headsOf(engine, project_id, {
        filter: { conditions: [{ field: 'span_name', operator: 'is', value }] },
        windowing: { limit: 2 },
      })
    expect(await byName('often')).toEqual([40, 39])
    expect(await byName('rare')).toEqual([21, 1])
  } finally {
    await close()
  }
})

test('traces by an attribute of any span are found by its term, and without it if too many spans have it', async () => {
  const { engine, close } = await openTestEngine()
  try {
    const project_id = newProject()
    const sender = { project_id, user_id: project_id, accepted_at: 1_770_000_000_000_000 }
    const spans = [1, 2, 3].flatMap(trace => {
      const trace_id = String(trace).padStart(32, '0')
      const start_time = 1_770_000_000_000_000 + trace
      const attributes = { ag: {}, ...(trace < 3 && { customer: 'ada' }) }
      const root = makeSpan({ trace_id, span_id: '0000000000000001', start_time })
      return [
        root,
        makeSpan({ trace_id, span_id: '0000000000000002', parent_id: root.span_id, start_time, attributes }),
      ]
    })
    await new SpanWriter(engine).write(SpanBatch.of(spans.map(span => ({ ...sender, span }))))
    const filter = { conditions: [{ field: 'attributes', key: 'customer', operator: 'is', value: 'ada' }] }
    const found = async () => [
      await headsOf(engine, project_id, { filter }),
      await headsOf(engine, project_id, { filter, windowing: { oldest: '2026-02-02T02:40:00.000002Z' } }),
    ]
    const rare = () => {
      const statement = compileRareTraces({ project_id, query: parseSpanQuery({ filter }, 'trace') })
      return engine.rows(printSql(statement as NonNullable<typeof statement>))
    }
    expect(await found()).toEqual([[2, 1], [2]])
    expect(await rare()).toHaveLength(2)
    await engine.command({
      text: `INSERT INTO spans (project_id, start_time, trace_id, span_id, search_terms)
        SELECT {project_id:UUID}, number, toFixedString('t', 16), toFixedString(hex(number), 8), terms
        FROM (SELECT search_terms AS terms FROM spans WHERE JSONHas(attributes, 'customer') LIMIT 1) AS one
        CROSS JOIN numbers(140000) AS many`,
      params: { project_id },
    })
    await expect(rare()).rejects.toMatchObject({ code: 'query_limit' })
    expect(await found()).toEqual([[2, 1], [2]])
  } finally {
    await close()
  }
})

test('a trace whose head was told only by an update of merged rows is found, in spite of the index', async () => {
  const { engine, close } = await openTestEngine()
  try {
    const project_id = newProject()
    const writer = new SpanWriter(engine, { rootWaitMs: 0 })
    const spans = Array.from({ length: 20_000 }, (_, index) =>
      makeSpan({
        trace_id: (1 + Math.floor(index / 10_000)).toString().padStart(32, '0'),
        span_id: (index + 1).toString(16).padStart(16, '0'),
        parent_id: 'ffffffffffffffff',
        start_time: 1_770_000_000_000_000 + index,
      }),
    )
    const sender = { project_id, user_id: project_id, accepted_at: 1_770_000_000_000_000 }
    await writer.write(SpanBatch.of(spans.map(span => ({ ...sender, span }))))
    await engine.command({ text: 'OPTIMIZE TABLE spans FINAL', params: {} })
    const heads = () => headsOf(engine, project_id)
    expect(await heads()).toEqual([])
    expect(await writer.settleRootless()).toBe(2)
    expect(await heads()).toEqual([2, 1])
    const query = parseAnalyticsQuery(
      {},
      { specs: [{ type: 'json', path: '*' }], oldest: '2026-02-01', newest: '2026-02-28' },
    )
    const { buckets } = await readAnalytics(engine, { project_id, query })
    expect([...buckets].map(({ metrics }) => metrics)).toEqual([{ 'attributes.*': { type: 'json', count: 2 } }])
  } finally {
    await close()
  }
})
