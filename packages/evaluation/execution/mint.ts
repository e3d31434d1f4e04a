import { invalid, type Uuid } from '@spanhouse/model'
import { newId } from '@spanhouse/postgres'
import type { Status } from '../entities/fields.ts'
import type { RunRow } from '../entities/rows.ts'
import { insertRows } from '../entities/write.ts'
import { type NewResult, upsertCells } from '../grid/results.ts'
import type { Scope, Task } from '../scope.ts'
import { storeFinish } from './enqueue.ts'
import { planCells } from './plan.ts'

/** Cells that one call makes at most. */
const MINTED_CELLS_MAX = 1_000_000

/** What a scenario comes from: a testcase or a trace, found by an input step. */
export interface Source {
  step_key: string
  testcase_id?: Uuid
  trace_id?: Uuid
  /** The bucket it was found in, of live runs. */
  timestamp?: string
  interval?: number
}

/** How many sources one call can make scenarios of: one at least, since a run has no more cells for one than that. */
export const mintedMax = (run: RunRow): number => Math.floor(MINTED_CELLS_MAX / planCells(run, '').length)

/**
 * Creates a scenario for each source, in order, with the cells that the server does not execute: those of the source
 * and those that a person or another client writes. If the server has cells to execute, the scenario is `running` and
 * has its work, otherwise it is `pending`. Returns their ids. The run is locked and open.
 */
export async function mintScenarios(scope: Scope, run: RunRow, sources: readonly Source[]): Promise<Uuid[]> {
  const cellsOf = new Map([...new Set(sources.map(({ step_key }) => step_key))].map(key => [key, planCells(run, key)]))
  const total = sources.reduce((sum, { step_key }) => sum + (cellsOf.get(step_key)?.length ?? 0), 0)
  if (total > MINTED_CELLS_MAX)
    throw invalid(`steps, repeats and sources: ${total} cells; a request may create at most ${MINTED_CELLS_MAX}`)
  const task: Task = { id: newId(), user_id: scope.user_id }
  const scenarios = sources.map(source => {
    const cells = cellsOf.get(source.step_key) ?? []
    const { timestamp, interval } = source
    const isExecuted = cells.some(({ does }) => does === 'execute')
    const status: Status = isExecuted ? 'running' : 'pending'
    return { id: newId(), run_id: run.id, status, work: isExecuted ? [task] : null, timestamp, interval, source, cells }
  })
  await insertRows(scope, 'scenarios', {
    columns: ['id', 'run_id', 'status', 'work', 'timestamp', 'interval'],
    rows: scenarios.map(({ source: _source, cells: _cells, ...row }) => row),
  })
  const cells = scenarios.flatMap(({ id, cells, source }) =>
    cells.flatMap(cell => (cell.does === 'execute' ? [] : [toResult(run.id, id, { ...cell, source })])),
  )
  await upsertCells(scope, cells)
  if (scenarios.some(({ work }) => work !== null)) await storeFinish(scope, run.id)
  return scenarios.map(({ id }) => id)
}

/** A cell of a source, or one that a person or client writes. Only cells of sources have traces. */
function toResult(
  run_id: Uuid,
  scenario_id: Uuid,
  { step_key, repeat_idx, does, source }: { step_key: string; repeat_idx: number; does: string; source: Source },
): NewResult {
  const { testcase_id, trace_id, timestamp, interval } = source
  const isSource = does === 'source'
  return {
    run_id,
    scenario_id,
    step_key,
    repeat_idx,
    status: isSource ? 'success' : 'pending',
    testcase_id,
    trace_id: isSource ? trace_id : undefined,
    timestamp,
    interval,
  } as NewResult
}
