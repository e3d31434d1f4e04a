import type { Json, JsonObject, Uuid } from '@spanhouse/model'
import { withoutNuls } from '@spanhouse/postgres'
import type { RunRow } from '../entities/rows.ts'
import { isInSlice, type PlannedCell, planCells } from '../execution/plan.ts'
import type { NewResult } from '../grid/results.ts'
import type { CachedCall, CacheLookup } from './cache-lookup.ts'
import { type CallContext, callUntilSuccess } from './call.ts'
import type { Claimed, StoredCell } from './claims.ts'
import type { CallStatus, StoredTraces, TracedCall } from './doors.ts'
import type { ExecutedStep } from './plan-steps.ts'
import type { LoadedSource } from './sources.ts'
import { asTraceId, asUuid, attemptTraceIds } from './trace-ids.ts'

/** A claimed scenario with everything that its execution needs. */
export interface LoadedScenario {
  claimed: Claimed
  source: LoadedSource
  cells: readonly StoredCell[]
  steps: readonly ExecutedStep[]
}

export interface ScenarioContext extends CallContext {
  run: RunRow
  stored: Pick<StoredTraces, 'hashOf'>
  /** Where traces are reused; undefined when the run does not. */
  cache: CacheLookup | undefined
  /** Takes a cell that is finished, and whose trace is durable. */
  write(cell: NewResult): void
}

/** What a cell leads to for the steps that read it. */
type Outcome = { traced: TracedCall } | { failure: string }

/** The outcomes of the application so far, by repeat. */
interface Upstream {
  step: ExecutedStep
  outcomes: ReadonlyMap<number, Outcome>
}

/**
 * Executes the cells of a scenario that its task addresses and that are not settled: step by step, all repeats of a
 * step together. Resolves when all of them have been passed to `write`. Rejects when the signal aborts or a trace is
 * lost.
 */
export async function executeScenario(context: ScenarioContext, scenario: LoadedScenario): Promise<void> {
  const planned = planCells(context.run, scenario.source.step_key)
  const writes: Promise<void>[] = []
  let upstream: Upstream | undefined
  for (const step of scenario.steps) {
    const cells = planned.filter(({ step_key, does }) => step_key === step.key && does === 'execute')
    const run = new StepRun(context, scenario, { step, upstream, writes })
    const outcomes = await Promise.all(cells.map(async cell => [cell.repeat_idx, await run.execute(cell)] as const))
    if (step.type === 'invocation') upstream = { step, outcomes: new Map(outcomes) }
  }
  await Promise.all(writes)
}

interface StepPlace {
  step: ExecutedStep
  upstream: Upstream | undefined
  writes: Promise<void>[]
}

/** The cells of one step of one scenario. */
class StepRun {
  readonly #context: ScenarioContext
  readonly #scenario: LoadedScenario
  readonly #place: StepPlace

  constructor(context: ScenarioContext, scenario: LoadedScenario, place: StepPlace) {
    this.#context = context
    this.#scenario = scenario
    this.#place = place
  }

  async execute(cell: PlannedCell): Promise<Outcome> {
    const { claimed, cells, source } = this.#scenario
    const stored = cells.find(one => one.step_key === cell.step_key && one.repeat_idx === cell.repeat_idx)
    if (!isInSlice(claimed.task, cell) || this.#isSettled(cell, stored)) return this.#storedOutcome(cell, stored)
    const judged = this.#judged(cell)
    if (judged && 'failure' in judged) return this.#fail(cell, { message: judged.failure })
    if (source.missing !== undefined) return this.#fail(cell, { message: source.missing })
    return this.#call(cell, judged?.traced)
  }

  /** Whether a cell needs no execution for the task: it is a success that may stay, or was written by this task. */
  #isSettled(cell: PlannedCell, stored: StoredCell | undefined): boolean {
    const { task } = this.#scenario.claimed
    if (!stored || !['success', 'failure'].includes(stored.status)) return false
    if (stored.status === 'success' && !task.overwrite) return true
    const { trace_id } = stored
    return trace_id !== null && this.#attemptIds(cell).includes(asTraceId(trace_id))
  }

  #attemptIds(cell: PlannedCell): string[] {
    const { claimed } = this.#scenario
    return attemptTraceIds({ ...keyOf(cell), task_id: claimed.task.id, scenario_id: claimed.id }, this.#attemptsMax)
  }

