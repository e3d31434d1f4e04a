import { beforeAll, expect, inject, test } from 'vitest'
import { call, eventually, newProject, type TestProject } from '../harness.ts'
import { dashed, exportOf, newSpanId, newTraceId, otlpSpan } from '../otlp.ts'

let project: TestProject
beforeAll(async () => {
  project = await newProject()
})

const remove = (id: string, of = project) => of.send('DELETE', `/api/traces/${id}`)
const countOf = async (trace_id: string, of = project): Promise<number> =>
  (await of.get(`/api/spans/?trace_id=${trace_id}`)).body.count

test('a trace is gone from every read when the answer is there; a second time there is nothing to delete', async () => {
  const traceId = newTraceId()
  const root = otlpSpan({ traceId })
  await project.store(root, otlpSpan({ traceId, parentSpanId: root.spanId }))
  const answer = await remove(dashed(traceId))
  expect([answer.status, answer.body]).toEqual([202, { count: 1, trace_id: traceId }])
  expect((await project.get(`/api/traces/${traceId}`)).body).toEqual({ count: 0 })
  expect(await countOf(traceId)).toBe(0)
  const filtering = { conditions: [{ field: 'trace_id', operator: 'is', value: traceId }] }
  for (const path of ['/api/spans/query', '/api/traces/query'])
    expect((await project.post(path, { filtering })).body.count).toBe(0)
  const again = await remove(traceId)
  expect([again.status, again.body]).toEqual([202, { count: 0 }])
})

test('spans that are accepted and not stored yet go too, those sent afterwards stay, as do those of other projects', async () => {
  const other = await newProject()
  const traceId = newTraceId()
  const spans = Array.from({ length: 50 }, () => otlpSpan({ traceId }))
  await other.store(spans[0] as never)
  // Not waited for: they are still on their way.
  expect((await project.export(exportOf(...spans))).body.count).toBe(spans.length)
  expect((await remove(traceId)).body).toEqual({ count: 1, trace_id: traceId })
  const later = otlpSpan({ traceId, spanId: (spans[0] as { spanId: string }).spanId })
  await project.store(later)
  expect(await countOf(traceId)).toBe(1)
  expect(await countOf(traceId, other)).toBe(1)
})

// More requests at once than a project's share of calls would wait for one another, and be refused on a busy machine.
const DELETED_AT_ONCE = 8

test('many deletions at once, two of each trace', async () => {
  const ids = Array.from({ length: DELETED_AT_ONCE }, newTraceId)
  await project.store(...ids.map(traceId => otlpSpan({ traceId })))
  const answers = await Promise.all([...ids, ...ids].map(id => remove(id)))
  expect(new Set(answers.map(({ status }) => status)), answers.map(({ text }) => text).join('\n')).toEqual(
    new Set([202]),
  )
  expect(answers.filter(answer => answer.body.count === 1)).toHaveLength(ids.length)
  expect((await project.get(`/api/spans/?trace_ids=${ids.join()}`)).body.count).toBe(0)
})

test('the older path names every span that it deleted', async () => {
  const trace_id = newTraceId()
  const spans = [newSpanId(), newSpanId()].map(span_id => ({ trace_id, span_id }))
  await project.post('/api/tracing/spans/ingest', { spans })
  const answer = await project.send('DELETE', `/api/tracing/traces/${trace_id}/`)
  expect(answer.status).toBe(202)
  expect(answer.body.count).toBe(2)
  expect(new Set(answer.body.links)).toEqual(new Set(spans))
  expect((await project.send('DELETE', `/api/tracing/traces/${trace_id}`)).body).toEqual({ count: 0, links: [] })
})

test('ids that are none are refused, and so is who may not', async () => {
  const { apiUrl } = inject('target')
  for (const path of ['/api/traces/xyz', '/api/tracing/traces/0123456789abcdef']) {
    expect(await project.send('DELETE', path)).toMatchObject({ status: 400, body: { detail: expect.any(String) } })
    expect(await call(apiUrl, 'DELETE', path, undefined)).toMatchObject({ status: 401 })
  }
})

test('a deleted trace can be written again', async () => {
  const trace_id = newTraceId()
  const body = { trace: { trace_id, spans: { a: { trace_id, span_id: newSpanId() } } } }
  for (let round = 0; round < 3; round++) {
    expect((await project.post('/api/traces', body)).status).toBe(202)
    await eventually(async () => (await countOf(trace_id)) === 1)
    expect((await remove(trace_id)).body.count).toBe(1)
  }
})
