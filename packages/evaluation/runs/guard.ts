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

/** A 409: the run is closed. */
export const closedRun = (what: Guarded): Problem =>
  new Problem('conflict', { message: 'The run is closed: open it before you change anything of it.', ...what })

/**
 * How much of a run is kept from others until the transaction ends. `share`: it stays open; many may write below it at
 * once. `change`: the run itself, or what its status follows from, is written.
 */
export type LockMode = 'share' | 'change'

const LOCKS: Record<LockMode, string> = { share: 'for share', change: 'for no key update' }

/** The runs with these ids, locked in the order of their ids, so that no two callers wait for each other. */
export async function lockRuns(scope: Scope, ids: readonly Uuid[], mode: LockMode): Promise<Map<Uuid, RunRow>> {
  const where = [isAmong('id', [...new Set(ids)], 'uuid')]
  const rows = await selectRows(scope, 'runs', { where, tail: sql`order by t.id ${sql.raw(LOCKS[mode])}` })
  return new Map(rows.map(row => [row.id, row]))
}

/** As {@link lockRuns} for what is about to be changed. Throws a 409 for the first of it whose run is closed. */
export async function lockOpenRuns(scope: Scope, what: readonly Guarded[], mode: LockMode): Promise<Map<Uuid, RunRow>> {
  const ids = what.map(one => one.run_id)
  const runs = await lockRuns(scope, ids, mode)
  const closed = what.find(one => runs.get(one.run_id)?.flags.is_closed)
  if (closed) throw closedRun(closed)
  return runs
}

/** As {@link lockOpenRuns} for one run, undefined when there is none. */
export async function lockOpenRun(scope: Scope, id: Uuid, mode: LockMode): Promise<RunRow | undefined> {
  return (await lockOpenRuns(scope, [{ run_id: id }], mode)).get(id)
}
