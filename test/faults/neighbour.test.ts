import { rm } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { newDataDir, type ServerProcess, startServerProcess } from '@spanhouse/server/server-process.testing.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newProject, type TestProject } from '../harness.ts'
import { newTraceId, otlpSpan, protobufOf } from '../otlp.ts'

let dataDir: string
let server: ServerProcess
beforeAll(async () => {
  dataDir = await newDataDir('neighbour')
  server = await startServerProcess({ dataDir })
})
afterAll(async () => {
  await server.stop()
  await rm(dataDir, { recursive: true, force: true })
})

const SAMPLES = 20
/** Below this, a time reflects the machine rather than the flood. */
const QUICK_MS = 500
/** `npm run bench -- neighbour` measures the ratio, which should be at most two; a busy machine increases it. */
const RATIO_MAX = 4

test('a project that floods, within its quota, hardly delays the spans of another one', async () => {
  const target = { apiUrl: server.url, receiverUrl: server.url, adminKey: server.adminKey }
  const [neighbour, flooding] = [await newProject(target), await newProject(target)]
  const quotas = { project: { spans_per_second: 2_000, requests_per_second: 50 }, keys: {} }
  expect((await flooding.send('PUT', '/api/projects/current/quotas', quotas)).status).toBe(200)
  await visibleWithin(neighbour)
  const alone = await visibleWithin(neighbour)
  const flood = new Flood(flooding)
  await flood.untilRefused()
  const beside = await visibleWithin(neighbour)
  await flood.end()
  expect(flood.refused).toBeGreaterThan(10)
  expect(beside).toBeLessThan(RATIO_MAX * Math.max(alone, QUICK_MS))
})

/** The 95th percentile of the milliseconds from an export to the query that returns its span. */
async function visibleWithin(project: TestProject): Promise<number> {
  const times: number[] = []
  for (let sample = 0; sample < SAMPLES; sample++) {
    const started = performance.now()
    await project.store(otlpSpan({ traceId: newTraceId() }))
    times.push(performance.now() - started)
  }
  return times.toSorted((one, other) => one - other)[Math.floor(SAMPLES * 0.95)] as number
}

const CONNECTIONS = 4
const SPANS = 500

/** Exports and full-text queries as fast as they are answered, refusals ignored. */
class Flood {
  refused = 0
  readonly #ending = new AbortController()
  readonly #senders: Promise<void>[]

  constructor(project: TestProject) {
    const search = {
      filtering: { conditions: [{ field: 'content', operator: 'contains', value: 'step' }] },
      windowing: { limit: 100 },
    }
    const exported = (): Promise<{ status: number }> => {
      const traceId = newTraceId()
      const body = protobufOf(...Array.from({ length: SPANS }, () => otlpSpan({ traceId }, { text: 'x'.repeat(500) })))
      return project.export(body, { 'content-type': 'application/x-protobuf' })
    }
    this.#senders = Array.from({ length: CONNECTIONS }, () => [
      this.#forever(exported),
      this.#forever(() => project.post('/api/spans/query', search)),
    ]).flat()
  }

  async untilRefused(): Promise<void> {
    while (this.refused === 0) await delay(50)
  }

  async end(): Promise<void> {
    this.#ending.abort()
    await Promise.all(this.#senders)
  }

  async #forever(send: () => Promise<{ status: number }>): Promise<void> {
    while (!this.#ending.signal.aborted) {
      const { status } = await send()
      if (status === 429) this.refused++
      // This test's own turn: the samples are taken in the same process.
      await delay(1)
    }
  }
}
