import { invalid, type JsonObject, Problem, parseUuid, type Uuid, unprocessable } from '@spanhouse/model'
import { type RowList, sql, toJsonb } from '@spanhouse/postgres'
import { inTransaction } from '@spanhouse/registry'
import type { WindowingBody } from '@spanhouse/validation'
import { type Condition, isAmong } from '../entities/conditions.ts'
import type { Filter } from '../entities/filters.ts'
import { listRows } from '../entities/list.ts'
import type { QueueRow, RunRow } from '../entities/rows.ts'
import { findRow, findRows, recordOf } from '../entities/select.ts'
import { deleteRows } from '../entities/write.ts'
import { mintScenarios, type Source } from '../execution/mint.ts'
import { announce, startLockedRun } from '../execution/start.ts'
import { createQueues, editQueues, findDefaultQueue } from '../queues/queues.ts'
import { lockOpenRun } from '../runs/guard.ts'
import { type Step, stepsOf } from '../runs/run-data.ts'
import { createRuns, deleteRuns } from '../runs/runs.ts'
import type { Scope } from '../scope.ts'
import { buildGraph, Rejected, targetsOf } from './graph.ts'
import type { NewSimpleQueue, QueueKind } from './queue-body.ts'

/** A queue and the run that it is of. */
export interface SimpleQueue {
  queue: QueueRow
  run: RunRow
}

/** The flag of a run that says what a queue's scenarios come from. */
const FLAGS = {
  traces: 'has_traces',
  testcases: 'has_testcases',
  queries: 'has_queries',
  testsets: 'has_testsets',
} as const satisfies Record<QueueKind, keyof RunRow['flags']>

/** The kind of a run's queues; undefined when it is not one of those that are made here. */
function kindOf({ flags }: RunRow): QueueKind | undefined {
  const kinds = (Object.keys(FLAGS) as QueueKind[]).filter(kind => flags[FLAGS[kind]])
  return flags.is_queue && kinds.length === 1 ? kinds[0] : undefined
}

const directStep = (key: string): Step => ({
  key,
  type: 'input',
  origin: 'custom',
  references: {},
  inputs: undefined,
  schemas: undefined,
})

/**
 * Creates a run with human evaluators, starts it and returns its default queue, or a separate queue if people, steps or
 * settings are given. Throws {@link Rejected} and stores nothing if it cannot be created.
 */
export async function createSimpleQueue(scope: Scope, body: NewSimpleQueue): Promise<SimpleQueue> {
  const { data, status, ...labels } = body
  if (!data) throw new Rejected('data: a queue needs a source and evaluators')
  const { kind, queries, testsets, evaluators, assignments = [], step_keys, settings } = data
  if (!evaluators || evaluators.size === 0) throw new Rejected('data.evaluators: a queue needs evaluators')
  const made = await inTransaction(scope, async inside => {
    const pinned = (ids: Uuid[] | undefined) => ids && new Map(ids.map(id => [id, 'custom' as const]))
    const targets = { query_steps: pinned(queries), testset_steps: pinned(testsets), evaluator_steps: evaluators }
    const direct = kind === 'traces' || kind === 'testcases' ? [directStep(kind)] : []
    const { steps, mappings } = await buildGraph(inside, targets, { direct })
    const repeats = Math.max(data.repeats ?? 1, assignments.length, 1)
    const graph = { steps, mappings, repeats, concurrency: undefined }
    const [run] = await createRuns(inside, [{ ...labels, status: undefined, flags: undefined, data: graph }])
    const { id } = run as RunRow
    const { batch_size, batch_offset } = settings ?? {}
    const is_sequential = batch_size !== undefined || batch_offset !== undefined
    const isScoped = is_sequential || assignments.length > 0 || (step_keys?.length ?? 0) > 0
    const user_ids = assignments.length > 0 ? assignments : undefined
    const own = { user_ids, step_keys, batch_size, batch_offset, scenario_ids: undefined }
    const [queue] = isScoped
      ? await createQueues(inside, [
          { ...labels, status, run_id: id, flags: { is_sequential, is_default: false }, data: own },
        ])
      : await labelDefault(inside, id, { ...labels, status })
    return { queue: queue as QueueRow, run: await startLockedRun(inside, run as RunRow) }
  })
  announce(scope, made.run.id)
  return made
}

