import { microsNow, type Span } from '@spanhouse/model'
import { parseSpanQuery } from '@spanhouse/query'
import { type Engine, SpanBatch, SpanWriter } from '@spanhouse/span-store'
import { makeSpan, newProject, openTestEngine } from '@spanhouse/span-store/spans.testing.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findTraces, type Reading, readTraces } from './whole-traces.ts'

let engine: Engine
let close: () => Promise<void>
beforeAll(async () => {
  ;({ engine, close } = await openTestEngine())
})
afterAll(() => close())

const idOf = (trace: number): string => String(trace).padStart(32, '0')
const START = 1_770_000_000_000_000
const root = (trace: number): Span =>
  makeSpan({ trace_id: idOf(trace), span_id: '0000000000000001', start_time: START + trace })
const orphan = (trace: number, span: number): Span => {
  const span_id = String(span).padStart(16, '0')
  return makeSpan({ trace_id: idOf(trace), span_id, parent_id: 'ffffffffffffffff', start_time: START + trace })
}

test('a trace without a root that has waited for one remains in lists and by its id when more of it comes', async () => {
  const project_id = newProject()
  const reading: Reading = { engine, project_id, holder: { hold: () => {}, release: () => {} } }
  const query = parseSpanQuery({ windowing: { limit: 2 } }, 'trace')
  const writer = new SpanWriter(engine, { rootWaitMs: 0 })
  const write = (accepted_at: number, ...spans: Span[]) =>
    writer.write(SpanBatch.of(spans.map(span => ({ project_id, user_id: project_id, accepted_at, span }))))
  const listed = async () => (await findTraces(reading, query)).traces.map(({ trace_id }) => Number(trace_id))
  const shown = async () => (await readTraces(reading, [idOf(3)])).length

  await write(microsNow() - 61_000_000, root(1), root(2), orphan(3, 1))
  expect(await listed()).toEqual([2, 1])
  await writer.settleRootless()
  expect([await listed(), await shown()]).toEqual([[3, 2], 1])
  await write(microsNow(), orphan(3, 2))
  expect([await listed(), await shown()]).toEqual([[3, 2], 1])
})

test('a trace whose root may be on its way is hidden', async () => {
  const project_id = newProject()
  const reading: Reading = { engine, project_id, holder: { hold: () => {}, release: () => {} } }
  const sender = { project_id, user_id: project_id }
  const writer = new SpanWriter(engine)
  await writer.write(SpanBatch.of([{ ...sender, accepted_at: microsNow(), span: orphan(1, 1) }]))
  expect(await readTraces(reading, [idOf(1)])).toEqual([])
})
