import { defined, type Uuid } from '@spanhouse/model'
import { newId, sql } from '@spanhouse/postgres'
import { inTransaction } from '@spanhouse/registry'
import { isAmong } from '../entities/conditions.ts'
import type { Status } from '../entities/fields.ts'
import type { RunRow } from '../entities/rows.ts'
import { findRows, inOrder } from '../entities/select.ts'
import { deleteRows, insertRows, updateEach, updateRows } from '../entities/write.ts'
import { refreshChanged } from '../grid/refresh.ts'
import { endOnline } from '../online/begin.ts'
import type { Scope } from '../scope.ts'
import { archiveDefaultQueues, ensureDefaultQueues } from './default-queue.ts'
import { dropRepeats, dropSteps } from './drop-cells.ts'
import { allFlags, type RunFlags, writtenFlags } from './flags.ts'
import { lockOpenRuns, lockRuns } from './guard.ts'
import { rollUpRun, rollUpScenarios } from './roll-up.ts'
import type { NewRun, RunEdit } from './run-body.ts'
import { humanKeys, isHuman, referencesOf, repeatsOf, type Step, stepsOf } from './run-data.ts'

const COLUMNS = ['name', 'description', 'status', 'flags', 'tags', 'meta', 'data', 'references']

/** Makes runs and the default queues of those with a human step; returns them in order. */
export function createRuns(scope: Scope, bodies: readonly NewRun[]): Promise<RunRow[]> {
  return inTransaction(scope, async inside => {
    const rows = bodies.map(body => ({
      ...withFlags(body, allFlags(), body.data?.steps),
      id: newId(),
      status: body.status ?? 'pending',
    }))
    await insertRows(inside, 'runs', { columns: ['id', ...COLUMNS], rows })
    const made = await findRows(
      inside,
      'runs',
      rows.map(({ id }) => id),
    )
    await ensureDefaultQueues(inside, made.filter(hasHumanStep))
    return made
  })
}

/** What a body makes of a run with these flags, whose steps are `steps` from now on; undefined: not known. */
function withFlags(
  body: NewRun,
  stored: RunFlags,
  steps: readonly Step[] | undefined,
): NewRun & { flags: RunFlags; references?: unknown } {
  return {
    ...body,
    flags: writtenFlags(stored, body.flags, steps),
    ...(body.data && { references: referencesOf(steps ?? []) }),
  }
}

const hasHumanStep = (run: RunRow): boolean => stepsOf(run).some(isHuman)

/**
 * Changes runs: what an edit leaves out stays, `data` is replaced whole, flags are merged. Steps and repeats that the
 * new data does not have go with their cells, all steps if it has none. Returns the runs that there are, in order.
 * Throws a 409 when one of them is closed.
 */
export async function editRuns(scope: Scope, edits: readonly RunEdit[]): Promise<RunRow[]> {
  const ids = edits.map(({ id }) => id)
  const { rows, stale } = await inTransaction(scope, async inside => {
    const guarded = ids.map(run_id => ({ run_id }))
    const runs = await lockOpenRuns(inside, guarded, 'change')
    const stale = new Map<Uuid, Uuid[]>()
    for (const edit of edits) {
      const run = runs.get(edit.id)
      if (!run) continue
      const { after, scenarios } = await editLockedRun(inside, run, edit)
      runs.set(edit.id, after)
      if (scenarios.length > 0) stale.set(edit.id, scenarios)
    }
    return { rows: await findRows(inside, 'runs', ids), stale }
  })
  for (const [id, scenarios] of stale) await refreshChanged(scope, id, scenarios)
  return rows
}

/** A run after a change, and the scenarios that have lost cells by it. */
export interface EditedRun {
  after: RunRow
  scenarios: Uuid[]
}

/** As {@link editRuns} for a run that is locked for a change and open. Metrics are left to the caller. */
export async function editLockedRun(scope: Scope, run: RunRow, edit: Partial<NewRun>): Promise<EditedRun> {
  const after = await writeLockedRun(scope, run, edit)
  return { after, scenarios: edit.data ? await shapeReplaced(scope, run, after) : [] }
}

