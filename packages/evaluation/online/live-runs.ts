import {
  isJsonObject,
  type JsonObject,
  type Micros,
  microsToIso,
  parseTime,
  type TraceId,
  type Uuid,
} from '@spanhouse/model'
import { type Database, sql, toJsonb } from '@spanhouse/postgres'
import { findRevision, inTransaction, KINDS } from '@spanhouse/registry'
import { asTraceId, asUuid } from '../engine/trace-ids.ts'
import { isAmong } from '../entities/conditions.ts'
import type { RunRow } from '../entities/rows.ts'
import { mintedMax, mintScenarios, type Source } from '../execution/mint.ts'
import { lockRuns } from '../runs/guard.ts'
import { stepsOf } from '../runs/run-data.ts'
import { setClosed } from '../runs/runs.ts'
import { registryScope, type Scope } from '../scope.ts'
import { findsInvocations } from '../simple/finds-invocations.ts'

/** A live run that is to be followed. */
export interface LiveRun {
  project_id: Uuid
  id: Uuid
  /** Who it is evaluated for. */
  user_id: Uuid | null
  looked_until: Micros
}

const IS_FOLLOWED = sql`t.status = 'running' and t.flags @> '{"is_live": true, "is_active": true, "is_closed": false}'`

/** Every live run that is to be followed. */
export async function followedRuns(db: Database): Promise<LiveRun[]> {
  const { rows } = await sql<Omit<LiveRun, 'looked_until'> & { looked_until: string }>`
    select t.project_id, t.id, t.created_by_id as user_id, o.looked_until
    from evaluation_runs t join evaluation_online_runs o on o.project_id = t.project_id and o.run_id = t.id
    where ${IS_FOLLOWED} order by t.project_id, t.id`.execute(db)
  return rows.map(row => ({ ...row, looked_until: parseTime(row.looked_until) as Micros }))
}

/** Records that everything stored before a time has been looked at. */
export const setLookedUntil = async (db: Database, run: LiveRun, looked_until: Micros): Promise<void> => {
  await sql`update evaluation_online_runs set looked_until = greatest(looked_until, ${microsToIso(looked_until)}::timestamptz)
    where project_id = ${run.project_id} and run_id = ${run.id}`.execute(db)
}

/** A pinned query of a run. */
export interface LiveQuery {
  step_key: string
  filter: JsonObject
  rate: number | undefined
}

/** The queries of a run; undefined when one is gone, or does not ask for invocations alone. */
export async function queriesOf(scope: Scope, run: RunRow): Promise<LiveQuery[] | undefined> {
  const queries: LiveQuery[] = []
  for (const { key, references } of stepsOf(run)) {
    const id = references.query_revision?.id
    if (id === undefined) continue
    const revision = await findRevision(registryScope(scope, KINDS.query), { revision: { id } })
    const data = revision?.data
    if (!data || !findsInvocations(data)) return undefined
    const { rate } = isJsonObject(data.windowing) ? data.windowing : {}
    queries.push({
      step_key: key,
      filter: data.filtering as JsonObject,
      rate: typeof rate === 'number' ? rate : undefined,
    })
  }
  return queries
}

/** Ends a run that cannot be followed, as one that is refused: inactive and closed. */
export async function endRun(scope: Scope, id: Uuid): Promise<void> {
  await setClosed(scope, [id], { isClosed: true, status: 'failure' })
}

/** A trace that a query of a run has found. */
export interface FoundTrace {
  step_key: string
  trace_id: TraceId
  start_time: Micros
}

const MINUTE_MICROS = 60_000_000
const minuteOf = (time: Micros): string => microsToIso(Math.floor(time / MINUTE_MICROS) * MINUTE_MICROS)

/**
 * Makes a scenario for each trace that the run has not taken up yet, in the bucket of the minute in which the trace
 * began; of as many as one transaction can, so it is to be called until nothing is left. Nothing happens when the run
 * is not followed any more. Returns how many were made.
 */
export function takeUp(scope: Scope, run_id: Uuid, found: readonly FoundTrace[]): Promise<number> {
  return inTransaction(scope, async inside => {
    const run = (await lockRuns(inside, [run_id], 'change')).get(run_id)
    if (!run || !isFollowed(run)) return 0
    const known = await knownOf(inside, run_id, found)
    const distinct = [...new Map(found.map(one => [one.trace_id, one])).values()]
    const fresh = distinct.filter(one => !known.has(one.trace_id)).slice(0, mintedMax(run))
    if (fresh.length === 0) return 0
    const sources = fresh.map(
      ({ step_key, trace_id, start_time }): Source => ({
        step_key,
        trace_id: asUuid(trace_id),
        timestamp: minuteOf(start_time),
        interval: 1,
      }),
    )
    const scenarios = await mintScenarios(inside, run, sources)
    const taken = sources.map(({ trace_id }, n) => ({ trace_id, scenario_id: scenarios[n] }))
    await sql`insert into evaluation_online_traces (project_id, run_id, trace_id, scenario_id)
      select ${scope.project_id}::uuid, ${run_id}::uuid, x.trace_id, x.scenario_id
      from jsonb_to_recordset(${toJsonb(taken as never)}::jsonb) as x(trace_id uuid, scenario_id uuid)`.execute(
      inside.db,
    )
    return fresh.length
  })
}

export const isFollowed = ({ status, flags }: RunRow): boolean =>
  status === 'running' && flags.is_live && flags.is_active && !flags.is_closed

async function knownOf({ db, project_id }: Scope, run_id: Uuid, found: readonly FoundTrace[]): Promise<Set<TraceId>> {
  const ids = found.map(({ trace_id }) => asUuid(trace_id))
  const { rows } = await sql<{ trace_id: Uuid }>`select t.trace_id from evaluation_online_traces t
    where t.project_id = ${project_id} and t.run_id = ${run_id} and ${isAmong('trace_id', ids, 'uuid')}`.execute(db)
  return new Set(rows.map(({ trace_id }) => asTraceId(trace_id)))
}
