import { join } from 'node:path'
import type { ServerProcess } from '@spanhouse/server/server-process.testing.ts'
import { openEngine } from '@spanhouse/span-store'
import { type RoleStart, startRole } from '../../test/sets/networked.ts'
import { type Export, makeExport, SPANS_PER_EXPORT } from '../exports.ts'
import { sendAll } from '../load.ts'
import { rounded, until } from '../measured.ts'
import { type Pausable, Throttle } from './throttle.ts'

const SEED = 11
const PARTITIONS = 8
const CONCURRENCY = 4
/** For each writer, before anything is measured. */
const WARM_UP_SPANS = 50_000
/** While the backlog is filled: enough to keep the leases, too little to get far with the work. */
const FILLING_SHARE = 0.2

/** The processes of a bench: the first makes the keys, and each has a data folder of its own. */
export class Roles {
  readonly #stores: RoleStart['stores']
  readonly #dataDir: string
  readonly #started: ServerProcess[] = []

  constructor(stores: RoleStart['stores'], dataDir: string) {
    this.#stores = stores
    this.#dataDir = dataDir
  }

  async start(role: string): Promise<ServerProcess> {
    const [like] = this.#started
    const dataDir = join(this.#dataDir, `${role}-${this.#started.length}`)
    const started = await startRole(role, { stores: this.#stores, dataDir, ...(like ? { like } : {}) })
    this.#started.push(started)
    return started
  }

  async kill(): Promise<void> {
    await Promise.all(this.#started.map(one => one.kill()))
  }
}

/** The receivers, the writers started so far, and what else is throttled with the writers. */
export class WriterSet {
  readonly writers: ServerProcess[] = []
  readonly #receivers: readonly ServerProcess[]
  readonly #others: readonly Pausable[]
  /** Spans answered with 202. */
  accepted = 0
  #exports = 0

  constructor(receivers: readonly ServerProcess[], others: readonly Pausable[] = []) {
    this.#receivers = receivers
    this.#others = others
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
    const throttled = [...this.writers, ...this.#others]
    const throttle = new Throttle(throttled)
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
      seconds: rounded(seconds),
      ranShare: rounded(ranSeconds / seconds / throttled.length),
      cpuMicrosPerSpan: rounded(((after.cpuSeconds - before.cpuSeconds) / backlog) * 1e6),
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
    return rounded((performance.now() - started) / 1000)
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

/** Throws if an accepted span is missing or stored twice on the servers at the addresses. */
export async function checkStored(urls: readonly string[], accepted: number): Promise<void> {
  const text = 'SELECT count() AS rows, uniqExact(trace_id, span_id) AS spans FROM spans'
  const stored = { rows: 0, spans: 0 }
  for (const url of urls) {
    const engine = openEngine(url, { connections: 1 })
    const [own] = await engine.rows<{ rows: string; spans: string }>({ text, params: {} }).finally(() => engine.close())
    stored.rows += Number(own?.rows)
    stored.spans += Number(own?.spans)
  }
  if (stored.rows !== accepted || stored.spans !== accepted)
    throw new Error(`${accepted} spans were accepted, stored are ${JSON.stringify(stored)}`)
}
