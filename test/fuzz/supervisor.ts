import { setTimeout as delay } from 'node:timers/promises'
import type { Bounds } from './bounds.ts'
import type { Client } from './client.ts'
import type { Findings } from './findings.ts'
import type { Target } from './target.ts'
import { type Latency, type Report, Watcher } from './watch/watcher.ts'

/** Silence after which a process is ended and started again: it would not come back by itself. */
const HANG_MS = 15_000
const LOG_EVERY_MS = 2_000
/** Listeners are told of spans twice a second, and writers need a moment to store them. */
const SETTLE_MS = 2_000
/** Connections end before a process does. */
const LAST_WORDS_MS = 1_000
/** What was on its way this long before memory was found to be in use, or a process to be gone, is suspected of it. */
const SUSPECTED_MS = 3_000

interface Memory {
  startBytes: number
  endBytes: number
  peakBytes: number
  /** The floors that growth is judged by: of the first third after the warm-up and of the last. Not of short runs. */
  floors?: { first: number; last: number }
}

export interface SupervisorOptions {
  target: Target
  findings: Findings
  client: Client
  bounds: Bounds
  tell(line: string): void
}

/**
 * Looks after the processes under attack: what the watcher tells of them becomes findings, and one that is gone or
 * hangs is started again, while `ready` waits.
 */
export class Supervisor {
  /** How often a process froze, hung or went away. */
  incidents = 0
  /** While plays are repeated to see what they do, incidents are counted and are no findings of their own. */
  isConfirming = false
  /** Set when the run is aborted; the processes have been ended too. */
  isOver = false
  /** Resolves when all processes can be asked; false when one is gone for good. */
  ready: Promise<boolean> = Promise.resolve(true)
  readonly #options: SupervisorOptions
  readonly #watcher: Watcher
  readonly #memory = new Map<string, { at: number; bytes: number }[]>()
  readonly #restarting = new Set<string>()
  readonly #restarted = new Set<string>()
  readonly #seenLines = new Set<string>()
  readonly #floors = new Map<string, Memory['floors']>()
  readonly #logTimer: NodeJS.Timeout

  constructor(options: SupervisorOptions) {
    this.#options = options
    this.#watcher = new Watcher({ freezeMs: options.bounds.freezeMs, tell: report => this.#take(report) })
    for (const process of options.target.processes()) this.#watcher.watch(process)
    this.#logTimer = setInterval(() => this.#readLogs(), LOG_EVERY_MS)
  }