  get #attemptsMax(): number {
    return this.#context.limits.attemptsMax
  }

  #storedOutcome({ step_key }: PlannedCell, stored: StoredCell | undefined): Outcome {
    if (!stored) return { failure: `The step ${step_key} has no result.` }
    if (stored.status !== 'success' || stored.trace_id === null)
      return { failure: `The step ${step_key} did not succeed: its result is ${stored.status}.` }
    const trace_id = asTraceId(stored.trace_id)
    const traced = this.#context.found.get(trace_id)
    return traced ? { traced } : { failure: `The trace ${trace_id} of the step ${step_key} was deleted.` }
  }

  /** What an evaluator's cell judges; undefined where there is no application. */
  #judged({ repeat_idx }: PlannedCell): Outcome | undefined {
    const { step, upstream } = this.#place
    if (step.type === 'invocation' || !upstream) return undefined
    const repeat = this.#context.run.flags.is_split ? repeat_idx : 0
    const outcome = upstream.outcomes.get(repeat) ?? { failure: `The step ${upstream.step.key} has no result.` }
    if ('traced' in outcome) return outcome
    return { failure: `The step ${upstream.step.key} failed, so it was not evaluated: ${outcome.failure}` }
  }

  async #call(cell: PlannedCell, judged: TracedCall | undefined): Promise<Outcome> {
    const { source } = this.#scenario
    const { step } = this.#place
    const isEvaluator = step.type === 'annotation'
    const references = { ...source.references, ...step.references }
    const place = judged?.place ?? source.place
    const links: Record<string, { trace_id: string; span_id: string }> = {}
    if (isEvaluator && place) links.invocation = place
    const hash_id = this.#context.stored.hashOf(references, links)
    const cached = hash_id && step.revision_id && (await this.#cached({ hash_id, revision_id: step.revision_id }))
    if (cached) return this.#succeed(cell, { traced: cached, hash_id, recorded: Promise.resolve() })
    if (!step.workflow) return this.#fail(cell, step.failure as CallStatus, { hash_id })
    const request = {
      inputs: projected(source.inputs, step.inputKeys),
      outputs: isEvaluator ? (judged?.outputs ?? source.outputs) : undefined,
      trace: isEvaluator ? (judged?.trace ?? source.trace) : undefined,
      testcase: source.testcase,
      flags: step.flags,
      references,
      links,
    }
    const { claimed } = this.#scenario
    const key = { ...keyOf(cell), task_id: claimed.task.id, scenario_id: claimed.id }
    const { result, attempts } = await callUntilSuccess(this.#context, { workflow: step.workflow, key, request })
    const { status, traced, recorded } = result
    const meta = attempts.length > 1 ? { attempts } : undefined
    if (status.code === 200) return this.#succeed(cell, { traced, hash_id, meta, recorded })
    return this.#fail(cell, status, { hash_id, meta, trace_id: traced.place.trace_id, recorded })
  }

  /** A trace with the same hash that no other cell of the scenario has. */
  async #cached(call: CachedCall): Promise<TracedCall | undefined> {
    const { cache } = this.#context
    const used = this.#scenario.cells.flatMap(({ trace_id }) => (trace_id === null ? [] : [asTraceId(trace_id)]))
    return cache?.take(this.#scenario.claimed.id, call, used)
  }

  #succeed(
    cell: PlannedCell,
    { traced, recorded, ...more }: Finished & { traced: TracedCall; recorded: Promise<void> },
  ): Outcome {
    this.#write(cell, { ...more, status: 'success', trace_id: traced.place.trace_id }, recorded)
    return { traced }
  }

  #fail(
    cell: PlannedCell,
    error: JsonObject,
    { recorded, ...more }: Finished & { trace_id?: string; recorded?: Promise<void> } = {},
  ): Outcome {
    this.#write(cell, { ...more, status: 'failure', error }, recorded ?? Promise.resolve())
    return { failure: String(error.message) }
  }

  /** The cell is not written before its trace is durable; the next step does not wait for that. */
  #write(
    cell: PlannedCell,
    { trace_id, ...more }: Finished & { trace_id?: string } & Pick<NewResult, 'status'> & { error?: JsonObject },
    recorded: Promise<void>,
  ): void {
    const { claimed, source } = this.#scenario
    const { run, write } = this.#context
    const row = {
      run_id: run.id,
      scenario_id: claimed.id,
      ...keyOf(cell),
      // Such as the message of an error.
      ...withoutNuls(more),
      trace_id: trace_id && asUuid(trace_id),
      testcase_id: source.testcase_id,
      timestamp: claimed.timestamp ?? undefined,
      interval: claimed.interval ?? undefined,
    }
    const written = recorded.then(() => write(row as NewResult))
    // It is awaited at the end of the scenario, which may be later than it fails.
    written.catch(() => {})
    this.#place.writes.push(written)
  }
}

/** Of a cell that is finished. */
interface Finished {
  hash_id?: Uuid
  meta?: { attempts: Json[] }
}

const keyOf = ({ step_key, repeat_idx }: PlannedCell) => ({ step_key, repeat_idx })

/** The inputs that a revision declares; all where it declares none. */
function projected(inputs: JsonObject | undefined, keys: ReadonlySet<string> | undefined): JsonObject | undefined {
  if (!inputs || !keys) return inputs
  return Object.fromEntries(Object.entries(inputs).filter(([key]) => keys.has(key)))
}