async function labelDefault(scope: Scope, run_id: Uuid, labels: Omit<NewSimpleQueue, 'data'>): Promise<QueueRow[]> {
  const queue = await findDefaultQueue(scope, run_id)
  return queue ? editQueues(scope, [{ ...labels, id: queue.id, flags: undefined, data: undefined }]) : []
}

/** The queue with this id, if it is one of those that are made here and not archived. */
export async function findSimpleQueue(scope: Scope, id: Uuid): Promise<SimpleQueue | undefined> {
  const queue = await findRow(scope, 'queues', id)
  if (!queue || queue.deleted_at !== null) return undefined
  const run = await findRow(scope, 'runs', queue.run_id)
  return run && kindOf(run) ? { queue, run } : undefined
}

/** Queues that one statement reads the runs of. */
const BATCH_ROWS = 200

/** The queues that a query asks for, the newest first. */
export async function listSimpleQueues(
  scope: Scope,
  { kind, filter, windowing }: { kind?: QueueKind; filter?: Filter; windowing?: WindowingBody },
): Promise<RowList<SimpleQueue>> {
  const { rows, ...list } = await listRows(scope, 'queues', {
    filter,
    windowing,
    where: [sql`t.deleted_at is null`, isOfKind(kind)],
    fullPageGoesOn: true,
  })
  return { ...list, rows: withRuns(scope, rows) }
}

/** Limits queues `t` to those of a kind, or of any. */
function isOfKind(kind: QueueKind | undefined): Condition {
  const sources = Object.values(FLAGS)
  const isSo = (flag: string): Condition => sql`(r.flags @> ${toJsonb({ [flag]: true })}::jsonb)`
  const count = sql.join(
    sources.map(flag => sql`${isSo(flag)}::int`),
    sql` + `,
  )
  return sql`exists (select from evaluation_runs r where r.project_id = t.project_id and r.id = t.run_id
    and ${isSo('is_queue')} and ${count} = 1 and ${kind ? isSo(FLAGS[kind]) : sql`true`})`
}

async function* withRuns(scope: Scope, rows: AsyncIterable<QueueRow>): AsyncGenerator<SimpleQueue> {
  let batch: QueueRow[] = []
  async function* flush(): AsyncGenerator<SimpleQueue> {
    const ids = batch.map(({ run_id }) => run_id)
    const runs = new Map((await findRows(scope, 'runs', ids)).map(run => [run.id, run]))
    for (const queue of batch) {
      const run = runs.get(queue.run_id)
      // Deleted meanwhile, and the queue with it.
      if (run) yield { queue, run }
    }
    batch = []
  }
  for await (const row of rows) {
    batch.push(row)
    if (batch.length === BATCH_ROWS) yield* flush()
  }
  yield* flush()
}

/** A queue with the data from which it was created. */
export function simpleQueueRecord({ queue, run }: SimpleQueue): JsonObject {
  const { version: _version, data: _data, run_id, ...record } = recordOf('queues', queue)
  const { user_ids, step_keys, batch_size, batch_offset } = queue.data
  const { query_steps, testset_steps, evaluator_steps } = targetsOf(stepsOf(run))
  const kind = kindOf(run) as QueueKind
  const settings = {
    ...(batch_size !== undefined && { batch_size }),
    ...(batch_offset !== undefined && { batch_offset }),
  }
  return {
    ...record,
    run_id: run_id as string,
    data: {
      kind,
      ...(kind === 'queries' && { queries: Object.keys(query_steps) }),
      ...(kind === 'testsets' && { testsets: Object.keys(testset_steps) }),
      evaluators: evaluator_steps,
      repeats: run.data?.repeats ?? 1,
      ...(user_ids && { assignments: user_ids }),
      ...(step_keys && { step_keys }),
      ...(Object.keys(settings).length > 0 && { settings }),
    },
  }
}

