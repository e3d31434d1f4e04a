import { defined, Problem, type Uuid } from '@spanhouse/model'
import { databaseProblem, newId, sql } from '@spanhouse/postgres'
import { inTransaction } from '@spanhouse/registry'
import { isAmong } from '../entities/conditions.ts'
import type { QueueData, QueueRow } from '../entities/rows.ts'
import { findRows, selectRows } from '../entities/select.ts'
import { deleteRows, insertRows, updateEach } from '../entities/write.ts'
import { requireRuns } from '../grid/scenarios.ts'
import { lockOpenRuns } from '../runs/guard.ts'
import type { Scope } from '../scope.ts'
import type { NewQueue, QueueEdit } from './queue-body.ts'

const COLUMNS = ['name', 'description', 'status', 'flags', 'tags', 'meta', 'data']

/**
 * Makes queues and returns them in order. Throws a 422 for a default queue with data, a 409 for a second default queue
 * of a run, for a run that is closed, and for one that there is not.
 */
export function createQueues(scope: Scope, bodies: readonly NewQueue[]): Promise<QueueRow[]> {
  return inTransaction(scope, async inside => {
    requireRuns(await lockOpenRuns(inside, bodies, 'share'), bodies)
    const rows = bodies.map(body => ({
      ...body,
      id: newId(),
      status: body.status ?? 'pending',
      flags: { is_sequential: body.flags?.is_sequential ?? false, is_default: body.flags?.is_default ?? false },
      data: body.data ?? {},
    }))
    for (const { flags, data } of rows) requireDefaultIsBare(flags, data)
    await withOneDefault(() => insertRows(inside, 'queues', { columns: ['id', 'run_id', ...COLUMNS], rows }))
    return findRows(
      inside,
      'queues',
      rows.map(({ id }) => id),
    )
  })
}

/**
 * Changes queues and returns those that there are, in order. Throws as {@link createQueues}, and 409 for demoting a
 * default.
 */
export function editQueues(scope: Scope, edits: readonly QueueEdit[]): Promise<QueueRow[]> {
  return inTransaction(scope, async inside => {
    const ids = edits.map(({ id }) => id)
    const found = await findRows(inside, 'queues', ids)
    await lockOpenRuns(
      inside,
      found.map(({ id, run_id }) => ({ run_id, queue_id: id })),
      'share',
    )
    const rows = await selectRows(inside, 'queues', {
      where: [isAmong('id', ids, 'uuid')],
      tail: sql`order by t.id for no key update`,
    })
    const byId = new Map(rows.map(row => [row.id, row]))
    for (const edit of edits) {
      const row = byId.get(edit.id)
      if (row) byId.set(edit.id, edited(row, edit))
    }
    await withOneDefault(() => updateEach(inside, 'queues', { columns: COLUMNS, rows: [...byId.values()] }))
    return findRows(inside, 'queues', ids)
  })
}

function edited(row: QueueRow, { flags, ...edit }: QueueEdit): QueueRow {
  const { is_default = row.flags.is_default, is_sequential = row.flags.is_sequential } = flags ?? {}
  if (row.flags.is_default && !is_default)
    throw new Problem('conflict', {
      message: 'flags.is_default: cannot be changed on a default queue.',
      queue_id: row.id,
    })
  const given = defined(edit)
  const after = { ...row, ...given, flags: { is_sequential, is_default } }
  requireDefaultIsBare(after.flags, after.data, row.id)
  return after
}

/** A default queue is for all users and scenarios. 0 and empty lists count as data, too. */
function requireDefaultIsBare(flags: QueueRow['flags'], data: QueueData, queue_id?: Uuid): void {
  const given = Object.entries(data).find(([, value]) => value !== undefined)
  if (!flags.is_default || !given) return
  throw new Problem('unprocessable', {
    message: `data.${given[0]}: not allowed on a default queue.`,
    ...(queue_id && { queue_id }),
  })
}

async function withOneDefault<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const { constraint } = error as { constraint?: string }
    if (constraint !== 'evaluation_queues_default') throw error
    const { detail } = databaseProblem(error) ?? {}
    const { conflict } = (detail ?? {}) as { conflict?: Record<string, string> }
    const { run_id } = conflict ?? {}
    throw new Problem('conflict', {
      message: 'flags.is_default: the run has a default queue already.',
      conflict: { run_id },
    })
  }
}

/** Deletes queues and returns the ids of those that existed, in order. Throws a 409 if one is a default queue. */
export function deleteQueues(scope: Scope, ids: readonly Uuid[]): Promise<Uuid[]> {
  return inTransaction(scope, async inside => {
    const found = await findRows(inside, 'queues', ids)
    const fixed = found.find(({ flags }) => flags.is_default)
    if (fixed)
      throw new Problem('conflict', {
        message: 'A default queue can only be deleted with its run.',
        queue_id: fixed.id,
      })
    const there = found.map(({ id }) => id)
    await deleteRows(inside, 'queues', [isAmong('id', there, 'uuid'), sql`not t.flags @> '{"is_default": true}'`])
    return there
  })
}

/** The default queue of a run, unless it has none or it is archived. */
export async function findDefaultQueue(scope: Scope, run_id: Uuid): Promise<QueueRow | undefined> {
  const where = [sql`t.run_id = ${run_id}`, sql`t.flags @> '{"is_default": true}'`, sql`t.deleted_at is null`]
  return (await selectRows(scope, 'queues', { where }))[0]
}
