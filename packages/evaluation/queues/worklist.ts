import type { JsonObject, Uuid } from '@spanhouse/model'
import { createdWithin, listOf, type RowList, type RowSize, sql, toJsonb } from '@spanhouse/postgres'
import type { WindowingBody } from '@spanhouse/validation'
import { type Condition, isAmong } from '../entities/conditions.ts'
import { conditionsOf, type Filter } from '../entities/filters.ts'
import { echoedWindowing } from '../entities/list.ts'
import type { QueueRow, ScenarioRow } from '../entities/rows.ts'
import { selectRows } from '../entities/select.ts'
import type { Scope } from '../scope.ts'
import { type Block, type Dealing, dealingOf, lanesOf } from './assignment.ts'

export interface WorklistQuery {
  /** The users whose scenarios are listed; empty: all users. */
  users?: readonly Uuid[]
  /** Whether the queue's own `scenario_ids` limit the list. */
  isSubset: boolean
  /** `status` and `statuses`; the rest of a scenario filter is not read. */
  filter?: Filter
  windowing?: Partial<WindowingBody>
}

const BATCH_ROWS = 2_000

/**
 * The scenarios of a queue that its users have to work on, in the order of their assignment: lane by lane, in a lane by
 * id, each where it comes first. Everything when the windowing has no limit. A page whose cursor has been deleted, or
 * has gone to somebody else, follows its id in the lane that is listed first: of several lanes something may come
 * twice.
 */
export async function listWorklist(
  scope: Scope,
  queue: QueueRow,
  { users, isSubset, filter = {}, windowing = {} }: WorklistQuery,
): Promise<RowList<ScenarioRow>> {
  const { limit, next } = windowing
  const isAscending = windowing.order !== 'descending'
  const direction = sql.raw(isAscending ? 'asc' : 'desc')
  const own = isSubset ? queue.data.scenario_ids : undefined
  const lanes = lanesOf(queue, users)
  const firstLane = isAscending ? 0 : Math.max(0, (lanes?.length ?? 0) - 1)
  const { status, statuses } = filter
  const conditions = [
    sql`t.lane is not null`,
    ...conditionsOf('scenarios', { status, statuses }),
    ...createdWithin(sql`t.created_at`, windowing, isAscending),
    ...(next === undefined
      ? []
      : [
          sql`(t.lane, t.id) ${sql.raw(isAscending ? '>' : '<')}
            (coalesce((select l.lane from laned l where l.id = ${next}::uuid), ${firstLane}::int), ${next}::uuid)`,
        ]),
  ]
  const { rows } = await sql<RowSize>`
    with dealt as (
      select t.*, ${bucketOf(dealingOf(queue))} as bucket from evaluation_scenarios t
      where t.project_id = ${scope.project_id} and t.run_id = ${queue.run_id}
        and ${own ? isAmong('id', own, 'uuid') : sql`true`}
    ), laned as (select d.*, ${laneOf(lanes)} as lane from dealt d)
    select t.id, pg_column_size(t) as bytes from laned t where ${sql.join(conditions, sql` and `)}
    order by t.lane ${direction}, t.id ${direction} ${limit === undefined ? sql`` : sql`limit ${limit + 1}`}`.execute(
    scope.db,
  )
  const page = rows.slice(0, limit)
  const read = (batch: readonly RowSize[]): Promise<ScenarioRow[]> =>
    selectRows(scope, 'scenarios', { where: [sql`t.id = any(${batch.map(({ id }) => id)}::uuid[])`] })
  const more: JsonObject | undefined =
    rows.length > page.length ? echoedWindowing(windowing, page.at(-1)?.id as string) : undefined
  return listOf(page, read, { windowing: more, batchRows: BATCH_ROWS })
}

/** The bucket of a scenario `t`: by its position in the list, or its id as a number of 128 bits, modulo the buckets. */
export function bucketOf({ buckets, offset }: Dealing): Condition {
  if (offset !== undefined) return sql`(${offset}::bigint + row_number() over (order by t.id) - 1) % ${buckets}::bigint`
  const word = (n: number): Condition =>
    sql`('x' || substr(replace(t.id::text, '-', ''), ${sql.raw(String(1 + 8 * n))}, 8))::bit(32)::bigint`
  const words = [0, 1, 2, 3].map(n => sql`${word(n)} % ${buckets}::bigint * ${2 ** (32 * (3 - n)) % buckets}::bigint`)
  return sql`(${sql.join(words, sql` + `)}) % ${buckets}::bigint`
}

/** The first lane in which the bucket of `d` is asked for; null: in none. */
function laneOf(lanes: readonly Block[][] | undefined): Condition {
  if (!lanes) return sql`0`
  const blocks = lanes.flatMap((lane, at) => lane.map(([from, to]) => ({ at, from, to })))
  return sql`(select min(b.at) from jsonb_to_recordset(${toJsonb(blocks as never)}::jsonb)
    as b(at integer, "from" bigint, "to" bigint) where d.bucket >= b."from" and d.bucket < b."to")`
}
