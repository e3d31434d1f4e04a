import { setTimeout as delay } from 'node:timers/promises'
import type { Uuid } from '@spanhouse/model'
import { sql } from '@spanhouse/postgres'
import { tracedJob } from '@spanhouse/telemetry'
import type { RunRow } from '../entities/rows.ts'
import { findRow } from '../entities/select.ts'
import { isInSlice, planCells } from '../execution/plan.ts'
import { repeatsOf } from '../runs/run-data.ts'
import type { Scope } from '../scope.ts'
import { CacheLookup } from './cache-lookup.ts'
import { type Claimed, cellsOfScenarios, claimScenarios, type StoredCell, type WorkingRun } from './claims.ts'
import type { EngineParts, StoredTrace } from './doors.ts'
import { finishRun } from './finish-run.ts'
import { GridWriter } from './grid-writer.ts'
import { callLimits, WORKER_CALLS_MAX } from './limits.ts'
import { HEARTBEAT_MS, joinRun, leaveRun, type Membership, stayInRun } from './membership.ts'
import { mintFromQueries } from './mint-query.ts'
import { StepLoader } from './plan-steps.ts'
import { executeScenario, type LoadedScenario, type ScenarioContext } from './scenario.ts'
import { Slots } from './slots.ts'
import { inputCellOf, readTestcases, sourceOf } from './sources.ts'
import { asTraceId, attemptTraceIds } from './trace-ids.ts'

/** Scenarios that are claimed and not yet executed at most: the memory of a worker does not grow with the run. */
const SCENARIOS_MAX = 512
/** Claimed ahead of the calls: what is executed within this time … */
const AHEAD_SECONDS = 0.3
/** … and at least so many. */
const AHEAD_MIN = 8
/**
 * The maximum number of cells and scenarios that wait to be written or measured. Above it the worker claims no more.
 */
const UNWRITTEN_MAX = 10_000
/**
 * How often a worker asks for calls that others have released, and looks for scenarios that others have not finished.
 */
const LOOK_MS = 1_000

/**
 * What one worker does for one run:
 *
 *     join       takes as many calls as the run's batch_size has left, and a lease that a heartbeat prolongs
 *     mint       carries out stored queries, once
 *     claim      takes scenarios that have work and that nobody holds
 *     load       their cells, sources and traces, in a few statements for all
 *     execute    step by step; cells go to the writer as they finish
 *     finish     once no scenario has work: metrics of the run, then its status
 *     leave      gives back what it holds
 *
 * A worker that loses its lease, or is no longer a member because the run was stopped, ends all of this at once and
 * writes nothing more.
 */
export class RunWorker {
  readonly #parts: EngineParts
  readonly #membership: Membership
  readonly #ending = new AbortController()
  readonly #writer: GridWriter
  readonly #loader: StepLoader
  readonly #slots = new Slots()
  readonly #executing = new Set<Promise<void>>()
  #calls = 0
  #wanted = WORKER_CALLS_MAX
  #after: Uuid | null = null
  #executed = 0
  #rate = 0
  #isStopping = false

  constructor(parts: EngineParts, membership: Membership) {
    this.#parts = parts
    this.#membership = membership
    const onLost = (): void => this.cut()
    this.#writer = new GridWriter(parts, membership, { signal: this.#ending.signal, onLost })
    this.#loader = new StepLoader(parts, membership.project_id)
  }

  /** Claims no more scenarios, and finishes those in progress. */
  stop(): void {
    this.#isStopping = true
  }

  /** Ends everything at once; nothing more is written. */
  cut(): void {
    this.#ending.abort(new Error('The worker no longer holds the run.'))
  }

