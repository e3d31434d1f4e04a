import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { type ServerProcess, startServerProcess } from '@spanhouse/server/server-process.testing.ts'
import { networkedAvailable, startRole, startStores } from '../test/sets/networked.ts'
import { newApiKey, sendTo } from './api.ts'
import { makeExport } from './exports.ts'
import { quantile, rounded } from './measured.ts'

/** Exports whose time until they are visible is measured, in each phase of a round. */
const SAMPLES = 15
const ROUNDS = 3
const PAUSE_MS = 100
const SEED = 40
const FLOOD_MS = 3_000

/** What the thread that floods is given. */
export interface Flood {
  exportsUrl: string
  queriesUrl: string
  apiKey: string
}

/** Where the neighbour and the flood send, and where the spans are looked for. */
interface Target {
  receiver: ServerProcess
  api: ServerProcess
  /** All processes. */
  processes: readonly ServerProcess[]
  stop(): Promise<void>
}

/**
 * The time from the answer to an export of a project until a query returns its span: alone, and while another project
 * sends exports and queries as fast as it can and ignores refusals. In turn, so that the machine is the same for both;
 * as one process, and as a receiver, a writer and an api.
 */
export async function benchNeighbour(): Promise<object> {
  return {
    embedded: await withTarget(startEmbedded, compare),
    networked: networkedAvailable ? await withTarget(startNetworked, compare) : 'no NATS or Postgres on this machine',
  }
}

async function withTarget<T>(start: (dataDir: string) => Promise<Target>, work: (target: Target) => Promise<T>) {
  const dataDir = await mkdtemp(join(tmpdir(), 'spanhouse-bench-neighbour-'))
  try {
    const target = await start(dataDir)
    try {
      return await work(target)
    } finally {
      await target.stop()
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function startEmbedded(dataDir: string): Promise<Target> {
  const server = await startServerProcess({ dataDir })
  return { receiver: server, api: server, processes: [server], stop: async () => void (await server.stop()) }
}

async function startNetworked(dataDir: string): Promise<Target> {
  const stores = await startStores()
  const api = await startRole('api', { stores, dataDir: join(dataDir, 'api') })
  const [receiver, writer] = await Promise.all([
    startRole('receiver', { stores, dataDir: join(dataDir, 'receiver'), like: api }),
    startRole('writer', { stores, dataDir: join(dataDir, 'writer'), like: api }),
  ])
  const processes = [api, receiver, writer]
  const stop = async (): Promise<void> => {
    await Promise.all(processes.map(one => one.stop()))
    await stores.stop()
  }
  return { receiver, api, processes, stop }
}

async function compare(target: Target): Promise<object> {
  const [neighbour, flooding] = [await newApiKey(target.api), await newApiKey(target.api)]
  const samples = { alone: [] as number[], besideFlood: [] as number[] }
  await measure(target, neighbour, [])
  for (let round = 0; round < ROUNDS; round++) {
    await measure(target, neighbour, samples.alone)
    await duringFlood(target, flooding, () => measure(target, neighbour, samples.besideFlood))
  }
  const [alone, besideFlood] = [samples.alone, samples.besideFlood].map(list => ({
    p50: Math.round(quantile(list, 0.5)),
    p95: Math.round(quantile(list, 0.95)),
    max: Math.round(quantile(list, 1)),
  })) as [Figures, Figures]
  return {
    visibleWithinMs: { alone, besideFlood },
    ratio: { p50: rounded(besideFlood.p50 / alone.p50), p95: rounded(besideFlood.p95 / alone.p95) },
    exportsRefused: await sum(target, 'spanhouse_exports_refused_total'),
    sharesRefused: await sum(target, 'spanhouse_share_refused_total'),
    spansWritten: await sum(target, 'spanhouse_spans_written_total'),
  }
}

interface Figures {
  p50: number
  p95: number
  max: number
}

async function sum({ processes }: Target, metric: string): Promise<number> {
  const values = await Promise.all(processes.map(one => one.metric(metric)))
  return values.reduce((total, value) => total + value, 0)
}

async function duringFlood(target: Target, apiKey: string, work: () => Promise<void>): Promise<void> {
  const workerData: Flood = { exportsUrl: target.receiver.url, queriesUrl: target.api.url, apiKey }
  const flood = new Worker(new URL('./flood.ts', import.meta.url), { workerData })
  try {
    await delay(FLOOD_MS)
    await work()
  } finally {
    await flood.terminate()
    while ((await target.receiver.metric('spanhouse_stream_messages')) > 0) await delay(100)
  }
}

let sent = 0

/** Sends exports one after the other, and adds the milliseconds from each answer until a query returns the span. */
async function measure({ receiver, api }: Target, apiKey: string, times: number[]): Promise<void> {
  for (let sample = 0; sample < SAMPLES; sample++) {
    const { body, sample: span } = makeExport(SEED, sent++, Date.now())
    await sendExport(receiver, apiKey, body)
    const accepted = performance.now()
    const path = `/spans/${span.trace_id}/${span.span_id}`
    while ((await sendTo({ url: api.url, apiKey }, 'GET', path)).count !== 1) await delay(5)
    times.push(performance.now() - accepted)
    await delay(PAUSE_MS)
  }
}

async function sendExport({ url }: ServerProcess, apiKey: string, body: Buffer): Promise<void> {
  const authorization = `ApiKey ${apiKey}`
  const headers = { authorization, 'content-type': 'application/x-protobuf', 'content-encoding': 'gzip' }
  const answer = await fetch(`${url}/api/otlp/v1/traces`, { method: 'POST', headers, body: new Uint8Array(body) })
  if (answer.status !== 202) throw new Error(`the neighbour's export: ${answer.status} ${await answer.text()}`)
  await answer.arrayBuffer()
}
