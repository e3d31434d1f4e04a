import { existsSync, readdirSync, readFileSync } from 'node:fs'
import http from 'node:http'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { Pings } from './pings.ts'
import type { Latency, MemoryPart, Report, Watched, WatcherOptions } from './watcher.ts'

const PING_EVERY_MS = 20
/** Between two looks at the metrics, whose maximum begins anew with each. */
const LOOK_EVERY_MS = 1_000
const MEMORY_EVERY_MS = 250
/** Of silence, after which it is told, and again. */
const SILENT_MS = 10_000
/** So long a late answer is followed by a wait for the metrics that explain it. */
const METRICS_MS_MAX = 3_000

interface WatchOptions extends WatcherOptions {
  /** Of the same process before a restart. */
  past: number[] | undefined
}

/** Requests the health of one process repeatedly, and its metrics at intervals. */
export class Watch {
  readonly latencies: number[]
  readonly #watched: Watched
  readonly #freezeMs: number
  readonly #tell: (report: Report) => void
  readonly #agent = new http.Agent({ keepAlive: true })
  readonly #pings: Pings
  readonly #own = monitorEventLoopDelay({ resolution: 10 })
  /** Longest delays of the event loop, and until when they were measured. */
  #loopDelays: { ms: number; at: number }[] = []
  #collectors: string[] | undefined
  #isStopped = false

  constructor(watched: Watched, { freezeMs, tell, past }: WatchOptions) {
    this.#watched = watched
    this.#pings = new Pings(`${watched.url}/health`)
    this.#freezeMs = freezeMs
    this.#tell = tell
    this.latencies = past ?? []
    this.#own.enable()
  }

  stop(): void {
    this.#isStopped = true
    this.#agent.destroy()
    this.#pings.close()
  }

  async run(): Promise<void> {
    await Promise.all([this.#ping(), this.#look(), this.#weigh()])
  }

  summary(): Latency {
    const sorted = Float64Array.from(this.latencies).sort()
    const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
    return { count: sorted.length, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) }
  }

  async #ping(): Promise<void> {
    while (!this.#isStopped) {
      const from = Date.now()
      this.#own.reset()
      const waitedBefore = this.#waitedMs()
      const silence = setInterval(() => this.#tell({ kind: 'silent', name: this.#watched.name, from }), SILENT_MS)
      const error = await this.#pings.send().then(
        () => undefined,
        (error: NodeJS.ErrnoException) => error,
      )
      clearInterval(silence)
      if (this.#isStopped) return
      if (error) this.#tell({ kind: 'gone', name: this.#watched.name, error: error.code ?? error.message })
      else
        await this.#note({
          from,
          to: Date.now(),
          waitedBefore,
          ownMs: this.#own.max / 1e6 - 10,
        })
      await delay(error ? 500 : Math.max(0, PING_EVERY_MS - (Date.now() - from)))
    }
  }

  /**
   * A late response counts for every request that would have been sent meanwhile. It is a freeze if the loop was
   * blocked for as long, without the time in which this process or the watched one had work and no processor.
   */
  async #note({
    from,
    to,
    waitedBefore,
    ownMs,
  }: {
    from: number
    to: number
    waitedBefore: readonly number[]
    ownMs: number
  }): Promise<void> {
    const ms = to - from
    for (let late = ms; late >= 0; late -= PING_EVERY_MS) this.latencies.push(late)
    if (ms <= this.#freezeMs) return
    // Not for each response: reading it takes more than a request.
    const waitedMs = lost(waitedBefore, this.#waitedMs())
    await Promise.race([this.#readMetrics().catch(() => undefined), delay(METRICS_MS_MAX)])
    const loopMs = Math.max(0, ...this.#loopDelays.filter(({ at }) => at >= from).map(one => one.ms))
    const held = Math.min(ms - Math.max(0, ownMs), loopMs) - waitedMs
    if (held > this.#freezeMs) this.#tell({ kind: 'freeze', name: this.#watched.name, ms: Math.round(held), from, to })
  }

  async #look(): Promise<void> {
    while (!this.#isStopped) {
      await this.#readMetrics().catch(() => undefined)
      await delay(LOOK_EVERY_MS)
    }
  }

  async #readMetrics(): Promise<void> {
    const text = await this.#get('/metrics')
    const value = (name: string): number => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
    this.#loopDelays = [
      ...this.#loopDelays,
      { ms: value('nodejs_eventloop_lag_max_seconds') * 1000, at: Date.now() },
    ].slice(-5)
    this.#tellMemory('heap', value('nodejs_heap_size_used_bytes') + value('nodejs_external_memory_bytes'))
    if (this.#watched.pid === undefined) this.#tellMemory('resident', value('process_resident_memory_bytes'))
  }

  async #weigh(): Promise<void> {
    const { pid } = this.#watched
    while (!this.#isStopped && pid !== undefined) {
      this.#tellMemory('resident', residentOf(pid))
      this.#tellMemory(
        'children',
        childrenOf(pid)
          .map(residentOf)
          .reduce((sum, bytes) => sum + bytes, 0),
      )
      await delay(MEMORY_EVERY_MS)
    }
  }

  /** Nothing when it is not known: the process has just ended. */
  #tellMemory(part: MemoryPart, bytes: number): void {
    if (bytes > 0) this.#tell({ kind: 'memory', name: this.#watched.name, part, bytes, at: Date.now() })
  }

  /**
   * How long the main thread, and each that collects garbage for it while it waits, has had work and no processor since
   * it began, where the system counts that.
   */
  #waitedMs(): number[] {
    const { pid } = this.#watched
    if (pid === undefined) return [0]
    this.#collectors ??= collectorsOf(pid)
    return [pid, ...this.#collectors].map(
      thread => Number(readIfThere(`/proc/${pid}/task/${thread}/schedstat`).split(' ')[1] ?? 0) / 1e6,
    )
  }

  #get(path: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const request = http.get(this.#watched.url + path, { agent: this.#agent }, response => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => {
          text += chunk
        })
        response.once('end', () => resolve(text)).once('error', reject)
      })
      request.once('error', reject)
    })
  }
}

/** Empty when the process is no more. */
function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/** Bytes; 0 when the process is no more. */
const residentOf = (pid: number | string): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readIfThere(`/proc/${pid}/status`))?.[1] ?? 0) * 1024

/** The processes that a process' main thread has started. */
const childrenOf = (pid: number): string[] =>
  readIfThere(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean)

/** The threads on which the engine works for all others; none when the process is no more. */
function collectorsOf(pid: number): string[] {
  const folder = `/proc/${pid}/task`
  const threads = existsSync(folder) ? readdirSync(folder) : []
  return threads.filter(thread => readIfThere(`${folder}/${thread}/comm`).startsWith('node-V8Worker'))
}

/**
 * Time without a processor between two readings: the main thread's, and that of the collector it waited for the
 * longest.
 */
function lost(before: readonly number[], after: readonly number[]): number {
  const [main = 0, ...collectors] = after.map((ms, thread) => ms - (before[thread] ?? 0))
  return main + Math.max(0, ...collectors)
}
