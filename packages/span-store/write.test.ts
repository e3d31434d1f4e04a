import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Span } from '@spanhouse/model'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Engine, openEngine } from './engine.ts'
import { migrateSpans } from './migrate.ts'
import { SpanWriter } from './write.ts'

let engine: Engine
let path: string

beforeAll(async () => {
  path = await mkdtemp(join(tmpdir(), 'spans-'))
  engine = await openEngine({ path }, { connections: 1 })
  await migrateSpans(engine, 'clickhouse/single')
})
afterAll(async () => {
  await engine.close()
  await rm(path, { recursive: true })
})

function span(id: string, parent: string | null, tokens: number): Span {
  return {
    trace_id: '0'.repeat(31) + '1',
    span_id: id.padStart(16, '0'),
    ...(parent ? { parent_id: parent.padStart(16, '0') } : {}),
    span_type: 'task',
    span_kind: 'SPAN_KIND_INTERNAL',
    span_name: `n\t\\${id}`,
    start_time: 1_700_000_000_000_000 + Number(id),
    end_time: 1_700_000_001_000_000,
    status_code: 'STATUS_CODE_OK',
    attributes: {
      ag: {
        type: {},
        data: { inputs: { q: 'a"b\\n\n' } },
        metrics: { tokens: { incremental: { total: tokens } }, costs: { incremental: { total: 0.1 } } },
      },
    },
  }
}
const project_id = '00000000-0000-0000-0000-00000000000a'

test('writes', async () => {
  const writer = new SpanWriter(engine)
  const inc = (s: Span, accepted_at = 1) => ({ project_id, user_id: project_id, accepted_at, span: s })
  const see = async () =>
    console.log(
      await engine.rows({
        text: 'select hex(span_id) s, span_name, toString(tokens_cumulative_total) t, toString(costs_cumulative_total) c, is_trace_head h, trace_type, start_time, data, hex(content_hash) from spans order by start_time',
        params: {},
      }),
    )
  console.log(await writer.write([inc(span('3', '2', 5)), inc(span('2', '1', 1))]))
  await see()
  console.log(await writer.write([inc(span('1', null, 7)), inc(span('2', '1', 1))]))
  await see()
  const again = new SpanWriter(engine)
  console.log(await again.write([inc(span('4', '2', 100)), inc(span('2', '1', 2), 5)]))
  await see()
  console.log(await again.write([inc(span('2', '1', 1), 3)]))
  await see()
  expect(1).toBe(1)
})
