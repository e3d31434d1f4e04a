import type { Uuid } from '@spanhouse/model'
import { sql } from '@spanhouse/postgres'
import { inTransaction } from '@spanhouse/registry'
import { type Condition, isAmong } from '../entities/conditions.ts'
import type { MetricsRow, RunRow } from '../entities/rows.ts'
import { deleteRows } from '../entities/write.ts'
import type { MetricsPlace, Scope } from '../scope.ts'
import { lockOpenRun } from './guard.ts'
import { rollUpRemaining, rollUpRun, rollUpScenarios } from './roll-up.ts'
import { humanKeys, repeatsOf } from './run-data.ts'

/**
 * Deletes cells of a run, with the metrics that counted them: those of their scenarios, of their buckets and of the
 * run. Stale metrics would be worse than none; the next refresh computes them again. Returns the scenarios that had
 * such cells.
 */
export async function dropCells(scope: Scope, run_id: Uuid, where: readonly Condition[]): Promise<Uuid[]> {
  const { db, project_id } = scope
  const conditions = sql.join([sql`t.project_id = ${project_id}`, sql`t.run_id = ${run_id}`, ...where], sql` and `)
  const { rows } = await sql<{ scenario_id: Uuid }>`with gone as (
      delete from evaluation_results t where ${conditions} returning t.scenario_id
    ) select distinct scenario_id from gone order by scenario_id`.execute(db)
  const scenarios = rows.map(({ scenario_id }) => scenario_id)
  if (scenarios.length > 0) await dropMetrics(scope, run_id, scenarios)
  return scenarios
}

/** Scenarios that one transaction takes cells of: others have their turn in between. */
const PART_SCENARIOS = 500

/**
 * Does work for the scenarios of a run, or only those `among` these, in the order of their ids: few at a time, in a
 * transaction in which the run is locked for a change. If the request's time is up, what is done stays done. Returns
 * what all parts have returned. Throws a 409 if the run is closed.
 */
export async function inParts(
  scope: Scope,
  run_id: Uuid,
  work: (inside: Scope, run: RunRow, part: readonly Uuid[]) => Promise<Uuid[]>,
  among?: readonly Uuid[],
): Promise<Uuid[]> {
  const isAmongThese = among ? [isAmong('id', among, 'uuid')] : []
  const all: Uuid[] = []
  let after: Uuid | undefined
  do {
    after = await inTransaction(scope, async inside => {
      const run = await lockOpenRun(inside, run_id, 'change')
      if (!run) return undefined
      const part = await scenariosAfter(inside, run_id, { after, where: isAmongThese })
      if (part.length > 0) all.push(...(await work(inside, run, part)))
      return part.length < PART_SCENARIOS ? undefined : part.at(-1)
    })
  } while (after !== undefined)
  return all
}

async function scenariosAfter(
  { db, project_id }: Scope,
  run_id: Uuid,
  { after, where }: { after: Uuid | undefined; where: readonly Condition[] },
): Promise<Uuid[]> {
  const conditions = [sql`t.project_id = ${project_id}`, sql`t.run_id = ${run_id}`, ...where]
  if (after) conditions.push(sql`t.id > ${after}::uuid`)
  const { rows } = await sql<{ id: Uuid }>`select t.id from evaluation_scenarios t
    where ${sql.join(conditions, sql` and `)} order by t.id limit ${PART_SCENARIOS}`.execute(db)
  return rows.map(({ id }) => id)
}

/** Of which scenarios something is taken out; undefined: all. */
type Part = readonly Uuid[] | undefined

const isInPart = (part: Part): Condition[] => (part ? [isAmong('scenario_id', part, 'uuid')] : [])

/**
 * Deletes the cells of repeats that a run does not have, and the metrics that counted them. Where the run had more
 * repeats until now (`isFewer`), statuses of all scenarios follow if there are people, since a person's cell is waited
 * for before there is one. Otherwise those of scenarios that had such cells do. The run's follows, too. Returns the
 * scenarios that had such cells. The run is locked for a change.
 */
export async function dropRepeats(
  scope: Scope,
  run: RunRow,
  { isFewer, part }: { isFewer: boolean; part?: Part },
): Promise<Uuid[]> {
  const touched = await dropCells(scope, run.id, [sql`t.repeat_idx >= ${repeatsOf(run)}`, ...isInPart(part)])
  const wasWaiting = isFewer && humanKeys(run).length > 0
  if (touched.length === 0 && !wasWaiting) return []
  await rollUpScenarios(scope, run, wasWaiting ? (part ?? 'all') : touched)
  await rollUpRun(scope, run.id)
  return touched
}

/**
 * Deletes the metrics of these scenarios, of their buckets and of the run, of all of these only those (`t`) that fulfil
 * `which`. Returns where those of the buckets and of the run were.
 */
export async function dropMetrics(
  scope: Scope,
  run_id: Uuid,
  scenarios: readonly Uuid[],
  which: Condition = sql`true`,
): Promise<MetricsPlace[]> {
  const isOfScenarios = isAmong('scenario_id', scenarios, 'uuid')
  const buckets = sql`select s."timestamp" from evaluation_scenarios s where s.project_id = ${scope.project_id}
    and s.id in (select one::uuid from jsonb_array_elements_text(${JSON.stringify(scenarios)}::jsonb) one)`
  const { rows } = await sql<MetricsRow>`delete from evaluation_metrics t
    where t.project_id = ${scope.project_id} and t.run_id = ${run_id} and ${which} and (${isOfScenarios}
      or (t.scenario_id is null and (t."timestamp" is null or t."timestamp" in (${buckets}))))
    returning t.scenario_id, t."timestamp", t."interval"`.execute(scope.db)
  return rows
    .filter(({ scenario_id }) => scenario_id === null)
    .map(({ timestamp, interval }) => ({ run_id, timestamp: timestamp ?? undefined, interval: interval ?? undefined }))
}

/** Deletes those of the scenarios that have no cell left, and returns those that stay. */
async function dropEmptyScenarios(scope: Scope, scenarios: readonly Uuid[]): Promise<Uuid[]> {
  const gone = await deleteRows(scope, 'scenarios', [
    isAmong('id', scenarios, 'uuid'),
    sql`not exists (select from evaluation_results r where r.project_id = t.project_id and r.run_id = t.run_id
      and r.scenario_id = t.id)`,
  ])
  const isGone = new Set(gone)
  return scenarios.filter(id => !isGone.has(id))
}

/**
 * Takes steps out of a run that has them no more: their cells, the scenarios that are left with none, and the metrics
 * that counted them. Where the run had them until now (`wereThere`), the statuses of all scenarios follow, since a
 * person's cell is waited for before there is one. Otherwise those of scenarios that had such cells do. The run's
 * follows, too. Returns the scenarios that had such cells and stay. The run is locked for a change.
 */
export async function dropSteps(
  scope: Scope,
  run: RunRow,
  { keys, wereThere, part }: { keys: readonly string[]; wereThere: boolean; part?: Part },
): Promise<Uuid[]> {
  if (keys.length === 0) return []
  const touched = await dropCells(scope, run.id, [isAmong('step_key', keys, 'text'), ...isInPart(part)])
  if (touched.length === 0 && !wereThere) return []
  const left = await dropEmptyScenarios(scope, touched)
  await rollUpScenarios(scope, run, wereThere ? (part ?? 'all') : touched)
  await (left.length < touched.length ? rollUpRemaining : rollUpRun)(scope, run.id)
  return left
}