  /** Works until there is nothing left to claim. Rejects when a store cannot be reached. */
  async work({ work: { kind }, is_live }: WorkingRun): Promise<void> {
    if (!(await this.#join())) return
    const beating = this.#beat()
    try {
      if (kind === 'mint' && !is_live) await mintFromQueries(this.#parts, this.#membership)
      await this.#workScenarios()
      if (!this.#isStopping) await finishRun(this.#parts, this.#membership, this.#ending.signal)
    } finally {
      this.#ending.abort()
      await Promise.allSettled([...this.#executing, beating])
      await leaveRun(this.#parts.db, this.#membership).catch(() => {})
    }
  }

  /** Takes calls up to what one worker may have. */
  async #join(): Promise<boolean> {
    const run = await this.#run()
    if (!run) return false
    const { batchSize } = callLimits(run.data)
    this.#wanted = Math.min(WORKER_CALLS_MAX, batchSize)
    const calls = await joinRun(this.#parts.db, this.#membership, { wanted: this.#wanted, batchSize })
    if (calls > this.#calls) this.#slots.add(calls - this.#calls)
    this.#calls = Math.max(calls, this.#calls)
    return calls > 0
  }

  /** While the database is down, no other worker can take over, so this one continues. */
  async #beat(): Promise<void> {
    const { signal } = this.#ending
    while (await isAfter(HEARTBEAT_MS, signal)) {
      const isMember = await stayInRun(this.#parts.db, this.#membership).catch(() => true)
      if (!isMember) this.cut()
      this.#rate = this.#executed / (HEARTBEAT_MS / 1_000)
      this.#executed = 0
      if (isMember && this.#calls < this.#wanted) await this.#join().catch(() => {})
    }
  }

  async #workScenarios(): Promise<void> {
    const { signal } = this.#ending
    while (!signal.aborted && !this.#isStopping) {
      const room = this.#room()
      const claimed = room > 0 ? await this.#claim(room) : []
      if (claimed.length > 0) await this.#begin(claimed)
      else if (this.#executing.size === 0 && room > 0) break
      else await Promise.race([...this.#executing, isAfter(LOOK_MS, signal)])
    }
    await Promise.all(this.#executing)
    await this.#writer.settled()
  }

  #room(): number {
    if (this.#writer.waiting > UNWRITTEN_MAX) return 0
    const ahead = Math.max(AHEAD_MIN, Math.ceil(this.#rate * AHEAD_SECONDS))
    const room = Math.min(SCENARIOS_MAX, this.#calls + ahead) - this.#executing.size
    // Few at a time would be a statement for each.
    return room < ahead / 2 ? 0 : room
  }

  /** What follows the last claim, and then from the beginning: others may have left something behind. */
  async #claim(count: number): Promise<Claimed[]> {
    const { db } = this.#parts
    const isFromStart = this.#after === null
    const claimed = await claimScenarios(db, this.#membership, { after: this.#after, count })
    this.#after = claimed.at(-1)?.id ?? null
    return claimed.length > 0 || isFromStart ? claimed : this.#claim(count)
  }

  /**
   * Loads what the scenarios need and begins with them. Those that cannot be loaded, because a store is away, are given
   * back; what is under way goes on.
   */
  async #begin(claimed: readonly Claimed[]): Promise<void> {
    try {
      const { scenarios, context } = await this.#load(claimed)
      for (const scenario of scenarios) {
        const executing = this.#execute(context, scenario).finally(() => {
          this.#executing.delete(executing)
          this.#executed++
        })
        this.#executing.add(executing)
      }
    } catch (error) {
      if (this.#ending.signal.aborted) return
      const { run_id } = this.#membership
      this.#parts.log.warn({ err: error, run_id }, 'cannot load scenarios; trying again')
      await this.#giveBack(claimed)
      await isAfter(LOOK_MS, this.#ending.signal)
    }
  }

  async #execute(context: ScenarioContext, scenario: LoadedScenario): Promise<void> {
    const { id, task, timestamp, interval } = scenario.claimed
    const { project_id, run_id } = this.#membership
    const write: ScenarioContext['write'] = cell => this.#writer.add(cell, task.user_id)
    try {
      await tracedJob('evaluation scenario', { project_id, 'spanhouse.run_id': run_id }, () =>
        executeScenario({ ...context, write }, scenario),
      )
      this.#writer.finish({ id, user_id: task.user_id, timestamp, interval })
    } catch (error) {
      if (this.#ending.signal.aborted) return
      this.#parts.log.warn({ err: error, scenario_id: id }, 'a scenario could not be executed; trying again')
      await delay(LOOK_MS)
      await this.#giveBack([scenario.claimed]).catch(() => {})
    } finally {
      context.cache?.forget(id)
    }
  }

  /** Scenarios without a live worker. The worker that takes them over looks up calls that had finished. */
  async #giveBack(claimed: readonly Claimed[]): Promise<void> {
    const { project_id, worker_id } = this.#membership
    const ids = claimed.map(({ id }) => id)
    await sql`update evaluation_scenarios t set claimed_by = ${NOBODY}
      where t.project_id = ${project_id} and t.id = any(${ids}::uuid[]) and t.claimed_by = ${worker_id}`.execute(
      this.#parts.db,
    )
  }

  async #load(claimed: readonly Claimed[]): Promise<{ scenarios: LoadedScenario[]; context: ScenarioContext }> {
    const { signal } = this.#ending
    const { db, traces } = this.#parts
    const { project_id } = this.#membership
    const run = await this.#run()
    if (!run) throw new Error('The run no longer exists.')
    const ids = claimed.map(({ id }) => id)
    const cells = Map.groupBy(await cellsOfScenarios(db, this.#membership, ids), cell => cell.scenario_id)
    const wanted = claimed.flatMap(one => {
      const own = cells.get(one.id) ?? []
      const input = inputCellOf(run, own)
      return input ? [{ claimed: one, cells: own, input }] : this.#withoutSource(one)
    })
    const trace_ids = wanted.flatMap(one => neededTraces(run, one))
    const found: Map<string, StoredTrace> =
      trace_ids.length > 0 ? await traces.read(project_id, [...new Set(trace_ids)], signal) : new Map()
    const inputs = wanted.map(({ input }) => input)
    const testcases = await readTestcases(this.#parts, project_id, inputs)
    const stepsOfUser = new Map<Uuid | null, LoadedScenario['steps']>()
    for (const { claimed: one } of wanted)
      if (!stepsOfUser.has(one.task.user_id))
        stepsOfUser.set(one.task.user_id, await this.#loader.load(run, one.task.user_id))
    const scenarios = wanted.map(one => ({
      claimed: one.claimed,
      cells: one.cells,
      source: sourceOf(run, one.input, { testcases, traces: found }),
      steps: stepsOfUser.get(one.claimed.task.user_id) ?? [],
    }))
    const cache = run.flags.is_cached ? new CacheLookup(traces, project_id, repeatsOf(run) * 2) : undefined
    const limits = callLimits(run.data)
    const context = { run, limits, slots: this.#slots, found, signal, stored: traces, cache, write: () => {} }
    return { scenarios, context }
  }

  /** Nothing can be executed for a scenario that comes from nowhere. */
  #withoutSource({ id, task, timestamp, interval }: Claimed): [] {
    this.#writer.finish({ id, user_id: task.user_id, timestamp, interval })
    return []
  }

  #run(): Promise<RunRow | undefined> {
    const { db, runtime } = this.#parts
    const { project_id, run_id } = this.#membership
    return findRow({ db, runtime, project_id, user_id: null } as Scope, 'runs', run_id)
  }
}

const NOBODY: Uuid = '00000000-0000-0000-0000-000000000000'

/** False when the signal aborted first. */
const isAfter = (ms: number, signal: AbortSignal): Promise<boolean> => delay(ms, true, { signal }).catch(() => false)

/**
 * Ids of the traces that a scenario's execution may need: its source, applications that are settled, and, when another
 * worker had the scenario before, all calls that it may have finished.
 */
function neededTraces(
  run: RunRow,
  { claimed, cells, input }: { claimed: Claimed; cells: readonly StoredCell[]; input: StoredCell },
): string[] {
  const { id, task, isTakenOver } = claimed
  const planned = planCells(run, input.step_key).filter(({ does }) => does === 'execute')
  const steps = new Set(planned.map(({ step_key }) => step_key))
  const stored = [input, ...cells.filter(({ step_key }) => steps.has(step_key))]
  const addressed = isTakenOver ? planned.filter(cell => isInSlice(task, cell)) : []
  const { attemptsMax } = callLimits(run.data)
  return [
    ...stored.flatMap(({ trace_id }) => (trace_id === null ? [] : [asTraceId(trace_id)])),
    ...addressed.flatMap(({ step_key, repeat_idx }) =>
      attemptTraceIds({ task_id: task.id, scenario_id: id, step_key, repeat_idx }, attemptsMax),
    ),
  ]
}
