import { setTimeout as delay } from 'node:timers/promises'
import { invalid, nextTurn, type Problem, type Uuid } from '@spanhouse/model'
import { currentUntil, databaseProblem, newId, sql } from '@spanhouse/postgres'
import { inTransaction } from '@spanhouse/registry'
import { optional, storedObject, uuid, z } from '@spanhouse/validation'
import { isAmong } from '../entities/conditions.ts'
import { int32, isoTime, labels, status, traceId } from '../entities/fields.ts'
import type { ResultRow, RunRow } from '../entities/rows.ts'
import { findRows } from '../entities/select.ts'
import { deleteRows, upsertRows, WRITE_ROWS_MAX } from '../entities/write.ts'
import { lockOpenRuns } from '../runs/guard.ts'
import { rollUpRun, rollUpScenarios } from '../runs/roll-up.ts'
import { humanKeys } from '../runs/run-data.ts'
import type { Scope } from '../scope.ts'

const REPEAT_IDX_MAX = 2 ** 31 - 1

/** A cell as it is written: whatever is left out becomes null, and the status `pending`. */
export const newResult = z.object({
  run_id: uuid,
  scenario_id: uuid,
  step_key: z.string(),
  repeat_idx: optional(z.int().min(0).max(REPEAT_IDX_MAX)).transform(given => given ?? 0),
  status: optional(status).transform(given => given ?? 'pending'),
  trace_id: optional(traceId),
  testcase_id: optional(uuid),
  hash_id: optional(uuid),
  error: optional(storedObject),
  interval: optional(int32),
  timestamp: optional(isoTime),
  flags: optional(storedObject),
  ...labels,
})
export type NewResult = z.output<typeof newResult>

const KEY = ['run_id', 'scenario_id', 'step_key', 'repeat_idx']
const OVERWRITTEN = [
  'status',
  'trace_id',
  'testcase_id',
  'hash_id',
  'error',
  'interval',
  'timestamp',
  'flags',
  'tags',
  'meta',
]

/** Which cell: unique within a project, as a scenario is of one run. */
const keyOf = ({ scenario_id, step_key, repeat_idx }: Cell): string => `${scenario_id}${repeat_idx} ${step_key}`
type Cell = Pick<NewResult, 'run_id' | 'scenario_id' | 'step_key' | 'repeat_idx'>

/**
 * Writes cells, each over what there was of it, and returns them in order; of two for the same cell the last counts.
 * Scenarios follow the cells that people write, and runs their scenarios. Many cells are written in parts, each with
 * the cells of few scenarios, so that others have their turn and hardly ever wait for the same scenario. Throws a 400
 * for a run or scenario that there is not, 409 for a run that is closed.
 */
export async function writeResults(scope: Scope, bodies: readonly NewResult[]): Promise<ResultRow[]> {
  const missing = await missingScenario(scope, bodies)
  if (missing) throw await refusalOf(scope, bodies, missing)
  const cells = newCells(bodies)
  const rows: ResultRow[] = []
  for (let from = 0; from < cells.length; from += WRITE_ROWS_MAX) {
    const part = cells.slice(from, from + WRITE_ROWS_MAX)
    const write = (): Promise<ResultRow[]> => writePart(scope, part)
    const written = await (from === 0 ? write() : persistently(write))
    for (const [n, row] of written.entries()) rows[(part[n] as NewCell).at] = row
    await nextTurn()
  }
  return rows
}

/** A request that has begun to write goes on when the database was busy, or away, for some seconds. */
const PAUSES_MS = [250, 500, 1_000, 2_000, 4_000]

/** Repeats work that fails for now after each pause, unless the time of the request is up. */
async function persistently<T>(work: () => Promise<T>): Promise<T> {
  for (const pauseMs of PAUSES_MS)
    try {
      return await work()
    } catch (error) {
      if (!databaseProblem(error)?.retryable) throw error
      await delay(pauseMs, undefined, { signal: currentUntil() }).catch(() => {
        throw error
      })
    }
  return work()
}

/** A cell with the id that it gets if it is new, and its place in the answer. */
type NewCell = NewResult & { id: Uuid; at: number }

/**
 * The last of each cell, with ids that ascend in the order in which they were sent. They come in the order in which
 * they are written: no two writers wait for each other, and the cells of a scenario stay together.
 */
function newCells(bodies: readonly NewResult[]): NewCell[] {
  const lasts = new Map<string, NewResult>()
  for (const body of bodies) {
    const key = keyOf(body)
    lasts.delete(key)
    lasts.set(key, body)
  }
  const keys = [...lasts.keys()]
  const cells = keys.map((key, at): NewCell => ({ ...(lasts.get(key) as NewResult), id: newId(), at }))
  const order = Uint32Array.from(cells.keys())
  order.sort((one, other) => ((keys[one] as string) < (keys[other] as string) ? -1 : 1))
  return Array.from(order, at => cells[at] as NewCell)
}

