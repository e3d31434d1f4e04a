import { setTimeout as delay } from 'node:timers/promises'
import { type Micros, microsNow, Problem, type TraceId, type Uuid } from '@spanhouse/model'
import { type Postgres, whileLeased } from '@spanhouse/postgres'
import type { RuntimeSettings } from '@spanhouse/runtime'
import { type Engine, matchingRoots, rootsSince, type StoredRoot } from '@spanhouse/span-store'
import { findRow } from '../entities/select.ts'
import type { Dispatcher, Scope } from '../scope.ts'
import {
  endRun,
  type FoundTrace,
  followedRuns,
  isFollowed,
  type LiveQuery,
  type LiveRun,
  queriesOf,
  setLookedUntil,
  takeUp,
} from './live-runs.ts'
import { isSampled } from './sample.ts'

/** What online evaluation needs of the program around it. */
export interface OnlineParts {
  postgres: Pick<Postgres, 'db' | 'lease'>
  runtime: RuntimeSettings
  engine: Engine
  /** How many accepted messages are not stored yet, and the age of the oldest in seconds. */
  stream: { stats(): Promise<{ depth: number; oldestSeconds: number }> }
  /** Hears of scenarios that were made. */
  dispatcher: Dispatcher
  log: { warn(details: object, message: string): void }
}

/** How often the spans that were stored are looked at. */
const LOOK_MS = 1_000
/** How far the clocks of receivers, writers, the stream and this process may differ. */
const CLOCKS_DIFFER_MICROS = 5_000_000
/**
 * How far the stored resume point may lag behind. After a crash, traces after it are examined again; each is evaluated
 * once.
 */
const RESUME_LAG_MICROS = 10_000_000
/** Roots of one page, and traces of one statement that filters them. */
const PAGE_ROOTS = 5_000
const FILTERED_MAX = 1_000

/**
 * Follows live runs: takes up the traces that their queries find among those that are stored, each trace once, in one
 * process at a time. The engine carries the scenarios out.
 *
 * No root can slip past. What the stream holds when a look begins is not stored yet; everything older is. So the look
 * sees every root that was accepted before the oldest message in the stream, and moves on to that message's time less
 * the difference of clocks. A root that it did not see was accepted later, so its row says that it was written later,
 * and the next look, which begins there, sees it. What is seen twice is taken up once (`evaluation_online_traces`).
 */
export class Online {
  readonly #parts: OnlineParts
  readonly #stopping = new AbortController()
  readonly #awaited: ((wentWell: boolean) => void)[] = []
  #wake: () => void = () => {}
  readonly #ended: Promise<void>
  /** How far each run is looked at; the stored point may lag behind. */
  readonly #until = new Map<Uuid, Micros>()
  /** Versions of roots that were looked at for a run after its point. */
  readonly #seen = new Map<Uuid, Map<TraceId, Micros>>()

  /** Begins to follow. */
  constructor(parts: OnlineParts) {
    this.#parts = parts
    this.#ended = this.#lookAgainAndAgain()
  }

  /**
   * Looks at once. Resolves when that is done, to whether it went well; at once while another process follows the runs.
   */
  lookNow(): Promise<boolean> {
    return new Promise(resolve => {
      this.#awaited.push(resolve)
      this.#wake()
    })
  }

  /** Resolves when no statement is running. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#ended
  }

  async #lookAgainAndAgain(): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      const wentWell = await this.#lookAlone(signal).then(
        () => true,
        error => {
          this.#parts.log.warn({ err: error }, 'cannot follow live evaluations; trying again')
          return false
        },
      )
      this.#tell(wentWell)
      await this.#untilNext(signal)
    }
    this.#tell(false)
  }

  /** Resolves when the next poll is due or is requested. */
  async #untilNext(signal: AbortSignal): Promise<void> {
    const woken = new Promise<void>(resolve => {
      this.#wake = resolve
    })
    if (this.#awaited.length > 0) return
    await Promise.race([woken, delay(LOOK_MS, undefined, { signal }).catch(() => {})])
  }

  #tell(wentWell: boolean): void {
    for (const resolve of this.#awaited.splice(0)) resolve(wentWell)
  }

