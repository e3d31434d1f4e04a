import { Problem, type Uuid } from '@spanhouse/model'
import { sql } from '@spanhouse/postgres'
import { isAmong } from '../entities/conditions.ts'
import type { RunRow } from '../entities/rows.ts'
import { selectRows } from '../entities/select.ts'
import type { Scope } from '../scope.ts'

/** What of a closed run was about to be changed, for the caller. */
export interface Guarded {
  run_id: Uuid
  scenario_id?: Uuid
  result_id?: Uuid
  metrics_id?: Uuid
  queue_id?: Uuid
}

/** A 409: the run is closed. What was to be written may have more members than the caller is told. */
function closedRun({ run_id, scenario_id, result_id, metrics_id, queue_id }: Guarded): Problem {
  const ids = Object.entries({ run_id, scenario_id, result_id, metrics_id, queue_id }).filter(
    ([, id]) => id !== undefined,
  )
  return new Problem('conflict', {
    message: 'The run is closed: open it before changing it.',
    ...Object.fromEntries(ids),
  })
}

/**
 * How a run is locked until the transaction ends. `share`: it stays open, and others may write its scenarios and cells.
 * `change`: the run itself is written, or rows that determine its status.
 */
export type LockMode = 'share' | 'change'

const LOCKS: Record<LockMode, string> = { share: 'for share', change: 'for no key update' }

/** The runs with these ids, locked in the order of their ids, so that no two callers wait for each other. */
export async function lockRuns(scope: Scope, ids: readonly Uuid[], mode: LockMode): Promise<Map<Uuid, RunRow>> {
  const where = [isAmong('id', [...new Set(ids)], 'uuid')]
  const rows = await selectRows(scope, 'runs', { where, tail: sql`order by t.id ${sql.raw(LOCKS[mode])}` })
  return new Map(rows.map(row => [row.id, row]))
}

/** As {@link lockRuns}, before a change. Throws a 409 for the first item whose run is closed. */
export async function lockOpenRuns(scope: Scope, what: readonly Guarded[], mode: LockMode): Promise<Map<Uuid, RunRow>> {
  const ids = what.map(one => one.run_id)
  const runs = await lockRuns(scope, ids, mode)
  const closed = what.find(one => runs.get(one.run_id)?.flags.is_closed)
  if (closed) throw closedRun(closed)
  return runs
}

/** As {@link lockOpenRuns} for one run; undefined if it does not exist. */
export async function lockOpenRun(scope: Scope, id: Uuid, mode: LockMode): Promise<RunRow | undefined> {
  return (await lockOpenRuns(scope, [{ run_id: id }], mode)).get(id)
}