  /** Memory of each process by part: at first, now, and the most. */
  memory(): Record<string, Memory> {
    const entries = Array.from(this.#memory, ([name, samples]) => {
      const bytes = samples.map(one => one.bytes)
      const floors = this.#floors.get(name)
      const [startBytes = 0] = bytes
      const peakBytes = bytes.reduce((most, one) => Math.max(most, one), 0)
      return [name, { startBytes, endBytes: bytes.at(-1) ?? 0, peakBytes, ...(floors && { floors }) }] as const
    })
    return Object.fromEntries(entries)
  }

  /**
   * Notes what has grown between two moments (milliseconds since 1970): the floor of the last third is compared with
   * that of the first. A process that was started again cannot be compared.
   */
  judgeGrowth(from: number, to: number): void {
    const third = (to - from) / 3
    for (const [subject, samples] of this.#memory) {
      const before = floorOf(samples.filter(({ at }) => at >= from && at < from + third))
      const after = floorOf(samples.filter(({ at }) => at >= to - third && at < to))
      this.#floors.set(subject, { first: before, last: after })
      if (after - before > this.#options.bounds.growthBytes && !this.#restarted.has(subject.split(' ')[0] as string))
        this.#options.findings.add(
          { kind: 'memory grows', subject, detail: `the least from ${mb(before)} to ${mb(after)}` },
          [],
        )
    }
  }

  /** Waits until the work that requests have caused is done; it may begin after their responses. */
  async settle(): Promise<void> {
    await delay(SETTLE_MS)
    for (const { url } of this.#options.target.processes())
      await fetch(`${url}/health`, { signal: AbortSignal.timeout(2 * HANG_MS) }).catch(() => undefined)
    await this.ready
  }

  /** Ends the watch; the latencies of health by process. */
  async end(): Promise<Record<string, Latency>> {
    clearInterval(this.#logTimer)
    if (!this.isOver) this.#readLogs()
    await this.ready
    return this.#watcher.end()
  }

  #take(report: Report): void {
    if (report.kind === 'summary' || this.isOver || this.#restarting.has(report.name)) return
    if (report.kind === 'memory') this.#takeMemory(report)
    else if (report.kind === 'freeze') this.#incident('freeze', report.name, `${report.ms} ms`, report.from, report.to)
    else if (report.kind === 'gone') this.#restart('gone', report.name, report.error, Date.now() - SUSPECTED_MS)
    else if (Date.now() - report.from >= HANG_MS)
      this.#restart('hang', report.name, `no answer for ${HANG_MS / 1000} s`, report.from - SUSPECTED_MS)
  }

  #takeMemory({ name, part, bytes, at }: Extract<Report, { kind: 'memory' }>): void {
    const subject = `${name} (${part})`
    const samples = this.#memory.get(subject) ?? []
    samples.push({ at, bytes })
    this.#memory.set(subject, samples)
    if (part === 'resident' && bytes > this.#options.bounds.memoryBytes)
      this.#incident('memory', name, `more than ${mb(this.#options.bounds.memoryBytes)}`, at - SUSPECTED_MS, at)
  }

  #incident(kind: string, name: string, detail: string, from: number, to: number): void {
    this.incidents++
    if (this.isConfirming) return
    const suspects = this.#options.client.suspects(from, to)
    const [first] = suspects
    const cause = first ? `${first.generator}, ${first.shot.name}` : 'nothing on its way'
    this.#options.findings.add({ kind, subject: `${name} (${cause})`, detail }, suspects)
  }

  #restart(kind: string, name: string, detail: string, from: number): void {
    const { target, tell } = this.#options
    const to = Date.now()
    this.#restarting.add(name)
    this.#restarted.add(name)
    this.#watcher.forget(name)
    tell(`${name}: ${detail}; it is started again`)
    this.ready = this.ready.then(async () => {
      if (kind === 'gone') await delay(LAST_WORDS_MS)
      if (this.isOver) return false
      const words = target.lastWords(name)
      this.#incident(kind, name, words ? `${detail}; ${words}` : detail, from, to)
      this.#readLogs()
      const isBack = await target.restart(name).catch(() => false)
      const process = target.processes().find(one => one.name === name)
      if (isBack && process) this.#watcher.watch(process)
      this.#restarting.delete(name)
      return isBack
    })
  }

  #readLogs(): void {
    const { target, findings, client } = this.#options
    for (const { name } of target.processes())
      for (const line of target.errorLines(name)) {
        if (this.#seenLines.has(line)) continue
        this.#seenLines.add(line)
        const { msg, time, err } = parsed(line)
        const detail = line.slice(0, 600)
        findings.add(
          { kind: 'error in the log', subject: `${name}: ${msg}: ${err?.message}`.slice(0, 120), detail },
          client.suspects(time - 500, time),
        )
      }
  }
}

function parsed(line: string): { msg?: string; time: number; err?: { message?: string } } {
  try {
    return JSON.parse(line)
  } catch {
    return { time: Date.now(), msg: line.slice(0, 60) }
  }
}

export const mb = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`

/**
 * Below what nine in ten samples stay above: what is left when garbage has been collected and no large request is on
 * its way.
 */
const floorOf = (samples: readonly { bytes: number }[]): number =>
  samples.map(({ bytes }) => bytes).toSorted((a, b) => a - b)[Math.floor(samples.length / 10)] ?? 0
