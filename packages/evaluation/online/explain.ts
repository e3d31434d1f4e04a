import {
  isJsonObject,
  type Json,
  type JsonObject,
  type Micros,
  parseTime,
  type TraceId,
  type Uuid,
} from '@spanhouse/model'
import { sql } from '@spanhouse/postgres'
import { type Engine, firstRootStoredAt, matchingRoots } from '@spanhouse/span-store'
import { asUuid } from '../engine/trace-ids.ts'
import type { RunRow } from '../entities/rows.ts'
import { stepsOf } from '../runs/run-data.ts'
import type { Scope } from '../scope.ts'
import { isFollowed, type LiveQuery, queriesOf } from './live-runs.ts'
import { isSampled, sampleOf } from './sample.ts'

/** Why a live run has evaluated a trace, or has not. */
export type Reason =
  | 'evaluated'
  | 'not_live'
  | 'not_active'
  | 'query_not_valid'
  | 'no_root'
  | 'not_sampled'
  | 'no_match'
  | 'before_start'
  | 'waiting'

/** What a query of the run says of the trace. */
export interface QueryExplanation {
  step_key: string
  /** Where the trace stands between 0 and 1; it is sampled when the rate is above that. */
  sample: number
  rate: number
  is_sampled: boolean
  matches: boolean
  /** The conditions of the query's top level that the root does not meet. */
  unmet: Json[]
}

export interface TraceExplanation {
  run_id: Uuid
  trace_id: TraceId
  reason: Reason
  message: string
  queries: QueryExplanation[]
  scenario_id?: Uuid
  /** The status of each evaluator's cells. */
  evaluators: { step_key: string; origin: string; statuses: string[] }[]
}

const MESSAGES: Record<Reason, string> = {
  evaluated: 'The trace has a scenario in this run.',
  not_live: 'The run is not live: it evaluates only the traces it was started with.',
  not_active: 'The run is not active: it was stopped, closed or has failed.',
  query_not_valid: 'A query of the run was deleted, or is not limited to invocations.',
  no_root: 'No root span of the trace is stored.',
  not_sampled: 'The rate of the query does not sample the trace.',
  no_match: 'The root of the trace does not match the query.',
  before_start: 'The trace was stored before the run was started.',
  waiting: 'The trace matches and will be evaluated.',
}

/** The maximum number of conditions that are examined one by one. */
const CONDITIONS_MAX = 20

/** Why a run has evaluated a trace, or has not. */
export async function explainTrace(
  scope: Scope,
  engine: Engine,
  { run, trace_id }: { run: RunRow; trace_id: TraceId },
): Promise<TraceExplanation> {
  const scenario_id = await scenarioOf(scope, run.id, trace_id)
  const found = run.flags.is_live ? await queriesOf(scope, run) : []
  const stored = await firstRootStoredAt(engine, scope.project_id, trace_id)
  const queries: QueryExplanation[] = []
  if (stored !== undefined)
    for (const query of found ?? []) queries.push(await explainQuery(scope, engine, { query, trace_id }))
  const reason = scenario_id ? 'evaluated' : await reasonOf(scope, { run, queries: found && queries, stored })
  const evaluators = scenario_id ? await evaluatorsOf(scope, run, scenario_id) : []
  const message = MESSAGES[reason]
  return { run_id: run.id, trace_id, reason, message, queries, ...(scenario_id && { scenario_id }), evaluators }
}

async function scenarioOf({ db, project_id }: Scope, run_id: Uuid, trace_id: TraceId): Promise<Uuid | undefined> {
  const { rows } = await sql<{ scenario_id: Uuid }>`select scenario_id from evaluation_online_traces
    where project_id = ${project_id} and run_id = ${run_id} and trace_id = ${asUuid(trace_id)}`.execute(db)
  return rows[0]?.scenario_id
}

async function reasonOf(
  { db, project_id }: Scope,
  { run, queries, stored }: { run: RunRow; queries: QueryExplanation[] | undefined; stored: Micros | undefined },
): Promise<Reason> {
  if (!run.flags.is_live) return 'not_live'
  if (!queries) return 'query_not_valid'
  if (!isFollowed(run)) return 'not_active'
  if (stored === undefined) return 'no_root'
  // Another rate would not help a trace that matches no query.
  if (!queries.some(({ matches }) => matches)) return 'no_match'
  if (!queries.some(({ is_sampled, matches }) => is_sampled && matches)) return 'not_sampled'
  const { rows } = await sql<{ started_at: string }>`select started_at from evaluation_online_runs
    where project_id = ${project_id} and run_id = ${run.id}`.execute(db)
  const started = rows[0] && parseTime(rows[0].started_at)
  return typeof started === 'number' && stored < started ? 'before_start' : 'waiting'
}

async function explainQuery(
  { project_id }: Scope,
  engine: Engine,
  { query: { step_key, filter, rate = 1 }, trace_id }: { query: LiveQuery; trace_id: TraceId },
): Promise<QueryExplanation> {
  const holds = async (one: JsonObject): Promise<boolean> =>
    (await matchingRoots(engine, project_id, { trace_ids: [trace_id], filters: [one] })).length > 0
  const matches = await holds(filter)
  const unmet: Json[] = []
  for (const condition of matches ? [] : topLevel(filter)) if (!(await holds(condition))) unmet.push(condition)
  return { step_key, sample: sampleOf(trace_id), rate, is_sampled: isSampled(trace_id, rate), matches, unmet }
}

/** The conditions that all have to hold. */
function topLevel(filter: JsonObject): JsonObject[] {
  const { operator = 'and', conditions } = filter
  if (operator !== 'and' || !Array.isArray(conditions)) return [filter]
  return conditions.filter(isJsonObject).slice(0, CONDITIONS_MAX)
}

async function evaluatorsOf({ db, project_id }: Scope, run: RunRow, scenario_id: Uuid) {
  const { rows } = await sql<{ step_key: string; status: string }>`select r.step_key, r.status from evaluation_results r
    where r.project_id = ${project_id} and r.run_id = ${run.id} and r.scenario_id = ${scenario_id}
    order by r.step_key, r.repeat_idx`.execute(db)
  return stepsOf(run).flatMap(({ key, type, origin }) => {
    if (type !== 'annotation') return []
    const statuses = rows.flatMap(({ step_key, status }) => (step_key === key ? [status] : []))
    return [{ step_key: key, origin, statuses }]
  })
}