/** Deletes queues, a default one with its run. Returns the ids of those that there were, in order. */
export function deleteSimpleQueues(scope: Scope, ids: readonly Uuid[]): Promise<Uuid[]> {
  return inTransaction(scope, async inside => {
    const found = await findRows(inside, 'queues', ids)
    const runs = new Map(
      (
        await findRows(
          inside,
          'runs',
          found.map(({ run_id }) => run_id),
        )
      ).map(run => [run.id, run]),
    )
    // A run may have been deleted between the two statements, and its queues with it.
    const there = found.filter(({ run_id }) => {
      const run = runs.get(run_id)
      return run && kindOf(run)
    })
    const withDefault = there.flatMap(({ flags, run_id }) => (flags.is_default ? [run_id] : []))
    const gone = new Set(await deleteRuns(inside, withDefault))
    const thereIds = there.map(({ id }) => id)
    for (const id of await deleteRows(inside, 'queues', [isAmong('id', thereIds, 'uuid')])) gone.add(id)
    // Others that delete the same ones at the same time have found them, too.
    return thereIds.filter((id, at) => gone.has(id) || gone.has(there[at]?.run_id as Uuid))
  })
}

/** How posted ids become sources, by the kind of the queue. */
const POSTED = {
  traces: { column: 'trace_id', read: readTraceId },
  testcases: { column: 'testcase_id', read: readTestcaseId },
} as const

function readTraceId(text: string): Uuid {
  const id = parseUuid(text)
  if (id === null) throw invalid(`trace_ids: ${text.slice(0, 100)} is not a trace id`)
  return id
}

function readTestcaseId(text: string, at: number): Uuid {
  const id = parseUuid(text)
  if (id !== null) return id
  const loc = ['body', 'testcase_ids', at]
  throw unprocessable({ type: 'uuid_parsing', loc, msg: 'Input should be a valid UUID', input: text.slice(0, 100) })
}

/**
 * Adds scenarios for traces or testcases to a direct queue. A source that is posted again is added once. Undefined if
 * the queue does not exist, or takes the other kind. Throws a 400 for a queue with its own source and for malformed
 * ids, a 409 if the run is closed.
 */
export async function addSources(
  scope: Scope,
  id: Uuid,
  { kind, ids }: { kind: 'traces' | 'testcases'; ids: readonly string[] },
): Promise<Uuid | undefined> {
  const found = await findSimpleQueue(scope, id)
  if (!found) return undefined
  const own = kindOf(found.run)
  if (own === 'queries' || own === 'testsets') {
    const message = `Cannot add ${kind} directly to a source-backed queue. Create a direct ${kind} queue instead.`
    throw new Problem('invalid', { message, queue_id: id })
  }
  if (own !== kind) return undefined
  const { column, read } = POSTED[kind]
  const sources = [...new Set(ids.map(read))]
  const isThere = await inTransaction(scope, async inside => {
    const run = await lockOpenRun(inside, found.run.id, 'change')
    if (run) await mintNew(inside, run, { column, sources })
    return run !== undefined
  })
  if (!isThere) return undefined
  announce(scope, found.run.id)
  return id
}

async function mintNew(
  scope: Scope,
  run: RunRow,
  { column, sources }: { column: 'trace_id' | 'testcase_id'; sources: readonly Uuid[] },
): Promise<void> {
  const step = stepsOf(run).find(({ type }) => type === 'input')
  if (!step) return
  const { rows } = await sql<{ source: Uuid }>`select distinct ${sql.ref(`t.${column}`)} as source
    from evaluation_results t where t.project_id = ${scope.project_id} and t.run_id = ${run.id}
      and t.step_key = ${step.key} and ${isAmong(column, sources, 'uuid')}`.execute(scope.db)
  const known = new Set(rows.map(({ source }) => source))
  const fresh = sources.filter(source => !known.has(source))
  await mintScenarios(
    scope,
    run,
    fresh.map((source): Source => ({ step_key: step.key, [column]: source })),
  )
  if (fresh.length === 0) return
  await sql`update evaluation_runs r set status = 'running', flags = r.flags || '{"is_active": true}'
    where r.project_id = ${scope.project_id} and r.id = ${run.id}`.execute(scope.db)
}
