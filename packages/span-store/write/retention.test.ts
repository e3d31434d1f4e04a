import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { eventually } from '../../../test/harness.ts'
import { type IncomingSpan, SpanBatch } from '../bytes/span-batch.ts'
import type { Engine } from '../engine/engine.ts'
import { makeSpan, newProject, openTestEngine } from '../spans.testing.ts'
import { keepFor, removeExpired, setRetention } from './retention.ts'
import { SpanWriter } from './write.ts'

let engine: Engine
let close: () => Promise<void>

beforeAll(async () => {
  ;({ engine, close } = await openTestEngine())
})
afterAll(() => close())
afterEach(() => vi.useRealTimers())

const store = (project_id: string, id: number): Promise<unknown> => {
  const [trace_id, span_id] = [String(id).padStart(32, '0'), String(id).padStart(16, '0')]
  const span = makeSpan({ trace_id, span_id })
  return new SpanWriter(engine).write(SpanBatch.of([{ project_id, user_id: project_id, accepted_at: id, span }]))
}

/** As if the span had been stored so many days ago. */
const age = (project_id: string, id: number, days: number): Promise<void> =>
  engine.command({
    text: `UPDATE spans SET created_at = now() - toIntervalDay({days:UInt16})
      WHERE project_id = {project_id:UUID} AND span_id = toFixedString(unhex({id:String}), 8)`,
    params: { project_id, days, id: String(id).padStart(16, '0') },
  })

const kept = (project_id: string): Promise<{ id: string; days: number }[]> =>
  engine.rows({
    text: `SELECT toString(toUInt64(hex(span_id))) AS id,
        if(toUnixTimestamp(expires_at) = 4294967295, 0, intDiv(toUnixTimestamp(expires_at) - toUnixTimestamp(created_at), 86400)) AS days
      FROM spans WHERE project_id = {project_id:UUID} ORDER BY id`,
    params: { project_id },
  })

test('a change of retention applies to new and to stored spans, and to no other project', async () => {
  const [project, other] = [newProject(), newProject()]
  for (const id of [1, 2]) await store(project, id)
  await store(other, 1)
  await age(project, 1, 40)
  await age(other, 1, 40)
  expect(await kept(project)).toEqual([
    { id: '1', days: 0 },
    { id: '2', days: 0 },
  ])
  await setRetention(engine, project, 30)
  await store(project, 3)
  expect(await kept(project)).toEqual([
    { id: '2', days: 30 },
    { id: '3', days: 30 },
  ])
  await setRetention(engine, project, 7)
  expect(await kept(project)).toEqual([
    { id: '2', days: 7 },
    { id: '3', days: 7 },
  ])
  await age(project, 2, 8)
  await setRetention(engine, project, null)
  await removeExpired(engine)
  expect(await kept(project)).toEqual([
    { id: '2', days: 0 },
    { id: '3', days: 0 },
  ])
  expect(await kept(other)).toEqual([{ id: '1', days: 0 }])
})

const expire = (project_id: string): Promise<void> =>
  engine.command({
    text: 'UPDATE spans SET expires_at = now() - 1 WHERE project_id = {project_id:UUID}',
    params: { project_id },
  })

const incoming = (project_id: string, id: number, parent?: number): IncomingSpan => {
  const [span_id, parent_id] = [id, parent].map(one => one && String(one).padStart(16, '0'))
  const span = makeSpan({ trace_id: '7'.repeat(32), span_id: span_id as string, ...(parent_id && { parent_id }) })
  return { project_id, user_id: project_id, accepted_at: id, span }
}

test('a span that has expired is new when it comes again, also to a writer that has its trace in memory', async () => {
  const project = newProject()
  const writer = new SpanWriter(engine)
  const spans = [incoming(project, 1), incoming(project, 2, 1)]
  expect(await writer.write(SpanBatch.of(spans))).toMatchObject({ inserted: 2 })
  await expire(project)
  await removeExpired(engine)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 86_400_000 })
  expect(await writer.write(SpanBatch.of(spans))).toMatchObject({ inserted: 2 })
  expect(await writer.write(SpanBatch.of(spans))).toMatchObject({ known: 2 })
  expect((await kept(project)).map(({ id }) => id)).toEqual(['1', '2'])
})

test('a span that has expired and is not deleted yet is deleted before it is stored again', async () => {
  const project = newProject()
  const spans = [incoming(project, 1), incoming(project, 2, 1)]
  await new SpanWriter(engine).write(SpanBatch.of(spans))
  await expire(project)
  expect(await new SpanWriter(engine).write(SpanBatch.of(spans.slice(0, 1)))).toMatchObject({ inserted: 1 })
  expect(await kept(project)).toEqual([{ id: '1', days: 0 }])
})

test('a late span of a trace that has expired stands for it', async () => {
  const project = newProject()
  const writer = new SpanWriter(engine, { rootWaitMs: 0 })
  await writer.write(SpanBatch.of([incoming(project, 1)]))
  await expire(project)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 86_400_000 })
  await writer.write(SpanBatch.of([incoming(project, 2, 1)]))
  vi.setSystemTime(Date.now() + 1_000)
  await writer.settleRootless()
  const heads = 'SELECT toUInt64(hex(span_id)) AS id, is_trace_head FROM spans WHERE project_id = {project:UUID}'
  expect(await engine.rows({ text: heads, params: { project } })).toEqual([{ id: 2, is_trace_head: true }])
})

test('spans that are kept for longer than was known when they were written outlive the merges of that time', async () => {
  const project = newProject()
  await keepFor(engine, project, 1)
  await engine.command({
    text: `INSERT INTO spans (project_id, start_time, trace_id, span_id, created_at)
      SELECT {project:UUID}, 0, toFixedString('t', 16), toFixedString(hex(number + 1), 8), now() - 86400 + 3 FROM numbers(9)`,
    params: { project },
  })
  await setRetention(engine, project, null)
  const isOver = 'SELECT min(created_at) < now() - 86400 AS isOver FROM spans WHERE project_id = {project:UUID}'
  await eventually(async () => (await engine.rows<{ isOver: 0 | 1 }>({ text: isOver, params: { project } }))[0]?.isOver)
  await engine.command({ text: 'OPTIMIZE TABLE spans FINAL', params: {} })
  expect(await kept(project)).toHaveLength(9)
})

test.each([0, -1, 1.5, 70_000])('%s days are refused', async days => {
  await expect(setRetention(engine, newProject(), days)).rejects.toThrow('cannot be kept')
})
