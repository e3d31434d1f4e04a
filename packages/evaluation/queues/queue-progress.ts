import type { Uuid } from '@spanhouse/model'
import { sql } from '@spanhouse/postgres'
import type { Condition } from '../entities/conditions.ts'
import type { QueueRow, RunRow } from '../entities/rows.ts'
import { humanKeys, repeatsOf } from '../runs/run-data.ts'
import type { Scope } from '../scope.ts'
import { type Block, type BucketFunction, blocksOf, type Dealing, dealingOf } from './assignment.ts'
import { bucketOf, dealtScenarios, partOf } from './worklist.ts'

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

/** Who has which buckets in a repeat. */
interface Part {
  repeat_idx: number
  user_id?: Uuid
  block: Block
}

/**
 * How far the people of queues are, in order: in total, and for each of their lanes and assignees; without assignments
 * for each repeat of the run. A scenario is done in a repeat when all human steps of the queue have a cell that is no
 * longer pending there. Read in one statement, which reads each scenario and each human cell of a queue once: it counts
 * by the stretches of buckets between which no lane changes hands.
 */
export async function findQueueProgress(
  scope: Scope,
  queues: readonly { queue: QueueRow; run: RunRow }[],
): Promise<QueueProgress[]> {
  if (queues.length === 0) return []
  const plans = queues.map(planOf)
  const each = plans.map((plan, at) => sql`select ${at}::int as at, c.* from ${counted(scope, plan)} c`)
  const { rows } = await sql<CountRow>`${sql.join(each, sql` union all `)}`.execute(scope.db)
  const byQueue = Map.groupBy(rows, ({ at }) => at)
  return plans.map((plan, at) => progressOf(plan, byQueue.get(at) ?? []))
}

/** What is counted of a queue. */
interface Plan {
  queue: QueueRow
  /** Steps that people carry out. */
  keys: string[]
  dealing: Dealing
  parts: Part[]
  repeats: number[]
  /** The buckets with which stretches begin. */
  from: number[]
}

function planOf({ queue, run }: { queue: QueueRow; run: RunRow }): Plan {
  const keys = humanKeys(run).filter(key => queue.data.step_keys?.includes(key) ?? true)
  const dealing = dealingOf(queue)
  const parts = partsOf(queue, repeatsOf(run), dealing.buckets)
  const repeats = [...new Set(parts.map(({ repeat_idx }) => repeat_idx))]
  const from = [...new Set([0, ...parts.flatMap(({ block }) => block)])].toSorted((one, other) => one - other)
  return { queue, keys, dealing, parts, repeats, from }
}

/** Scenarios of a stretch: all, or those that are done in a repeat; without a stretch those that are done in all. */
interface CountRow {
  at: number
  stretch: number | null
  repeat_idx: number | null
  count: number
}

function counted(scope: Scope, { queue, keys, dealing, repeats, from }: Plan): Condition {
  const { run_id, data } = queue
  const stretches: BucketFunction = { from, values: [...from.keys()] }
  // With no step for people everything is done.
  const written = sql`(
      select c.scenario_id as id, c.repeat_idx from evaluation_results c
      where c.project_id = ${scope.project_id} and c.run_id = ${run_id} and c.step_key = any(${keys}::text[])
        and c.repeat_idx = any(${repeats}::int[]) and c.status not in ('pending', 'queued', 'running')
      group by c.scenario_id, c.repeat_idx having count(*) >= ${keys.length})`
  const everything = sql`(select d.id, x.repeat_idx from dealt d cross join unnest(${repeats}::int[]) x(repeat_idx))`
  return sql`(
    with dealt as materialized (
      select t.id, ${partOf(bucketOf(dealing), stretches)} as stretch
      from ${dealtScenarios(scope, run_id, { own: data.scenario_ids, dealing })} t
    ), done as materialized (
      select d.id, d.stretch, o.repeat_idx from ${keys.length > 0 ? written : everything} o join dealt d on d.id = o.id
    )
    select stretch, null::int as repeat_idx, count(*)::int as count from dealt group by stretch
    union all select stretch, repeat_idx, count(*)::int from done group by stretch, repeat_idx
    union all select null, null, count(*)::int from (
      select from done group by id having count(*) = ${repeats.length}) whole)`
}

function progressOf({ queue, parts, from }: Plan, rows: readonly CountRow[]): QueueProgress {
  const counts = new Map(rows.map(({ stretch, repeat_idx, count }) => [`${stretch} ${repeat_idx}`, count]))
  const place = new Map(from.map((bucket, at) => [bucket, at]))
  const countOf = ({ block: [first, last] }: Part, repeat_idx: number | null): number => {
    let sum = 0
    for (let at = place.get(first) as number; at < (place.get(last) as number); at++)
      sum += counts.get(`${at} ${repeat_idx}`) ?? 0
    return sum
  }
  const blocks = parts.map((part): Share => {
    const { repeat_idx, user_id } = part
    const [scenarios, done] = [countOf(part, null), countOf(part, repeat_idx)]
    return { repeat_idx, ...(user_id && { user_id }), scenarios, done }
  })
  // Each lane deals all scenarios; without lanes there are none for anybody.
  const scenarios = parts.length > 0 ? from.reduce((sum, _, at) => sum + (counts.get(`${at} null`) ?? 0), 0) : 0
  const done = counts.get('null null') ?? 0
  return { queue_id: queue.id, run_id: queue.run_id, scenarios, done, assignees: sumOfBlocks(blocks) }
}

/**
 * The blocks of buckets for each assignee, or all buckets for each repeat. Nobody waits for lanes of repeats that the run
 * does not have.
 */
function partsOf({ data: { user_ids = [] } }: QueueRow, repeats: number, buckets: number): Part[] {
  if (user_ids.length === 0)
    return Array.from({ length: repeats }, (_, repeat_idx) => ({ repeat_idx, block: [0, buckets] }))
  return user_ids
    .slice(0, repeats)
    .flatMap((lane, repeat_idx) =>
      [...new Set(lane)].flatMap(user_id =>
        blocksOf(lane, new Set([user_id]), buckets).map(block => ({ repeat_idx, user_id, block })),
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
