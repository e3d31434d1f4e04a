import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { ServerProcess } from '@spanhouse/server/server-process.testing.ts'
import { type Engine, openEngine } from '@spanhouse/span-store'
import { partitionOf } from '@spanhouse/span-stream'
import { call } from '../../test/harness.ts'
import { exportOf, otlpSpan } from '../../test/otlp.ts'
import { startClusterStores } from '../../test/sets/cluster.ts'
import { rounded, until } from '../measured.ts'
import { Roles } from '../writers/writer-set.ts'

const PARTITIONS = 8
const WRITERS = 2
/** Between two spans, each of a trace of its own. A partition gets one in this time multiplied by {@link PARTITIONS}. */
const SEND_EVERY_MS = 20
const LOOK_EVERY_MS = 50
const PHASE_MS = 15_000

const PHASES = ['before', 'during', 'after'] as const
type Phase = (typeof PHASES)[number]

interface Sent {
  partition: number
  phase: Phase | undefined
  acceptedAt: number
}

/**
 * How long spans wait until they can be read while a shard is added: traces of one span are sent all the time, and all
 * shards are asked which of them they have. For each partition the longest time from the 202 on, of the spans that were
 * accepted within the time before the command, from the command until {@link PHASE_MS} after the shard is active, and
 * afterwards.
 */
export async function benchClusterGrowth(): Promise<object> {
  const dataDir = await mkdtemp(join(tmpdir(), 'spanhouse-bench-'))
  const { stores, clickhouse } = await startClusterStores(1)
  const engines: Engine[] = []
  const started: Roles[] = []
  const rolesOver = (): Roles => {
    const roles = new Roles({ ...stores, CLICKHOUSE_URLS: clickhouse.servers.map(({ url }) => url).join(' ') }, dataDir)
    started.push(roles)
    return roles
  }
  try {
    // The first process records a cluster of one shard.
    await rolesOver().start('api')
    await started[0]?.kill()
    await clickhouse.grow()
    engines.push(...clickhouse.servers.map(({ url }) => openEngine(url, { connections: 1 })))
    const roles = rolesOver()
    const api = await roles.start('api')
    const receiver = await roles.start('receiver')
    for (let count = 0; count < WRITERS; count++) await roles.start('writer')
    const traffic = new Traffic(receiver, engines)
    await until(() => traffic.isFlowing(), LOOK_EVERY_MS)
    traffic.phase = 'before'
    await delay(PHASE_MS)
    traffic.phase = 'during'
    const asked = performance.now()
    await call(api.url, 'POST', '/api/admin/cluster/shards', `Access ${api.adminKey}`)
    await until(() => isSpread(api), LOOK_EVERY_MS)
    const activeAfterSeconds = rounded((performance.now() - asked) / 1000)
    await delay(PHASE_MS)
    traffic.phase = 'after'
    await delay(PHASE_MS)
    return { activeAfterSeconds, ...(await traffic.end()) }
  } finally {
    await Promise.all(engines.map(engine => engine.close()))
    await Promise.all(started.map(roles => roles.kill()))
    await stores.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** Whether the second shard has its share of the partitions. */
async function isSpread(api: ServerProcess): Promise<boolean> {
  const { body } = await call(api.url, 'GET', '/api/admin/cluster', `Access ${api.adminKey}`)
  return body.shards[1].partitions.length === PARTITIONS / 2
}

/** Spans that are sent until the end. Those of no phase are not counted. */
class Traffic {
  phase: Phase | undefined
  readonly #waiting = new Map<string, Sent>()
  readonly #seen: (Sent & { seconds: number })[] = []
  readonly #receiver: ServerProcess
  readonly #engines: readonly Engine[]
  readonly #ending = new AbortController()
  readonly #running: Promise<unknown>
  readonly #startedAt = Date.now() * 1000
  #sent = 0
  #found = 0

  constructor(receiver: ServerProcess, engines: readonly Engine[]) {
    this.#receiver = receiver
    this.#engines = engines
    this.#running = Promise.all([this.#send(), this.#look()])
  }

  /** Whether spans are found as fast as they are sent. */
  isFlowing(): boolean {
    return this.#found > 10 * PARTITIONS && this.#waiting.size < PARTITIONS
  }

  async end(): Promise<object> {
    this.#ending.abort()
    await this.#running
    const longest = (phase: Phase): number[] =>
      Array.from({ length: PARTITIONS }, (_, partition) => {
        const seen = this.#seen.filter(sent => sent.phase === phase && sent.partition === partition)
        return rounded(Math.max(...seen.map(({ seconds }) => seconds)))
      })
    const spans = this.#seen.length
    return { spans, longestSeconds: Object.fromEntries(PHASES.map(phase => [phase, longest(phase)])) }
  }

  async #send(): Promise<void> {
    const sending = new Set<Promise<void>>()
    while (!this.#ending.signal.aborted) {
      const sent = this.#sendOne().finally(() => sending.delete(sent))
      sending.add(sent)
      await delay(SEND_EVERY_MS)
    }
    await Promise.all(sending)
  }

  async #sendOne(): Promise<void> {
    const { url, apiKey } = this.#receiver
    const traceId = randomBytes(16).toString('hex')
    const spanId = (++this.#sent).toString(16).padStart(16, '0')
    const startTimeUnixNano = `${Date.now()}000000`
    const body = exportOf(otlpSpan({ traceId, spanId, startTimeUnixNano }, {}))
    const { status } = await call(url, 'POST', '/api/otlp/v1/traces', `ApiKey ${apiKey}`, body)
    if (status !== 202) throw new Error(`an export was answered with ${status}`)
    const partition = partitionOf(Buffer.from(traceId, 'hex'), PARTITIONS)
    this.#waiting.set(traceId, { partition, phase: this.phase, acceptedAt: performance.now() })
  }

  /** Asks for what is not found yet. */
  async #look(): Promise<void> {
    while (!this.#ending.signal.aborted || this.#waiting.size > 0) {
      const trace_ids = [...this.#waiting.keys()]
      const found = await Promise.all(
        this.#engines.map(engine =>
          engine.rows<{ id: string }>({
            text: `SELECT lower(hex(trace_id)) AS id FROM spans WHERE start_time >= fromUnixTimestamp64Micro({from:Int64}, 'UTC')
              AND trace_id IN (SELECT toFixedString(unhex(arrayJoin({trace_ids:Array(String)})), 16))`,
            params: { trace_ids, from: this.#startedAt },
          }),
        ),
      )
      const visibleAt = performance.now()
      for (const { id } of found.flat()) {
        const sent = this.#waiting.get(id)
        this.#waiting.delete(id)
        this.#found++
        if (sent?.phase) this.#seen.push({ ...sent, seconds: (visibleAt - sent.acceptedAt) / 1000 })
      }
      await delay(LOOK_EVERY_MS)
    }
  }
}
