import { rm } from 'node:fs/promises'
import { newDataDir, type ServerProcess, startServerProcess } from '@spanhouse/server/server-process.testing.ts'
import { afterEach, expect, test } from 'vitest'
import { call, eventually } from '../harness.ts'
import { exportOf, newTraceId, otlpSpan } from '../otlp.ts'

let dataDir: string
let server: ServerProcess
afterEach(async () => {
  await server.kill()
  await rm(dataDir, { recursive: true, force: true })
})

const SPANS_PER_TRACE = 12
const CRASHES = 3

test('killed in the middle of a load and started again, it has every accepted span exactly once, with right totals', async () => {
  dataDir = await newDataDir('crash')
  server = await startServerProcess({ dataDir })
  const accepted = new Set<string>()
  const traces = new Set<string>()
  for (let crash = 0; crash < CRASHES; crash++) {
    const load = [1, 2, 3, 4].map(() => sendUntilDown(server, traces, accepted))
    const goal = accepted.size + 600
    await eventually(async () => accepted.size > goal)
    await server.kill()
    await Promise.all(load)
    server = await startServerProcess({ dataDir, like: server })
  }
  const key = `ApiKey ${server.apiKey}`
  const stored = await eventually(async () => {
    const ids: string[] = []
    const found: any[] = []
    for (const trace_id of traces) {
      const { body } = await call(server.url, 'GET', `/api/spans/?trace_id=${trace_id}`, key)
      for (const span of body.spans) {
        ids.push(span.trace_id + span.span_id)
        found.push(span)
      }
    }
    const known = new Set(ids)
    return [...accepted].every(id => known.has(id)) ? found : undefined
  })
  expect(new Set(stored.map(span => span.trace_id + span.span_id)).size).toBe(stored.length)
  for (const trace_id of traces) {
    const spans = stored.filter(span => span.trace_id === trace_id)
    const root = spans.find(span => !span.parent_id)
    const children = spans.filter(span => span.parent_id)
    if (!root) continue
    expect(root.attributes.ag.metrics.tokens.cumulative?.total ?? 0).toBe(children.length)
  }
})

/** Sends each trace in two exports, children first, until the server is gone. */
async function sendUntilDown(target: ServerProcess, traces: Set<string>, accepted: Set<string>): Promise<void> {
  for (;;) {
    const traceId = newTraceId()
    const root = otlpSpan({ traceId, name: 'root' })
    const children = Array.from({ length: SPANS_PER_TRACE - 1 }, () =>
      otlpSpan({ traceId, parentSpanId: root.spanId }, { 'ag.metrics.unit.tokens.total': 1, filler: 'x'.repeat(500) }),
    )
    traces.add(traceId)
    for (const spans of [children, [root]]) {
      const answer = await call(
        target.url,
        'POST',
        '/api/otlp/v1/traces',
        `ApiKey ${target.apiKey}`,
        exportOf(...spans),
      ).catch(() => undefined)
      if (answer?.status !== 202) return
      for (const link of answer.body.links) accepted.add(link.trace_id + link.span_id)
    }
  }
}
