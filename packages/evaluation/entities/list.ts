import { type JsonObject, microsToIso, type Uuid } from '@spanhouse/model'
import { listOf, listWindow, type RowList, type RowSize, sql } from '@spanhouse/postgres'
import { sizeOf } from '@spanhouse/registry'
import type { WindowingBody } from '@spanhouse/validation'
import type { Scope } from '../scope.ts'
import type { Condition } from './conditions.ts'
import { ENTITIES, type Entity } from './entity.ts'
import { conditionsOf, type Filter } from './filters.ts'
import type { EntityName, RowOf } from './rows.ts'
import { selectRows, tableOf } from './select.ts'

/** Rows of which one statement returns: small ones, mostly. */
const BATCH_ROWS = 2_000

export interface EntityQuery {
  filter?: Filter
  windowing?: WindowingBody
  /** Further conditions on the table `t`. */
  where?: readonly Condition[]
  /** Instead of the entity's own. */
  fullPageGoesOn?: boolean
}

/**
 * The rows that a query asks for, in the order of their ids: everything when the windowing has no limit. What is
 * answered as windowing leads to the next page.
 */
export async function listRows<E extends EntityName>(
  scope: Scope,
  name: E,
  { filter, windowing = {} as WindowingBody, where = [], ...query }: EntityQuery,
): Promise<RowList<RowOf[E]>> {
  const entity = { ...ENTITIES[name], ...query }
  // One row more than the page tells whether there is more.
  const limit = windowing.limit === undefined ? undefined : windowing.limit + 1
  const window = listWindow(
    { ...windowing, limit },
    {
      created_at: sql`t.created_at`,
      by: [sql`t.id`],
      areIdsTimed: true,
      isAscending: (windowing.order ?? entity.order) === 'ascending',
    },
  )
  const conditions = [
    sql`t.project_id = ${scope.project_id}`,
    ...conditionsOf(name, filter),
    ...foundByScenario(scope, name, filter),
    ...where,
    ...window.conditions,
  ]
  const { rows } = await sql<RowSize>`select t.id, ${bytesOf(name)} as bytes from ${tableOf(name)}
    where ${sql.join(conditions, sql` and `)} ${window.tail}`.execute(scope.db)
  const read = (batch: readonly RowSize[]): Promise<RowOf[E][]> =>
    selectRows(scope, name, { where: [sql`t.id = any(${batch.map(({ id }) => id)}::uuid[])`] })
  const page = rows.slice(0, windowing.limit)
  return listOf(page, read, { windowing: nextWindowing(entity, rows, windowing), batchRows: BATCH_ROWS })
}

/**
 * What belongs to scenarios is in indexes by its run. If only scenarios are asked for, it is found by theirs: there is
 * no index by scenario, and everything in the project was read.
 */
function foundByScenario({ project_id }: Scope, name: EntityName, filter: Filter = {}): Condition[] {
  const { run_id, run_ids, scenario_id, scenario_ids } = filter
  if ((name !== 'results' && name !== 'metrics') || run_id !== undefined || run_ids !== undefined) return []
  const ids = scenario_id === undefined ? scenario_ids : [scenario_id]
  if (!Array.isArray(ids)) return []
  return [
    sql`t.id = any(array(select x.id from evaluation_scenarios s cross join lateral (
        select b.id from ${sql.ref(ENTITIES[name].table)} b
        where b.project_id = s.project_id and b.run_id = s.run_id and b.scenario_id = s.id offset 0
      ) x where s.project_id = ${project_id} and s.id = any(${ids as Uuid[]}::uuid[])))`,
  ]
}

/** Columns that may be long. */
const LONG = new Set(['name', 'description', 'tags', 'meta', 'data', 'error'])

/** The size of a row `t`: as it is stored, and the text of its long columns, which is stored compressed. */
const bytesOf = (name: EntityName): Condition => {
  const long = ENTITIES[name].columns.filter(one => LONG.has(one))
  return sql`pg_column_size(t) + ${sizeOf('t', long)}`
}

/** What leads on from a page, of which one row more than its limit was read. */
function nextWindowing(
  { fullPageGoesOn }: Entity,
  read: readonly RowSize[],
  windowing: Partial<WindowingBody>,
): JsonObject | undefined {
  const { limit } = windowing
  if (limit === undefined || read.length < limit || (read.length === limit && !fullPageGoesOn)) return undefined
  return echoedWindowing(windowing, read[limit - 1]?.id as string)
}

/** The windowing that asks for what follows a row. */
export function echoedWindowing({ newest, oldest, order, limit }: Partial<WindowingBody>, next: string): JsonObject {
  return {
    ...(newest !== undefined && { newest: microsToIso(newest) }),
    ...(oldest !== undefined && { oldest: microsToIso(oldest) }),
    ...(limit !== undefined && { limit }),
    ...(order !== undefined && { order }),
    next,
  }
}
