import type { JsonObject, Uuid } from '@spanhouse/model'
import { createdWithin, listOf, type RowList, type RowSize, sql } from '@spanhouse/postgres'
import type { WindowingBody } from '@spanhouse/validation'
import { type Condition, isAmong } from '../entities/conditions.ts'
import { conditionsOf, type Filter } from '../entities/filters.ts'
import { echoedWindowing } from '../entities/list.ts'
import type { QueueRow, ScenarioRow } from '../entities/rows.ts'
import { selectRows } from '../entities/select.ts'
import type { Scope } from '../scope.ts'
import { type BucketFunction, type Dealing, dealingOf, firstLanes, lanesOf, NO_LANE } from './assignment.ts'

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
 * id, each where it comes first. Everything when the windowing has no limit. A page whose cursor has gone to somebody
 * else follows its id in the lane that is listed first: of several lanes something may come twice.
 *
 * Where only one lane is listed its scenarios come in the order of an index, and a page is read until it is full.
 */
export async function listWorklist(
  scope: Scope,
  queue: QueueRow,
  { users, isSubset, filter = {}, windowing = {} }: WorklistQuery,
): Promise<RowList<ScenarioRow>> {
  const { limit, next } = windowing
  const isAscending = windowing.order !== 'descending'
  const direction = sql.raw(isAscending ? 'asc' : 'desc')
  const after = sql.raw(isAscending ? '>' : '<')
  const own = isSubset ? queue.data.scenario_ids : undefined
  const dealing = dealingOf(queue)
  const lanes = lanesOf(queue, users)
  const firsts = lanes && firstLanes(lanes)
  const isOneLane = new Set(firsts?.values.filter(lane => lane !== NO_LANE)).size <= 1
  const firstLane = isAscending ? 0 : Math.max(0, (lanes?.length ?? 0) - 1)
  const { status, statuses } = filter
  const where = [
    ...conditionsOf('scenarios', { status, statuses }),
    ...createdWithin(sql`t.created_at`, windowing, isAscending),
    ...(next !== undefined && isOneLane ? [sql`t.id ${after} ${next}::uuid`] : []),
  ]
  const isAfterNext = (): Condition => {
    const lane = partOf(bucketOfNext(scope, queue, { own, next: next as Uuid }), firsts as BucketFunction)
    return sql`(t.lane, t.id) ${after}
      (coalesce(nullif(${lane}, ${NO_LANE}::int), ${firstLane}::int), ${next}::uuid)`
  }
  // Of several lanes each scenario's lane is computed once, of one only until the page is full.
  const { rows } = await sql<RowSize>`
    with page as (
      select t.id, t.lane from (
        select t.id, ${firsts ? partOf(bucketOf(dealing), firsts) : sql`0`} as lane
        from ${dealtScenarios(scope, queue.run_id, { own, where, dealing })} t
        ${isOneLane ? sql`` : sql`offset 0`}
      ) t
      where t.lane <> ${NO_LANE}::int ${next === undefined || isOneLane ? sql`` : sql`and ${isAfterNext()}`}
      order by ${isOneLane ? sql`` : sql`t.lane ${direction},`} t.id ${direction}
      ${limit === undefined ? sql`` : sql`limit ${limit + 1}`}
    )
    select t.id, pg_column_size(t) as bytes from page p
    join evaluation_scenarios t on t.project_id = ${scope.project_id} and t.id = p.id
    order by p.lane ${direction}, p.id ${direction}`.execute(scope.db)
  const page = rows.slice(0, limit)
  const read = (batch: readonly RowSize[]): Promise<ScenarioRow[]> =>
    selectRows(scope, 'scenarios', { where: [sql`t.id = any(${batch.map(({ id }) => id)}::uuid[])`] })
  const more: JsonObject | undefined =
    rows.length > page.length ? echoedWindowing(windowing, page.at(-1)?.id as string) : undefined
  return listOf(page, read, { windowing: more, batchRows: BATCH_ROWS })
}

interface Dealt {
  /** Limits what is dealt. */
  own: readonly Uuid[] | undefined
  /** Limits what is listed, which changes nothing about positions. */
  where?: readonly Condition[]
  dealing: Dealing
}

/** The scenarios of a run as a table `t` that {@link bucketOf} reads. */
export function dealtScenarios({ project_id }: Scope, run_id: Uuid, { own, where = [], dealing }: Dealt): Condition {
  const isDealt = sql`t.project_id = ${project_id} and t.run_id = ${run_id}
    and ${own ? isAmong('id', own, 'uuid') : sql`true`}`
  const isListed = sql.join([sql`true`, ...where], sql` and `)
  if (dealing.offset === undefined)
    return sql`(select t.id from evaluation_scenarios t where ${isDealt} and ${isListed})`
  return sql`(select t.id, t.position from (
      select t.id, t.status, t.created_at, row_number() over (order by t.id) - 1 as position
      from evaluation_scenarios t where ${isDealt}
    ) t where ${isListed})`
}

/** The bucket of a scenario `t`: by its position in the list, or its id as a number of 128 bits, modulo the buckets. */
export function bucketOf({ buckets, offset }: Dealing): Condition {
  if (offset !== undefined) return sql`(${offset}::bigint + t.position) % ${buckets}::bigint`
  const word = (n: number): Condition =>
    sql`('x' || substr(replace(t.id::text, '-', ''), ${sql.raw(String(1 + 8 * n))}, 8))::bit(32)::bigint`
  const words = [0, 1, 2, 3].map(n => sql`${word(n)} % ${buckets}::bigint * ${2 ** (32 * (3 - n)) % buckets}::bigint`)
  return sql`(${sql.join(words, sql` + `)}) % ${buckets}::bigint`
}

/** The bucket of the scenario that a page follows, whether it is still there or not. */
function bucketOfNext(scope: Scope, queue: QueueRow, { own, next }: { own: Dealt['own']; next: Uuid }): Condition {
  const dealing = dealingOf(queue)
  if (dealing.offset === undefined) return sql`(select ${bucketOf(dealing)} from (select ${next}::uuid as id) t)`
  return sql`(select ${bucketOf(dealing)} from (select count(*) as position from evaluation_scenarios t
    where t.project_id = ${scope.project_id} and t.run_id = ${queue.run_id} and t.id < ${next}::uuid
      and ${own ? isAmong('id', own, 'uuid') : sql`true`}) t)`
}

/** What a function of buckets says of one. */
export const partOf = (bucket: Condition, { from, values }: BucketFunction): Condition =>
  sql`(${values}::int[])[width_bucket(${bucket}, ${from}::bigint[])]`
