import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { ServerProcess } from '@spanhouse/server/server-process.testing.ts'
import { openEngine } from '@spanhouse/span-store'
import type { Stores } from '../test/sets/containers.ts'
import { networkedAvailable, startRole, startStores } from '../test/sets/networked.ts'
import { type Export, makeExport, SPANS_PER_EXPORT } from './exports.ts'
import { sendAll } from './load.ts'
import { Throttle } from './throttle.ts'

const SEED = 11
/** Descending, so that all have compiled their code before only one is left. */
const WRITERS = [4, 2, 1]
const WRITERS_MAX = Math.max(...WRITERS)
const PARTITIONS = 8
const RECEIVERS = 2
const CONCURRENCY = 4
/** For each writer, before anything is measured. */
const WARM_UP_SPANS = 50_000
/** While the backlog is filled: enough to keep the leases, too little to get far with the work. */
const FILLING_SHARE = 0.2
const WAIT_MS = 180_000

/**
 * How the rate of writing grows with the number of writers, each held to an eighth of the time so that they and not the
 * machine are what limits it; see README.md. Each number of writers gets as many of the `spans` as it has a share of all writers.
 */
export async function benchWriters({ spans }: { spans: number }): Promise<object> {
  if (!networkedAvailable) throw new Error('install the packages postgresql and nats-server, or Docker')
  const spansPerWriter = Math.ceil(spans / WRITERS.reduce((sum, count) => sum + count))
  const dataDir = await mkdtemp(join(tmpdir(), 'spanhouse-bench-'))
  const stores = await startStores()
  const processes: ServerProcess[] = []
  const start = async (role: string): Promise<ServerProcess> => {
    const [like] = processes
    const dataDirOfOne = join(dataDir, `${role}-${processes.length}`)
    const started = await startRole(role, { stores, dataDir: dataDirOfOne, ...(like ? { like } : {}) })
    processes.push(started)
    return started
  }
  try {
    await start('api')
    const receivers: ServerProcess[] = []
    while (receivers.length < RECEIVERS) receivers.push(await start('receiver'))
    const set = new WriterSet(receivers)
    while (set.writers.length < WRITERS_MAX) set.writers.push(await start('writer'))
    await set.warmUp()
    const results = []
    for (const count of WRITERS) {
      while (set.writers.length > count) await set.writers.pop()?.stop()
      results.push(await set.measure(count * spansPerWriter))
      await checkStored(stores, set.accepted)
    }
    const one = results.at(-1)
    return {
      spansPerWriter,
      results: results.map(result => ({
        ...result,
        ratioToOne: round(result.queryableSpansPerSecond / (one?.queryableSpansPerSecond ?? 0)),
      })),
    }
  } finally {
    await Promise.all(processes.map(one => one.kill()))
    await stores.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** The receivers, and the writers started so far. */
class WriterSet {
  readonly writers: ServerProcess[] = []
  readonly #receivers: readonly ServerProcess[]
  /** Spans answered with 202. */
  accepted = 0
  #exports = 0

  constructor(receivers: readonly ServerProcess[]) {
    this.#receivers = receivers
  }

  async warmUp(): Promise<void> {
    await this.#untilShared()
    await this.#send(this.#makeExports(WARM_UP_SPANS * this.writers.length))
    await until(() => this.#isDrained())
  }

  async measure(spans: number) {
    const sharedAfterSeconds = await this.#untilShared()
    // Generated in advance, since that would delay the turns.
    const exports = this.#makeExports(spans)
    const { written } = await this.#figures()
    const throttle = new Throttle(this.writers)
    throttle.turnShare = FILLING_SHARE
    const acceptedSpansPerSecond = await this.#send(exports)
    const [before, ran] = [await this.#figures(), throttle.ranSeconds]
    const backlog = exports.length * SPANS_PER_EXPORT - (before.written - written)
    throttle.turnShare = 1
    const started = performance.now()
    await until(() => this.#isDrained())
    const seconds = (performance.now() - started) / 1000
    const ranSeconds = throttle.ranSeconds - ran
    await throttle.end()
    const after = await this.#figures()
    return {
      writers: this.writers.length,
      sharedAfterSeconds,
      acceptedSpansPerSecond,
      backlog,
      queryableSpansPerSecond: Math.round(backlog / seconds),
      seconds: round(seconds),
      ranShare: round(ranSeconds / seconds / this.writers.length),
      cpuMicrosPerSpan: round(((after.cpuSeconds - before.cpuSeconds) / backlog) * 1e6),
    }
  }

  /** Seconds until every writer has as many partitions as the others. */
  async #untilShared(): Promise<number> {
    const started = performance.now()
    const share = PARTITIONS / this.writers.length
    await until(async () => {
      const held = await Promise.all(this.writers.map(writer => writer.metric('spanhouse_writer_partitions')))
      return held.every(count => count === share)
    })
    return round((performance.now() - started) / 1000)
  }

  #makeExports(spans: number): Export[] {
    const count = Math.ceil(spans / SPANS_PER_EXPORT)
    const startMs = Date.now() - count * 100
    return Array.from({ length: count }, () => makeExport(SEED, this.#exports++, startMs))
  }

  /** Sends them through all receivers at once; resolves to spans accepted a second. */
  async #send(exports: readonly Export[]): Promise<number> {
    const source = exports.values()
    const sent = await Promise.all(
      this.#receivers.map(receiver => sendAll(receiver, source, { concurrency: CONCURRENCY })),
    )
    const accepted = sent.reduce((sum, { acceptedSpans }) => sum + acceptedSpans, 0)
    this.accepted += accepted
    return Math.round(accepted / Math.max(...sent.map(({ seconds }) => seconds)))
  }

  /** A message leaves the stream when its spans are stored; a receiver is asked, since the writers are suspended. */
  async #isDrained(): Promise<boolean> {
    return (await this.#receivers[0]?.metric('spanhouse_stream_messages')) === 0
  }

  async #figures(): Promise<{ written: number; cpuSeconds: number }> {
    const all = (pick: (writer: ServerProcess) => Promise<number>): Promise<number> =>
      Promise.all(this.writers.map(pick)).then(values => values.reduce((sum, value) => sum + value, 0))
    return {
      written: await all(writer => writer.metric('spanhouse_spans_written_total')),
      cpuSeconds: await all(writer => writer.cpuSeconds()),
    }
  }
}

/** Throws if an accepted span is missing or stored twice. */
async function checkStored({ CLICKHOUSE_URL: url }: Stores, accepted: number): Promise<void> {
  const engine = openEngine(url, { connections: 1 })
  try {
    const [stored] = await engine.rows<{ rows: string; spans: string }>({
      text: 'SELECT count() AS rows, uniqExact(trace_id, span_id) AS spans FROM spans',
      params: {},
    })
    if (Number(stored?.rows) !== accepted || Number(stored?.spans) !== accepted)
      throw new Error(`${accepted} spans were accepted, stored are ${JSON.stringify(stored)}`)
  } finally {
    await engine.close()
  }
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + WAIT_MS
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`nothing came of waiting ${WAIT_MS / 1000} s`)
    await delay(100)
  }
}

const round = (value: number): number => Math.round(value * 100) / 100
