import { setTimeout as delay } from 'node:timers/promises'
import { BOUNDS, type Bounds } from './bounds.ts'
import { Client } from './client.ts'
import { type Finding, Findings } from './findings.ts'
import { readOperations } from './inputs/operations.ts'
import { newNeighbour } from './neighbour.ts'
import { type Processor, processorTime } from './processor.ts'
import { mb, Supervisor } from './supervisor.ts'
import { Tally } from './tally.ts'
import { startTarget, type TargetChoice } from './target.ts'
import type { Latency } from './watch/watcher.ts'
import type { World } from './world.ts'
import { Worlds } from './worlds.ts'

export interface FuzzOptions {
  target: TargetChoice
  seconds: number
  seed: number
  /** These plays, one after the other, instead of a run. */
  only?: readonly number[]
  /** Other bounds than usual. */
  bounds?: Partial<Bounds>
  /** Plays a second at most, so that what is measured is not a machine without a free processor. */
  rate?: number
  /** Ends the run early, with its summary. */
  ended?: AbortSignal
  tell(line: string): void
}

export interface FuzzResult {
  seed: number
  seconds: number
  requests: number
  requestsPerSecond: number
  /** Processor time of the run; that of an installation at a given address is not known. */
  processor: Processor
  statuses: Record<string, number>
  /** How often plays have spoiled the credentials of their world. */
  worldsRenewed: number
  coverage: ReturnType<Tally['coverage']>
  slowest: { name: string; ms: number }[]
  longest: { name: string; ms: number }[]
  health: Record<string, Latency>
  memory: ReturnType<Supervisor['memory']>
  findings: Finding[]
}

/**
 * So many that the installation, and not the clients, limits how many requests there are: a play lasts 130 ms on
 * average on a machine without other work and three times as long on a busy one.
 */
const CLIENTS = 64
const RATE = 260
const TELL_EVERY_MS = 5_000
/** How long pending responses are awaited at the end. */
const LAST_ANSWERS_MS = 35_000
/** Before that a process still grows because it has just started. */
const WARM_UP_SHARE = 0.25
/** Shorter runs say nothing about growth. */
const GROWTH_SECONDS_MIN = 120

/** Attacks for so many seconds and resolves with what was found. Throws when the attack cannot even begin. */
export async function fuzz(options: FuzzOptions): Promise<FuzzResult> {
  const target = await startTarget(options.target)
  try {
    return await new Run(options, target).run()
  } finally {
    await target.stop()
  }
}

type Target = Awaited<ReturnType<typeof startTarget>>

class Run {
  readonly #options: FuzzOptions
  readonly #target: Target
  readonly #findings: Findings
  readonly #tally = new Tally()

  constructor(options: FuzzOptions, target: Target) {
    this.#options = options
    this.#target = target
    this.#findings = new Findings(options)
  }

