import type { Uuid } from '@spanhouse/model'
import { sql } from '@spanhouse/postgres'
import { STATUSES, type Status } from '../entities/fields.ts'
import type { Scope } from '../scope.ts'

/** How many rows have each status; statuses of none are left out. */
export interface Counts {
  total: number
  by_status: Partial<Record<Status, number>>
}

/** How far a run is. */
export interface RunProgress {
  run_id: Uuid
  status: Status
  is_active: boolean
  is_closed: boolean
  scenarios: Counts
  /** The cells that there are; those that are planned and not begun are not among them. */
  cells: Counts
  /** What the traces of all steps have cost in USD; absent until the metrics of the run are computed. */
  costs?: number
}

interface ProgressRow {
  status: Status
  is_active: boolean
  is_closed: boolean
  scenarios: Partial<Record<Status, number>> | null
  cells: Partial<Record<Status, number>> | null
  costs: number | null
}

/** The costs of each step in a row of metrics. Clients may have written any value; sums of these fit a number. */
const COSTS =
  '$.*."attributes.ag.metrics.costs.cumulative.total".sum ? (@.type() == "number" && @ < 1e300 && @ > -1e300)'

/** How far a run is, read in one statement; undefined when the project has no such run. */
export async function findProgress({ db, project_id }: Scope, run_id: Uuid): Promise<RunProgress | undefined> {
  const counted = (table: string) => sql`(select jsonb_object_agg(c.status, c.count) from (
      select t.status, count(*) as count from ${sql.ref(table)} t
      where t.project_id = r.project_id and t.run_id = r.id group by t.status) c)`
  const { rows } = await sql<ProgressRow>`
    select r.status, (r.flags -> 'is_active')::boolean as is_active, (r.flags -> 'is_closed')::boolean as is_closed,
      ${counted('evaluation_scenarios')} as scenarios, ${counted('evaluation_results')} as cells,
      (select round(sum((cost #>> '{}')::numeric), 15)::float8
        from evaluation_metrics m, jsonb_path_query(m.data::jsonb, ${COSTS}::jsonpath) cost
        where m.project_id = r.project_id and m.run_id = r.id and m.scenario_id is null and m."timestamp" is null
      ) as costs
    from evaluation_runs r where r.project_id = ${project_id} and r.id = ${run_id}`.execute(db)
  const [row] = rows
  if (!row) return undefined
  const { status, is_active, is_closed, scenarios, cells, costs } = row
  return {
    run_id,
    status,
    is_active,
    is_closed,
    scenarios: countsOf(scenarios),
    cells: countsOf(cells),
    ...(costs !== null && { costs }),
  }
}

/** In the order of the statuses, so that equal counts are equal texts. */
function countsOf(counts: Partial<Record<Status, number>> | null): Counts {
  const present = STATUSES.flatMap(one => (counts?.[one] === undefined ? [] : [[one, counts[one]] as const]))
  return { total: present.reduce((sum, [, count]) => sum + count, 0), by_status: Object.fromEntries(present) }
}

const LASTING: ReadonlySet<Status> = new Set(['success', 'failure', 'errors', 'cancelled'])

/** Whether the server will not change the run any more: it is closed, or is not active and has ended. */
export const isOver = ({ status, is_active, is_closed }: RunProgress): boolean =>
  is_closed || (!is_active && LASTING.has(status))
