import { expect, inject, test } from 'vitest'
import { call, newProject } from '../harness.ts'
import { newTraceId, otlpSpan } from '../otlp.ts'

const path = '/api/projects/current/retention'
const { apiUrl } = inject('target')

test('a project says how long its spans are kept, and changing that leaves the others alone', async () => {
  const [project, other] = [await newProject(), await newProject()]
  const put = (days: unknown) => call(apiUrl, 'PUT', path, `ApiKey ${project.apiKey}`, { days })
  expect((await project.get(path)).body).toEqual({ days: null })
  const span = otlpSpan({ traceId: newTraceId() })
  await project.store(span)
  expect(await put(30)).toMatchObject({ status: 200, body: { days: 30 } })
  expect((await project.get(path)).body).toEqual({ days: 30 })
  expect((await other.get(path)).body).toEqual({ days: null })
  expect((await project.get(`/api/spans/?trace_id=${span.traceId}`)).body.count).toBe(1)
  expect(await put(null)).toMatchObject({ status: 200, body: { days: null } })
  for (const days of [0, -1, 1.5, '7', 70_000, undefined])
    expect(await put(days)).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'days'] }] } })
})
