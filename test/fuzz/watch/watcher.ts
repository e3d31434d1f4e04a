import { fork } from 'node:child_process'
import { once } from 'node:events'

/**
 * A process to watch. Without a `pid` its memory is taken from its metrics, and lost time cannot be told from waiting.
 */
export interface Watched {
  name: string
  url: string
  pid?: number
}

/** What the watching process tells. Times are milliseconds since 1970. */
export type Report =
  /** An answer came late, and the event loop agrees; `ms` is what of it cannot be put down to a busy machine. */
  | { kind: 'freeze'; name: string; ms: number; from: number; to: number }
  /** An answer has been waited for since `from`. */
  | { kind: 'silent'; name: string; from: number }
  /** Nobody listens any more. */
  | { kind: 'gone'; name: string; error: string }
  /** Memory in use. */
  | { kind: 'memory'; name: string; part: MemoryPart; bytes: number; at: number }
  | { kind: 'summary'; latency: Record<string, Latency> }

/**
 * `resident`: of the process. `heap`: objects and buffers of its main thread, garbage included. `children`: resident of
 * the processes that it has started, such as its ClickHouse.
 */
export type MemoryPart = 'resident' | 'heap' | 'children'

export interface Latency {
  count: number
  p50Ms: number
  p99Ms: number
  maxMs: number
}

export type Command = { watch: Watched } | { forget: string } | { summarise: true }

export interface WatcherOptions {
  freezeMs: number
  tell(report: Report): void
}

/** Watches processes from one of its own, so that the load of the clients does not count. */
export class Watcher {
  readonly #child

  constructor({ freezeMs, tell }: WatcherOptions) {
    this.#child = fork(new URL('./watch-process.ts', import.meta.url), [String(freezeMs)], { execArgv: [] })
    this.#child.on('message', report => tell(report as Report))
  }

  watch(watched: Watched): void {
    this.#send({ watch: watched })
  }

  /** Until it is watched again. */
  forget(name: string): void {
    this.#send({ forget: name })
  }

  /** Ends the watch and resolves with the latencies by name. */
  async end(): Promise<Record<string, Latency>> {
    const summary = new Promise<Record<string, Latency>>(resolve =>
      this.#child.on('message', report => {
        if ((report as Report).kind === 'summary') resolve((report as Extract<Report, { kind: 'summary' }>).latency)
      }),
    )
    this.#send({ summarise: true })
    const latency = await summary
    this.#child.removeAllListeners('message')
    this.#child.kill('SIGKILL')
    await once(this.#child, 'exit')
    return latency
  }

  #send(command: Command): void {
    this.#child.send(command)
  }
}