  /** Keeps the lease as long as it goes well; does nothing while another process follows. */
  #lookAlone(signal: AbortSignal): Promise<void> {
    return whileLeased(this.#parts.postgres, 'evaluation-online', async lost => {
      const ended = AbortSignal.any([signal, lost])
      this.#until.clear()
      this.#seen.clear()
      while (!ended.aborted) {
        // Who asks from here on is asking for another look.
        const asked = this.#awaited.length
        await this.#look(ended)
        for (const resolve of this.#awaited.splice(0, asked)) resolve(true)
        await this.#untilNext(ended)
      }
    })
  }

  /** Rejects if it failed for a run or a project, after the others have had their turn: none waits for another. */
  async #look(signal: AbortSignal): Promise<void> {
    const { postgres, stream } = this.#parts
    const runs = await followedRuns(postgres.db)
    if (runs.length === 0) return
    // Before anything is read: what is accepted from here on may be missing in it.
    const { depth, oldestSeconds } = await stream.stats()
    const stored = microsNow() - CLOCKS_DIFFER_MICROS - (depth === 0 ? 0 : Math.round(oldestSeconds * 1e6))
    const errors: unknown[] = []
    for (const [project_id, own] of Map.groupBy(runs, run => run.project_id)) {
      if (signal.aborted) return
      await this.#lookAtProject(project_id, own, { stored, errors, signal }).catch(error => errors.push(error))
    }
    if (errors.length > 0) throw new AggregateError(errors, `${errors.length} runs or projects cannot be followed`)
  }

  /** Adds to `errors` for a run that fails, which goes on from where it was when it is looked at next. */
  async #lookAtProject(
    project_id: Uuid,
    runs: readonly LiveRun[],
    { stored, errors, signal }: { stored: Micros; errors: unknown[]; signal: AbortSignal },
  ): Promise<void> {
    const ready = await Promise.allSettled(runs.map(run => this.#follower(run)))
    const followers = unlessFailed(ready, errors).filter(one => one !== undefined)
    if (followers.length === 0) return
    let followed: readonly Follower[] = followers
    let since = Math.min(...followed.map(({ until }) => until))
    let after: TraceId | '' = ''
    for (;;) {
      const roots = await rootsSince(this.#parts.engine, project_id, { since, after, limit: PAGE_ROOTS })
      followed = await this.#takeEach(followed, roots, errors)
      if (signal.aborted) return
      const last = roots.at(-1)
      if (!last || roots.length < PAGE_ROOTS || followed.length === 0) break
      // What only a run that has failed has not seen is not read for the others.
      const next = Math.min(...followed.map(({ until }) => until))
      after = next > last.written_at ? '' : last.trace_id
      since = Math.max(next, last.written_at)
    }
    for (const follower of followed) await this.#moveOn(follower, stored)
  }

  /** Returns those that have taken up what they find. */
  async #takeEach(
    followers: readonly Follower[],
    roots: readonly StoredRoot[],
    errors: unknown[],
  ): Promise<Follower[]> {
    const taken: Follower[] = []
    for (const follower of followers)
      await this.#take(follower, roots).then(
        () => taken.push(follower),
        error => errors.push(error),
      )
    return taken
  }

  /** What a look needs of a run; undefined when the run cannot be followed. */
  async #follower(live: LiveRun): Promise<Follower | undefined> {
    const { postgres, runtime } = this.#parts
    const { project_id, user_id, id } = live
    const scope: Scope = { db: postgres.db, runtime, project_id, user_id }
    const run = await findRow(scope, 'runs', id)
    if (!run || !isFollowed(run)) return undefined
    const queries = await queriesOf(scope, run)
    if (!queries) {
      await endRun(scope, id)
      return undefined
    }
    const seen = this.#seen.get(id) ?? new Map<TraceId, Micros>()
    this.#seen.set(id, seen)
    // A run that was stopped and started again begins from the start.
    const until = Math.max(live.looked_until, this.#until.get(id) ?? 0)
    return { live, scope, queries, until, seen }
  }

  async #take({ live, scope, queries, until, seen }: Follower, roots: readonly StoredRoot[]): Promise<void> {
    const fresh = roots.filter(
      ({ trace_id, written_at }) => written_at >= until && (seen.get(trace_id) ?? -1) < written_at,
    )
    const ids = [...new Set(fresh.map(({ trace_id }) => trace_id))]
    for (let from = 0; from < ids.length; from += FILTERED_MAX) {
      const found = await this.#match({ live, scope, queries }, ids.slice(from, from + FILTERED_MAX))
      if (!found) return
      while (found.length > 0 && (await takeUp(scope, live.id, found)) > 0)
        this.#parts.dispatcher.start({ project_id: live.project_id, id: live.id })
    }
    for (const { trace_id, written_at } of fresh) seen.set(trace_id, written_at)
  }

  /** The traces that a query finds; undefined when one is not valid, which ends the run. */
  async #match(
    { live, scope, queries }: Pick<Follower, 'live' | 'scope' | 'queries'>,
    ids: readonly TraceId[],
  ): Promise<FoundTrace[] | undefined> {
    const found: FoundTrace[] = []
    for (const { step_key, filter, rate } of queries) {
      const sampled = ids.filter(id => isSampled(id, rate))
      if (sampled.length === 0) continue
      try {
        const asked = { trace_ids: sampled, filters: [filter] }
        for (const one of await matchingRoots(this.#parts.engine, live.project_id, asked))
          found.push({ step_key, ...one })
      } catch (error) {
        if (!(error instanceof Problem) || error.retryable) throw error
        this.#parts.log.warn({ err: error, run_id: live.id }, 'the query of a live evaluation is not valid')
        await endRun(scope, live.id)
        return undefined
      }
    }
    return found
  }

  async #moveOn({ live, until, seen }: Follower, stored: Micros): Promise<void> {
    const next = Math.max(until, stored)
    this.#until.set(live.id, next)
    for (const [trace_id, written_at] of seen) if (written_at < next) seen.delete(trace_id)
    if (next - live.looked_until >= RESUME_LAG_MICROS) await setLookedUntil(this.#parts.postgres.db, live, next)
  }
}

/** The values of what went well; the reasons of the others are added to `errors`. */
const unlessFailed = <T>(settled: readonly PromiseSettledResult<T>[], errors: unknown[]): T[] =>
  settled.flatMap(one => {
    if (one.status === 'fulfilled') return [one.value]
    errors.push(one.reason)
    return []
  })

/** A run during one look. */
interface Follower {
  live: LiveRun
  scope: Scope
  queries: LiveQuery[]
  until: Micros
  seen: Map<TraceId, Micros>
}
