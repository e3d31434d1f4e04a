import { rm } from 'node:fs/promises'
import { parseJson, parseTime } from '@spanhouse/model'
import { encodeTraces } from '@spanhouse/otlp'
import { newDataDir, type ServerProcess, startServerProcess } from '@spanhouse/server/server-process.testing.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callGrpc } from '../grpc.ts'
import { eventually, newProject, type TestProject } from '../harness.ts'
import { isSample } from '../sets/sample.ts'
import { CLIENTS } from './clients.ts'
import { allValues, outlineOf, recordedSpans, recordingOf, type SeenSpan, sumsOf } from './outline.ts'
import { USED, type Used } from './used.ts'

/**
 * The recorded runs of all clients, sent through both doors to one server and read over HTTP. The server is killed when
 * it has accepted them, and stopped and started once more after they were read; neither in a sample, where
 * `test/faults/chaos` does both.
 */
const DOORS = ['HTTP', 'gRPC'] as const
const projects = {} as Record<(typeof DOORS)[number], TestProject>

let dataDir: string
let server: ServerProcess
beforeAll(async () => {
  dataDir = await newDataDir('clients')
  server = await startServerProcess({ dataDir })
  const target = { apiUrl: server.url, receiverUrl: server.url, adminKey: server.adminKey }
  for (const door of DOORS) projects[door] = await newProject(target)
  for (const { fixture } of CLIENTS) {
    const recording = recordingOf(fixture)
    expect((await projects.HTTP.export(recording)).status).toBe(202)
    const headers = { authorization: `ApiKey ${projects.gRPC.apiKey}` }
    expect(await callGrpc(server.grpcUrl, encodeTraces(parseJson(recording)), { headers })).toMatchObject({ code: 0 })
  }
  if (isSample) return
  await server.kill()
  server = await startServerProcess({ dataDir, like: server })
})
afterAll(async () => {
  await server.stop()
  await rm(dataDir, { recursive: true, force: true })
})

describe.each(isSample ? ['sent'] : ['killed', 'stopped'])('%s', how => {
  beforeAll(async () => {
    if (how !== 'stopped') return
    await server.stop()
    server = await startServerProcess({ dataDir, like: server })
  })

  describe.each(DOORS)('sent over %s', door => {
    test.each(CLIENTS)('$fixture', async ({ fixture }) => {
      const recorded = recordedSpans(fixture)
      const spans = await eventually(() => storedSpans(projects[door], recorded))
      // The tree, types, models, members of inputs and outputs, tokens and errors, as docs/clients.md shows them.
      expect(outlineOf(fixture, spans)).toBe(outlineOf(fixture, recorded))
      for (const [index, { ag }] of spans.entries()) expect(ag.data).toEqual(recorded[index]?.ag.data)
      const { tokens, microdollars, errors, ...who } = USED[fixture] as Used
      const [prompt, completion] = tokens
      expect(sumsOf(spans)).toEqual({ prompt, completion, total: prompt + completion, microdollars, errors })
      for (const name of ['session', 'user'] as const) await expectFound(projects[door], recorded, name, who[name])
    })
  })
})

/** The spans of these ids in the same order, once all of them are stored; undefined before. */
async function storedSpans(project: TestProject, recorded: readonly SeenSpan[]): Promise<SeenSpan[] | undefined> {
  const trace_ids = [...new Set(recorded.map(span => span.trace_id))]
  const { body } = await project.get(`/api/spans/?trace_ids=${trace_ids.join()}`)
  const byId = new Map<string, any>(body.spans.map((span: any) => [span.span_id, span]))
  if (byId.size < recorded.length) return undefined
  return recorded.map(({ span_id }) => toSeen(byId.get(span_id)))
}

function toSeen(span: any): SeenSpan {
  const { ag } = span.attributes
  const { tokens, costs, errors } = ag.metrics
  const totals = {
    prompt: tokens.cumulative?.prompt ?? 0,
    completion: tokens.cumulative?.completion ?? 0,
    total: tokens.cumulative?.total ?? 0,
    errors: errors.cumulative ?? 0,
    microdollars: (costs.cumulative?.total ?? 0) * 1e6,
  }
  return { ...span, start_time: parseTime(span.start_time), ag, totals }
}

/** A filter by its session or user finds the traces that have one, and their roots show it. */
async function expectFound(
  project: TestProject,
  recorded: readonly SeenSpan[],
  name: 'session' | 'user',
  value = 'nobody',
): Promise<void> {
  const field = `${name}_id` as const
  const trace_ids = [...new Set(recorded.filter(span => span[field] === value).map(span => span.trace_id))]
  const conditions = [
    { field, operator: 'is', value },
    { field: 'trace_id', operator: 'in', value: recorded.map(span => span.trace_id) },
  ]
  const { status, text, body } = await project.post('/api/traces/query', { filtering: { conditions } })
  expect(status, text).toBe(200)
  expect(body.traces.map((trace: any) => trace.trace_id).toSorted()).toEqual(trace_ids.toSorted())
  const roots = body.traces.flatMap((trace: any) => Object.values(trace.spans).flat())
  expect(allValues(roots, field)).toEqual(trace_ids.length > 0 ? [value] : [])
}
