import { expect, test } from 'vitest'
import { newProject } from '../harness.ts'
import { newTraceId, otlpSpan } from '../otlp.ts'

const DURATIONS =
  /^queue;dur=([\d.]+), engine;dur=([\d.]+), transfer;dur=([\d.]+), render;dur=([\d.]+), read;desc="(\d+) statements, (\d+) rows, (\d+) KB", total;dur=([\d.]+)$/

const timingOf = (headers: Headers): number[] =>
  DURATIONS.exec(headers.get('server-timing') ?? '')
    ?.slice(1)
    .map(Number) ?? []

test('responses to reads say where the time went, others do not', async () => {
  const project = await newProject()
  const traceId = newTraceId()
  // Of today, so that it is in the window of analytics.
  const startTimeUnixNano = `${Date.now()}000000`
  await project.store(otlpSpan({ traceId, name: 'root', startTimeUnixNano, endTimeUnixNano: startTimeUnixNano }))
  const answers = [
    await project.post('/api/spans/query', {}),
    await project.get(`/api/traces/${traceId}`),
    await project.post('/api/spans/analytics/query', {}),
  ]
  for (const { status, headers } of answers) {
    expect(status).toBe(200)
    const [queue = 0, engine = 0, transfer = 0, render = 0, statements, rows, , total] = timingOf(headers)
    expect(engine).toBeGreaterThan(0)
    expect(statements).toBeGreaterThanOrEqual(1)
    expect(rows).toBeGreaterThanOrEqual(1)
    // Each part is rounded.
    expect(queue + engine + transfer + render).toBeLessThanOrEqual((total as number) + 0.5)
  }
  expect((await project.post('/api/applications/query', {})).headers.has('server-timing')).toBe(false)
})

test('a read that is refused says how long it took', async () => {
  const project = await newProject()
  const { status, headers } = await project.get('/api/traces/nothing')
  expect(status).toBe(400)
  expect(timingOf(headers)[4]).toBe(0)
})
