import { mkdtemp, rm } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { cpuSecondsOf } from '@spanhouse/server/process-figures.testing.ts'
import type { ServerProcess } from '@spanhouse/server/server-process.testing.ts'
import { type Engine, openEngine } from '@spanhouse/span-store'
import { startClusterStores } from '../../test/sets/cluster.ts'
import { networkedAvailable, startStores } from '../../test/sets/networked.ts'
import { type Export, makeExport, SPANS_PER_EXPORT } from '../exports.ts'
import { sendAll } from '../load.ts'
import { until } from '../measured.ts'
import { Roles } from '../writers/writer-set.ts'
import { ASSUMPTIONS, PARTS, PRICES, planFor, type SpanCosts, spansPerSecondOf } from './plan.ts'
import { cpuSecondsByProgram } from './programs.ts'

const SEED = 17
const SHARDS = 2
const RATES = [10_000, 100_000, 1_000_000]
const WARM_UP_SPANS = 50_000
/** Exports that wait in the stream while its bytes are read. */
const WAITING_EXPORTS = 50
const CONCURRENCY = 8
/** The measured load, relative to the maximum that the machine accepted: no part waits for another. */
const CALM_SHARE = 0.4

/**
 * Measures what a span costs each part (roles apart, all stores over the network, calm load, merges included), and
 * computes what carries 10 thousand, 100 thousand and a million a second. The checks: the costs of the calm load
 * predict how many spans a second a saturated run stores on this machine's cores, and what a span costs each part of an
 * installation with two shards, with a writer each.
 */
export async function benchCapacity({ spans }: { spans: number }): Promise<object> {
  if (!networkedAvailable) throw new Error('install the packages postgresql and nats-server, or Docker')
  const one = await inPlace(1, async place => {
    await load(place, WARM_UP_SPANS)
    const streamBytes = await streamBytesPerSpan(place)
    const saturated = await load(place, spans)
    const calm = await load(place, spans, saturated.spansPerSecond * CALM_SHARE)
    return { saturated, calm, streamBytes, diskBytes: await diskBytesPerSpan(place.engines[0] as Engine) }
  })
  const { saturated, calm, streamBytes, diskBytes } = one
  const two = await inPlace(SHARDS, async place => {
    await load(place, WARM_UP_SPANS)
    return load(place, spans, saturated.spansPerSecond * CALM_SHARE)
  })
  const costs: SpanCosts = { cpuMicros: calm.cpuMicros, streamBytes, diskBytes }
  const check = { ...checkOf(calm, saturated), cluster: clusterCheckOf(calm, two) }
  return { costs, check, assumptions: ASSUMPTIONS, prices: PRICES, plans: plansOf(costs) }
}