  async run(): Promise<FuzzResult> {
    const { seed, tell } = this.#options
    const bounds = { ...BOUNDS, ...this.#options.bounds }
    const [target, findings, tally] = [this.#target, this.#findings, this.#tally]
    const operations = await readOperations(target.apiUrl)
    const neighbour = await newNeighbour(target, bounds.neighbourMs)
    const worlds = new Worlds(target, neighbour.ids)
    const client = new Client({
      seed,
      addresses: target,
      operations,
      canary: neighbour.canary,
      bounds,
      findings,
      tally,
      onUnauthorized: play => void worlds.check(play),
    })
    await worlds.of(0)
    const supervisor = new Supervisor({ target, findings, client, bounds, tell })
    this.#options.ended?.addEventListener('abort', () => {
      supervisor.isOver = true
    })
    const ended = new AbortController()
    const began = Date.now()
    const before = processorTime()
    const watching = neighbour.watch(ended.signal, (kind, detail) => {
      findings.add({ kind, subject: 'neighbour', detail }, client.suspects(Date.now() - 1000, Date.now()))
    })
    const telling = setInterval(() => tell(this.#progress(supervisor, began)), TELL_EVERY_MS)
    const player = new Player({ client, supervisor, worldOf: play => worlds.of(play) })
    if (this.#options.only) await Promise.race([player.each(this.#options.only), abortOf(this.#options.ended)])
    else await player.many(this.#options)
    const seconds = (Date.now() - began) / 1000
    const requests = tally.requests
    const after = processorTime()
    await Promise.race([supervisor.settle(), abortOf(this.#options.ended)])
    if (seconds > GROWTH_SECONDS_MIN)
      supervisor.judgeGrowth(began + seconds * 1000 * WARM_UP_SHARE, began + seconds * 1000)
    const memory = supervisor.memory()
    if (!this.#options.only && !this.#options.ended?.aborted)
      await player.confirm(findings.all, Math.max(20_000, (seconds * 1000) / 3))
    ended.abort()
    await watching
    clearInterval(telling)
    const health = await supervisor.end()
    client.close()
    await findings.saved()
    return {
      seed,
      seconds,
      requests,
      requestsPerSecond: Math.round(requests / seconds),
      processor: {
        fuzzer: after.fuzzer - before.fuzzer,
        installation: after.installation - before.installation,
      },
      statuses: tally.statuses,
      worldsRenewed: worlds.renewed,
      coverage: tally.coverage(operations),
      slowest: tally.slowest(10),
      longest: tally.longest(10),
      health,
      memory,
      findings: findings.all,
    }
  }

  #progress(supervisor: Supervisor, began: number): string {
    const { requests, statuses } = this.#tally
    const seconds = (Date.now() - began) / 1000
    const counts = Object.entries(statuses).map(([status, count]) => `${status}: ${count}`)
    const memory = Object.entries(supervisor.memory()).map(([name, { endBytes }]) => `${name} ${mb(endBytes)}`)
    const found = `${this.#findings.all.length} findings`
    return `${seconds.toFixed(0).padStart(5)} s  ${requests} requests  ${counts.join('  ')}  ${memory.join(', ')}  ${found}`
  }
}

/** Resolves when the run is broken off. */
const abortOf = (signal: AbortSignal | undefined): Promise<void> =>
  new Promise(resolve => signal?.addEventListener('abort', () => resolve()))

/** Kinds of findings that whoever was on its way is suspected of. */
const INCIDENTS = ['freeze', 'hang', 'gone', 'memory']

interface PlayerOptions {
  client: Client
  supervisor: Supervisor
  worldOf(play: number): Promise<World>
}

/** Decides which plays are made when. */
class Player {
  readonly #options: PlayerOptions

  constructor(options: PlayerOptions) {
    this.#options = options
  }

  /**
   * Several clients, each of which takes the next play. With a fixed share for each, one that a slow answer held up
   * fell two worlds behind, and both worlds were made again at every turn: 100 requests a second became 10 after two
   * minutes.
   */
  async many({ seconds, rate = RATE, ended }: Pick<FuzzOptions, 'seconds' | 'rate' | 'ended'>): Promise<void> {
    const end = Date.now() + seconds * 1000
    const everyMs = (1000 * CLIENTS) / rate
    let plays = 0
    const client = async (): Promise<void> => {
      let next = Date.now()
      while (Date.now() < end && !ended?.aborted) {
        if (!(await this.#options.supervisor.ready)) return
        await this.#play(plays++)
        next = Math.max(Date.now(), next + everyMs)
        await delay(Math.max(0, next - Date.now()))
      }
    }
    const all = Promise.all(Array.from({ length: CLIENTS }, () => client()))
    await Promise.race([all, abortOf(ended), delay(seconds * 1000 + LAST_ANSWERS_MS, undefined, { ref: false })])
  }

  /** One after the other, with a pause after each for what comes of it; those that were followed by an incident. */
  async each(plays: readonly number[], until = Infinity): Promise<number[]> {
    const guilty: number[] = []
    const { supervisor } = this.#options
    for (const play of plays) {
      if (Date.now() > until || !(await supervisor.ready)) break
      const before = supervisor.incidents
      await this.#play(play)
      await supervisor.settle()
      if (supervisor.incidents > before) guilty.push(play)
    }
    return guilty
  }

  /** Plays what is suspected again, alone, so that a finding names what makes it. */
  async confirm(findings: readonly Finding[], ms: number): Promise<void> {
    const until = Date.now() + ms
    const known = new Set<number>()
    this.#options.supervisor.isConfirming = true
    for (const finding of findings.filter(({ kind }) => INCIDENTS.includes(kind))) {
      const plays = [...new Set(finding.suspects.map(({ play }) => play))]
      const guilty = plays.filter(play => known.has(play))
      finding.confirmed = guilty.length > 0 ? guilty : await this.each(plays, until)
      for (const play of finding.confirmed) known.add(play)
    }
  }

  async #play(play: number): Promise<void> {
    await this.#options.client.play(play, await this.#options.worldOf(play))
  }
}
