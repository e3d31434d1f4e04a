import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { type ServerProcess, startServerProcess } from '@spanhouse/server/server-process.testing.ts'
import { makeExport } from './exports.ts'

/** Exports whose time until they are visible is measured, in each phase of a round. */
const SAMPLES = 30
const ROUNDS = 4
const PAUSE_MS = 100
/** Some of what one core stores. */
const QUOTA = { spans_per_second: 5_000, requests_per_second: 100 }
const SEED = 40

/** What the thread that floods is given. */
export interface Flood {
  url: string
  authorization: string
}

/**
 * The time until the spans of one project are visible, alone and while another project sends exports and queries as fast
 * as it can and ignores refusals: with a quota of that project, and with nothing but fair shares. In turn, so that the
 * machine is the same for all.
 */
export async function benchNeighbour(): Promise<object> {
  const dataDir = await mkdtemp(join(tmpdir(), 'spanhouse-bench-neighbour-'))
  const server = await startServerProcess({ dataDir })
  try {
    const [neighbour, limited, unlimited] = [await newKey(server), await newKey(server), await newKey(server)]
    await send(server, limited, { method: 'PUT', path: '/projects/current/quotas', body: { project: QUOTA, keys: {} } })
    const samples = { alone: [] as number[], withQuota: [] as number[], withoutQuota: [] as number[] }
    await measure(server, neighbour, [])
    for (let round = 0; round < ROUNDS; round++) {
      await measure(server, neighbour, samples.alone)
      await duringFlood(server, limited, () => measure(server, neighbour, samples.withQuota))
      await measure(server, neighbour, samples.alone)
      await duringFlood(server, unlimited, () => measure(server, neighbour, samples.withoutQuota))
    }
    const p95 = (list: number[]): number => at(list, 0.95)
    return {
      quota: QUOTA,
      visibleWithinMs: Object.fromEntries(
        Object.entries(samples).map(([name, list]) => [name, { p50: at(list, 0.5), p95: p95(list) }]),
      ),
      ratioOfP95: {
        withQuota: ratio(p95(samples.withQuota), p95(samples.alone)),
        withoutQuota: ratio(p95(samples.withoutQuota), p95(samples.alone)),
      },
      refusedByQuota: await server.metric('spanhouse_quota_refused_total'),
      refusedByShares: await server.metric('spanhouse_share_refused_total'),
      spansWritten: await server.metric('spanhouse_spans_written_total'),
    }
  } finally {
    await server.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function duringFlood(server: ServerProcess, authorization: string, work: () => Promise<void>): Promise<void> {
  const workerData: Flood = { url: server.url, authorization }
  const flood = new Worker(new URL('./flood.ts', import.meta.url), { workerData })
  try {
    await delay(2_000)
    await work()
  } finally {
    await flood.terminate()
    while ((await server.metric('spanhouse_stream_messages')) > 0) await delay(100)
  }
}

let sent = 0

/** Sends exports one after the other, and adds the milliseconds from sending each until a query returns its span. */
async function measure(server: ServerProcess, authorization: string, times: number[]): Promise<void> {
  for (let sample = 0; sample < SAMPLES; sample++) {
    const { body, sample: span } = makeExport(SEED, sent++, Date.now())
    const started = performance.now()
    await sendExport(server, authorization, body)
    const path = `/spans/${span.trace_id}/${span.span_id}`
    while ((await send(server, authorization, { method: 'GET', path })).count !== 1) await delay(5)
    times.push(performance.now() - started)
    await delay(PAUSE_MS)
  }
}

async function sendExport({ url }: ServerProcess, authorization: string, body: Buffer): Promise<void> {
  const headers = { authorization, 'content-type': 'application/x-protobuf', 'content-encoding': 'gzip' }
  for (;;) {
    const answer = await fetch(`${url}/api/otlp/v1/traces`, { method: 'POST', headers, body: new Uint8Array(body) })
    await answer.arrayBuffer()
    if (answer.status === 202) return
    await delay(Number(answer.headers.get('retry-after') ?? 1) * 1_000)
  }
}

interface Request {
  method: 'GET' | 'POST' | 'PUT'
  path: string
  body?: object
}

/** What is used of the answers. */
interface Answered {
  count: number
  accounts: { one: { api_keys: { key: string } } }
}

async function send({ url }: ServerProcess, authorization: string, request: Request): Promise<Answered> {
  const { method, path, body } = request
  const headers = { authorization, 'content-type': 'application/json' }
  const answer = await fetch(`${url}/api${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as Answered
}

/** The credential of a project of its own. */
async function newKey(server: ServerProcess): Promise<string> {
  const accounts = { one: { user: { email: `${crypto.randomUUID()}@bench.test` } } }
  const path = '/admin/simple/accounts/'
  const made = await send(server, `Access ${server.adminKey}`, { method: 'POST', path, body: { accounts } })
  return `ApiKey ${made.accounts.one.api_keys.key}`
}

function at(list: readonly number[], part: number): number {
  const sorted = list.toSorted((one, other) => one - other)
  return Math.round(sorted[Math.floor(sorted.length * part)] as number)
}

const ratio = (one: number, other: number): number => Math.round((one / other) * 100) / 100