/** Starts an installation with as many shards and writers, and stops it when the work is done. */
async function inPlace<T>(shards: number, work: (place: Place) => Promise<T>): Promise<T> {
  const dataDir = await mkdtemp(join(tmpdir(), 'spanhouse-capacity-'))
  const { stores, urls } = await openStores(shards)
  const engines = urls.map(url => openEngine(url, { connections: 1 }))
  const roles = new Roles(stores, dataDir)
  try {
    await roles.start('api')
    const receiver = await roles.start('receiver')
    const writers: ServerProcess[] = []
    while (writers.length < shards) writers.push(await roles.start('writer'))
    return await work({ receiver, writers, engines, exports: exportsFrom() })
  } finally {
    await Promise.all(engines.map(engine => engine.close()))
    await roles.kill()
    await stores.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function openStores(shards: number) {
  if (shards > 1) {
    const { stores, clickhouse } = await startClusterStores(shards)
    return { stores, urls: clickhouse.servers.map(({ url }) => url) }
  }
  const stores = await startStores()
  return { stores, urls: [stores.CLICKHOUSE_URL] }
}

const plansOf = (costs: SpanCosts): object[] => RATES.map(rate => planFor(costs, rate))

interface Place {
  receiver: ServerProcess
  writers: readonly ServerProcess[]
  engines: readonly Engine[]
  exports: Iterator<Export>
}

interface Load {
  /** Stored, not only accepted. */
  spansPerSecond: number
  /** Until they were stored and merged. */
  cpuMicros: SpanCosts['cpuMicros']
  /** Until they were stored, of everything that ran, this program included. */
  allCpuMicros: number
}

/** Sends spans, as fast as they are accepted or at a rate, and waits until they are stored and the parts are merged. */
async function load(place: Place, spans: number, spansPerSecond?: number): Promise<Load> {
  const { receiver, engines, exports } = place
  // Generated in advance: that takes longer than storing them.
  const made = Array.from({ length: Math.ceil(spans / SPANS_PER_EXPORT) }, () => exports.next().value as Export)
  const sent = made.length * SPANS_PER_EXPORT
  const [before, started] = [await cpuSeconds(place), performance.now()]
  const rate = spansPerSecond && { rate: spansPerSecond / SPANS_PER_EXPORT }
  await sendAll(receiver, made, { concurrency: CONCURRENCY, ...rate })
  await until(async () => (await receiver.metric('spanhouse_stream_messages')) === 0)
  const [stored, seconds] = [await cpuSeconds(place), (performance.now() - started) / 1000]
  for (const engine of engines) await until(() => isMerged(engine))
  const after = await cpuSeconds(place)
  const perSpan = (cpu: number): number => Math.round((cpu * 1e7) / sent) / 10
  const { receiver: receiverCpu, writer: writerCpu, programs } = differenceOf(after, before)
  const { nats = 0, clickhouse = 0, postgres = 0 } = programs
  const values = { receiver: receiverCpu, nats, writer: writerCpu, clickhouse, postgres }
  const cpuMicros = Object.fromEntries(Object.entries(values).map(([part, cpu]) => [part, perSpan(cpu)]))
  return {
    spansPerSecond: Math.round(sent / seconds),
    cpuMicros: cpuMicros as SpanCosts['cpuMicros'],
    allCpuMicros: perSpan(allOf(differenceOf(stored, before))),
  }
}

interface CpuSeconds {
  receiver: number
  writer: number
  /** This program. */
  sender: number
  programs: Record<string, number>
}

async function cpuSeconds({ receiver, writers }: Place): Promise<CpuSeconds> {
  const own = process.cpuUsage()
  return {
    receiver: await cpuSecondsOf(receiver.pid),
    writer: (await Promise.all(writers.map(({ pid }) => cpuSecondsOf(pid)))).reduce((sum, one) => sum + one, 0),
    sender: (own.user + own.system) / 1e6,
    programs: await cpuSecondsByProgram(process.pid),
  }
}

const differenceOf = (after: CpuSeconds, before: CpuSeconds): CpuSeconds => ({
  receiver: after.receiver - before.receiver,
  writer: after.writer - before.writer,
  sender: after.sender - before.sender,
  programs: Object.fromEntries(
    Object.entries(after.programs).map(([name, cpu]) => [name, cpu - (before.programs[name] ?? 0)]),
  ),
})

const allOf = ({ receiver, writer, sender, programs }: CpuSeconds): number =>
  receiver + writer + sender + Object.values(programs).reduce((sum, cpu) => sum + cpu, 0)

/** How well the calm run's costs predict the saturated run, in which all processes share this machine's cores. */
function checkOf(calm: Load, saturated: Load): object {
  const predicted = spansPerSecondOf(cpus().length, calm.allCpuMicros)
  const measured = saturated.spansPerSecond
  return { cores: cpus().length, predicted, measured, ratio: Math.round((measured / predicted) * 100) / 100 }
}

/**
 * What a span costs each part of a cluster, compared with the costs of a single server, by which plans multiply the
 * rate.
 */
const clusterCheckOf = (predicted: Load, measured: Load): object[] =>
  PARTS.map(part => ({
    part,
    predictedMicros: predicted.cpuMicros[part],
    measuredMicros: measured.cpuMicros[part],
    ratio: Math.round((measured.cpuMicros[part] / predicted.cpuMicros[part]) * 100) / 100,
  }))

/** With the writer suspended for a moment, shorter than its leases. */
async function streamBytesPerSpan({ receiver, writers, exports }: Place): Promise<number> {
  for (const writer of writers) writer.pause()
  try {
    const made = Array.from({ length: WAITING_EXPORTS }, () => exports.next().value as Export)
    await sendAll(receiver, made, { concurrency: CONCURRENCY })
    // The metric is read from the server at intervals.
    await until(async () => (await receiver.metric('spanhouse_stream_messages')) > 0)
    return Math.round((await receiver.metric('spanhouse_stream_bytes')) / (WAITING_EXPORTS * SPANS_PER_EXPORT))
  } finally {
    for (const writer of writers) writer.resume()
    await until(async () => (await receiver.metric('spanhouse_stream_messages')) === 0)
  }
}

async function diskBytesPerSpan(engine: Engine): Promise<number> {
  const [row] = await engine.rows<{ bytes: number }>({
    text: `SELECT toUInt32(sum(bytes_on_disk) / sum(rows)) AS bytes FROM system.parts
           WHERE active AND database = currentDatabase() AND table = 'spans'`,
    params: {},
  })
  return row?.bytes ?? 0
}

/** Whether no merge runs now or a little later. */
async function isMerged(engine: Engine): Promise<boolean> {
  const running = async (): Promise<number> => {
    const [row] = await engine.rows<{ merges: number }>({
      text: 'SELECT toUInt32(count()) AS merges FROM system.merges',
      params: {},
    })
    return row?.merges ?? 0
  }
  if ((await running()) > 0) return false
  await delay(1_000)
  return (await running()) === 0
}

function* exportsFrom(): Iterator<Export> {
  const startMs = Date.now() - 3_600_000
  for (let index = 0; ; index++) yield makeExport(SEED, index, startMs)
}