/** As {@link editLockedRun}, without what hangs on the steps and repeats. */
export async function writeLockedRun(scope: Scope, run: RunRow, edit: Partial<NewRun>): Promise<RunRow> {
  const given = defined(edit)
  const stored = edit.data ? (edit.data.steps ?? []) : run.data?.steps
  const written = withFlags({ ...run, ...given, data: edit.data, flags: edit.flags } as NewRun, run.flags, stored)
  const after = { ...run, ...given, flags: written.flags } as RunRow
  const columns = edit.data ? COLUMNS : COLUMNS.filter(name => name !== 'data' && name !== 'references')
  await updateEach(scope, 'runs', { columns, rows: [{ ...after, references: written.references } as RunRow] })
  if (after.flags.is_closed) await endWork(scope, [run.id])
  return after
}

/** How many cells of each scenario people are to write. */
const cellsOfPeople = (run: RunRow): number => humanKeys(run).length * repeatsOf(run)

/**
 * Brings what hangs on the steps and repeats in line with them. Returns the scenarios that have lost cells and stay.
 */
async function shapeReplaced(scope: Scope, before: RunRow, after: RunRow): Promise<Uuid[]> {
  const kept = new Set(stepsOf(after).map(({ key }) => key))
  const gone = stepsOf(before).flatMap(({ key }) => (kept.has(key) ? [] : [key]))
  const scenarios = new Set(await dropSteps(scope, after, { keys: gone, wereThere: true }))
  // Cells of repeats that there never were stay: only clients write them.
  if (repeatsOf(after) < repeatsOf(before))
    for (const id of await dropRepeats(scope, after, { isFewer: true })) scenarios.add(id)
  await peopleReplaced(scope, before, after)
  return [...scenarios]
}

/** Lets statuses and the default queue follow what people are to write. */
export async function peopleReplaced(scope: Scope, before: RunRow, after: RunRow): Promise<void> {
  if (cellsOfPeople(after) > cellsOfPeople(before)) {
    await rollUpScenarios(scope, after, 'all')
    await rollUpRun(scope, after.id)
  }
  if (hasHumanStep(after)) await ensureDefaultQueues(scope, [after])
  else if (hasHumanStep(before)) await archiveDefaultQueues(scope, [after])
}

/** Deletes runs with everything below them, closed or not; returns the ids of those that there were, in order. */
export async function deleteRuns(scope: Scope, ids: readonly Uuid[]): Promise<Uuid[]> {
  const gone = await deleteRows(scope, 'runs', [isAmong('id', ids, 'uuid')])
  return inOrder(
    ids,
    gone.map(id => ({ id })),
  ).map(({ id }) => id)
}

/**
 * Locks runs against changes, or unlocks them. Closing ends their activity: workers start no more of their scenarios.
 * Returns the runs that exist, in order.
 */
export function setClosed(
  scope: Scope,
  ids: readonly Uuid[],
  { isClosed, status }: { isClosed: boolean; status?: Status },
): Promise<RunRow[]> {
  return inTransaction(scope, async inside => {
    const runs = await lockRuns(inside, ids, 'change')
    const where = [isAmong('id', [...runs.keys()], 'uuid')]
    const flags = isClosed ? '{"is_closed": true, "is_active": false}' : '{"is_closed": false}'
    await updateRows(inside, 'runs', {
      set: [sql`flags = t.flags || ${flags}::jsonb`, ...(status ? [sql`status = ${status}`] : [])],
      where,
    })
    if (isClosed) await endWork(inside, [...runs.keys()])
    return findRows(inside, 'runs', ids)
  })
}

/** What closing ends however it is done: work that is left would be claimed, rejected and claimed again for ever. */
async function endWork(scope: Scope, ids: readonly Uuid[]): Promise<void> {
  await forgetWork(scope, ids)
  await endOnline(scope, ids)
}

/**
 * Removes the workers of runs and the work of their unfinished scenarios, by default of all; their calls are aborted.
 */
export async function forgetWork(scope: Scope, ids: readonly Uuid[], scenarios?: readonly Uuid[]): Promise<void> {
  const set = [sql`work = null`, sql`claimed_by = null`]
  const hasWork = sql`t.work is not null`
  const isOne = scenarios ? isAmong('id', scenarios, 'uuid') : isAmong('run_id', ids, 'uuid')
  await updateRows(scope, 'runs', { set, where: [isAmong('id', ids, 'uuid'), hasWork] })
  await updateRows(scope, 'scenarios', { set, where: [isOne, hasWork] })
  await sql`delete from evaluation_workers t
    where t.project_id = ${scope.project_id} and ${isAmong('run_id', ids, 'uuid')}`.execute(scope.db)
}