/** The first cell whose run or scenario there is not. With `key share` those that there are stay. */
async function missingScenario(
  { db, project_id }: Scope,
  cells: readonly Cell[],
  lock?: 'key share',
): Promise<Cell | undefined> {
  const ids = [...new Set(cells.map(({ scenario_id }) => scenario_id))]
  const { rows } = await sql<{ id: Uuid; run_id: Uuid }>`select t.id, t.run_id from evaluation_scenarios t
    where t.project_id = ${project_id} and ${isAmong('id', ids, 'uuid')}
    order by t.id ${lock ? sql`for key share` : sql``}`.execute(db)
  const runs = new Map(rows.map(({ id, run_id }) => [id, run_id]))
  return cells.find(({ run_id, scenario_id }) => runs.get(scenario_id) !== run_id)
}

const noScenario = ({ run_id, scenario_id }: Cell): Problem =>
  invalid(`scenario_id: the run ${run_id} has no scenario ${scenario_id}`)

/** The 400, unless one of the runs is closed: that comes first. */
function refusalOf(scope: Scope, cells: readonly Cell[], missing: Cell): Promise<Problem> {
  return inTransaction(scope, async inside => {
    await lockOpenRuns(inside, cells, 'share')
    return noScenario(missing)
  })
}

function writePart(scope: Scope, cells: readonly NewCell[]): Promise<ResultRow[]> {
  return inTransaction(scope, async inside => {
    const mode = (await someAreHuman(inside, cells)) ? 'change' : 'share'
    const runs = await lockOpenRuns(inside, cells, mode)
    const rows = await upsertSorted(inside, cells)
    await followCells(inside, runs, cells)
    return rows
  })
}

/** Whether statuses may follow from what is written, for which the run must be locked from the start. */
async function someAreHuman({ db, project_id }: Scope, cells: readonly Cell[]): Promise<boolean> {
  const ids = [...new Set(cells.map(({ run_id }) => run_id))]
  const { rows } = await sql`select from evaluation_runs t where t.project_id = ${project_id}
    and ${isAmong('id', ids, 'uuid')} and t.flags @> '{"has_human": true}' limit 1`.execute(db)
  return rows.length > 0
}

/**
 * Writes cells of runs that are locked and returns them in order. Their scenarios are locked, too, so that none goes
 * meanwhile: a 400 for one that there is not. Ids ascend in order.
 */
export async function upsertCells(scope: Scope, bodies: readonly NewResult[]): Promise<ResultRow[]> {
  const cells = newCells(bodies)
  const written = await upsertSorted(scope, cells)
  const rows: ResultRow[] = []
  for (const [n, row] of written.entries()) rows[(cells[n] as NewCell).at] = row
  return rows
}

async function upsertSorted(scope: Scope, cells: readonly NewCell[]): Promise<ResultRow[]> {
  const missing = await missingScenario(scope, cells, 'key share')
  if (missing) throw noScenario(missing)
  const written = await upsertRows<NewCell>(scope, 'results', {
    columns: ['id', ...KEY, ...OVERWRITTEN],
    rows: cells,
    key: KEY,
    keyOf,
    overwritten: OVERWRITTEN,
    set: sql`changed_in = pg_current_xact_id()`,
  })
  return written as unknown as ResultRow[]
}

/** Lets scenarios follow changes of their cells where these are people's, and the runs their scenarios. */
async function followCells(scope: Scope, runs: ReadonlyMap<Uuid, RunRow>, cells: readonly Cell[]): Promise<void> {
  for (const [run_id, run] of runs) {
    const human = new Set(humanKeys(run))
    const changed = cells.flatMap(cell =>
      cell.run_id === run_id && human.has(cell.step_key) ? [cell.scenario_id] : [],
    )
    if (changed.length === 0) continue
    await rollUpScenarios(scope, run, [...new Set(changed)])
    await rollUpRun(scope, run_id)
  }
}

/** Deletes cells and returns them. Throws a 409 when the run of one is closed. */
export function deleteResults(scope: Scope, ids: readonly Uuid[]): Promise<ResultRow[]> {
  return inTransaction(scope, async inside => {
    const found = await findRows(inside, 'results', ids)
    const guarded = found.map(({ id, run_id }) => ({ run_id, result_id: id }))
    const runs = await lockOpenRuns(inside, guarded, 'change')
    await deleteRows(inside, 'results', [isAmong('id', ids, 'uuid')])
    await followCells(inside, runs, found)
    return found
  })
}
