import type { Uuid } from '@spanhouse/model'
import { sql, toJsonb } from '@spanhouse/postgres'
import { isAmong } from '../entities/conditions.ts'
import type { QueueRow, RunRow } from '../entities/rows.ts'
import { humanKeys } from '../runs/roll-up.ts'
import { repeatsOf } from '../runs/run-data.ts'
import type { Scope } from '../scope.ts'
import { blocksOf, dealingOf } from './assignment.ts'
import { bucketOf } from './worklist.ts'

/** The number of scenarios that an assignee has in a repeat, and how many of them are done. */
export interface Share {
  repeat_idx: number
  /** Absent: anybody may annotate. */
  user_id?: Uuid
  scenarios: number
  /** Scenarios all of whose human cells of the repeat are written. */
  done: number
}

/** How far the people of a queue are, as it is answered. */
export interface QueueProgress {
  queue_id: Uuid
  run_id: Uuid
  scenarios: number
  /** Scenarios that are done in every repeat of the queue. */
  done: number
  assignees: Share[]
}

interface Part {
  repeat_idx: number
  user_id?: Uuid
  from: number
  to: number
}

/**
 * How far the people of a queue are: in total, and for each of its lanes and assignees; without assignments for each
 * repeat of the run. A scenario is done in a repeat when all human steps of the queue have a cell that is no longer
 * pending there. Read in one statement.
 */
export async function findQueueProgress(scope: Scope, queue: QueueRow, run: RunRow): Promise<QueueProgress> {
  const { step_keys, scenario_ids } = queue.data
  const keys = humanKeys(run).filter(key => step_keys?.includes(key) ?? true)
  const dealing = dealingOf(queue)
  const parts = partsOf(queue, repeatsOf(run), dealing.buckets)
  const isDone = sql`(select count(*) from evaluation_results c where c.project_id = d.project_id and c.run_id = d.run_id
      and c.scenario_id = d.id and c.repeat_idx = p.repeat_idx and c.status not in ('pending', 'queued', 'running')
      and c.step_key in (select jsonb_array_elements_text(${toJsonb(keys)}::jsonb))) >= ${keys.length}`
  const { rows } = await sql<{ part: number | null; scenarios: number; done: number }>`
    with dealt as (
      select t.project_id, t.run_id, t.id, ${bucketOf(dealing)} as bucket from evaluation_scenarios t
      where t.project_id = ${scope.project_id} and t.run_id = ${run.id}
        and ${scenario_ids ? isAmong('id', scenario_ids, 'uuid') : sql`true`}
    ), parts as (
      select p.* from rows from (jsonb_to_recordset(${toJsonb(parts as never)}::jsonb)
        as (repeat_idx integer, user_id uuid, "from" bigint, "to" bigint)) with ordinality
        as p(repeat_idx, user_id, "from", "to", part)
    ), shares as (
      select d.id, p.part, ${isDone} as is_done from dealt d
      join parts p on d.bucket >= p."from" and d.bucket < p."to"
    ), whole as (select id, bool_and(is_done) as is_done from shares group by id)
    select part::int as part, count(*)::int as scenarios, (count(*) filter (where is_done))::int as done
      from shares group by part
    union all select null, count(*)::int, (count(*) filter (where is_done))::int from whole`.execute(scope.db)
  const total = rows.find(({ part }) => part === null) ?? { scenarios: 0, done: 0 }
  const counted = new Map(rows.map(({ part, scenarios, done }) => [part, { scenarios, done }]))
  const blocks = parts.map(({ repeat_idx, user_id }, n) => ({
    repeat_idx,
    ...(user_id && { user_id }),
    ...(counted.get(n + 1) ?? { scenarios: 0, done: 0 }),
  }))
  const { scenarios, done } = total
  return { queue_id: queue.id, run_id: run.id, scenarios, done, assignees: sumOfBlocks(blocks) }
}

/** The blocks of buckets for each assignee, or all buckets for each repeat. */
function partsOf({ data: { user_ids = [] } }: QueueRow, repeats: number, buckets: number): Part[] {
  if (user_ids.length === 0)
    return Array.from({ length: repeats }, (_, repeat_idx) => ({ repeat_idx, from: 0, to: buckets }))
  return user_ids.flatMap((lane, repeat_idx) =>
    [...new Set(lane)].flatMap(user_id =>
      blocksOf(lane, new Set([user_id]), buckets).map(([from, to]) => ({ repeat_idx, user_id, from, to })),
    ),
  )
}

/** Who is named twice in a lane has two blocks of it. */
function sumOfBlocks(blocks: readonly Share[]): Share[] {
  const shares = new Map<string, Share>()
  for (const { scenarios, done, ...of } of blocks) {
    const key = `${of.repeat_idx} ${of.user_id}`
    const before = shares.get(key) ?? { ...of, scenarios: 0, done: 0 }
    shares.set(key, { ...before, scenarios: before.scenarios + scenarios, done: before.done + done })
  }
  return [...shares.values()]
}
