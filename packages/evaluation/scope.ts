import type { JsonObject, Uuid } from '@spanhouse/model'
import type { Database, Trx } from '@spanhouse/postgres'
import type { Kind, Scope as RegistryScope } from '@spanhouse/registry'
import type { RuntimeSettings } from '@spanhouse/runtime'
import type { MetricsRow } from './entities/rows.ts'

/** Where and for whom something is done: every statement takes its project from here. */
export interface Scope {
  db: Database | Trx
  project_id: Uuid
  /** The user who started the work; null if unknown. */
  user_id: Uuid | null
  runtime: RuntimeSettings
  dispatcher?: Dispatcher
  metrics?: Metrics
}

/** The same place, as the registry sees it for one kind of record. */
export const registryScope = ({ db, project_id, user_id, runtime }: Scope, kind: Kind): RegistryScope => ({
  db,
  project_id,
  user_id,
  runtime,
  kind,
  mayDeploy: false,
})

/**
 * Executes the work that is stored in the tables: `work` of scenarios (a list of {@link Task}s) and of runs ({@link
 * RunWork}). Workers poll the tables; this call only saves them the wait for the next poll.
 */
export interface Dispatcher {
  /** Called after the commit that stored work of this run. Must not throw, and must not wait for the work. */
  start(run: { project_id: Uuid; id: Uuid }): void
}

/**
 * Computes metrics (section 4 of the interface); see `createMetrics`. Without it, whatever asks for them answers 501.
 */
export interface Metrics {
  /**
   * Computes the row of each place and stores those that have traces. The run is open and each place exists. Called
   * outside of transactions. Traces that were accepted before and are not stored yet are waited for: some seconds, or
   * with a signal for some minutes, until it aborts.
   */
  update(scope: Scope, places: readonly MetricsPlace[], signal?: AbortSignal): Promise<void>
  /** Takes note that metrics could not be computed after a change. The next refresh computes them. */
  missed(error: unknown, run_ids: readonly Uuid[]): void
  /** As `update`, and returns what is to be answered, in order. */
  refresh(scope: Scope, places: readonly MetricsPlace[]): Promise<MetricsRow[]>
}

/** Which row of metrics: the run's, a scenario's, or a bucket's. */
export interface MetricsPlace {
  run_id: Uuid
  scenario_id?: Uuid
  /** The start of a bucket, ISO 8601. */
  timestamp?: string
  /** Its length in minutes. */
  interval?: number
}

/**
 * One call for the execution of a scenario. Tasks of a row add up. An absent member means all. The worker that has
 * executed all tasks clears `work`, unless it has changed since the claim.
 */
export interface Task extends JsonObject {
  /** The ids of the traces of its calls follow from it. */
  id: Uuid
  /** The user for whom the worker acts; null: none. */
  user_id: Uuid | null
}

/** The members of a {@link Task} that limit it. */
export interface TaskSlice {
  step_keys?: string[]
  repeat_idxs?: number[]
  /** Execute all cells; otherwise only those that are missing or have failed. */
  overwrite?: boolean
}

/**
 * What is to be done for a run as a whole. `mint`: a stored query is to be carried out, once or (live) again and again.
 * `finish`: once no scenario has work any more, its metrics are computed and its status follows; every run whose
 * scenarios have work has this too, so that workers find such runs without looking at scenarios.
 */
export interface RunWork extends JsonObject {
  kind: 'mint' | 'finish'
  user_id: Uuid | null
}
