import type { JsonObject, Uuid } from '@spanhouse/model'
import { newId } from '@spanhouse/postgres'
import { inTransaction } from '@spanhouse/registry'
import { optional, uuid, z } from '@spanhouse/validation'
import { header, labels, type Origin, REPEATS_MAX, status } from '../entities/fields.ts'
import type { RunRow } from '../entities/rows.ts'
import { findRow, recordOf } from '../entities/select.ts'
import { activateLockedRun, announce, startLockedRun, stopLockedRun } from '../execution/start.ts'
import { refreshChanged } from '../grid/refresh.ts'
import { lockOpenRun } from '../runs/guard.ts'
import { runFlags } from '../runs/run-body.ts'
import { concurrency, stepsOf } from '../runs/run-data.ts'
import { createRuns, editLockedRun } from '../runs/runs.ts'
import type { Scope } from '../scope.ts'
import { buildGraph, type GraphTargets, graphMembers, Rejected, targets, targetsOf } from './graph.ts'

const data = z.object({
  ...graphMembers,
  status: optional(status),
  repeats: optional(z.int().min(1).max(REPEATS_MAX)),
  concurrency: optional(concurrency),
})

const record = { ...header, ...labels, flags: optional(runFlags) }

/** An evaluation by the revisions it is made of; with `subjects` one for each of them. */
export const newEvaluation = z.object({
  ...record,
  data: optional(
    z.object({
      ...data.shape,
      subjects: optional(targets('custom')).meta({
        description:
          'Application revisions to compare, in place of `application_steps`. One evaluation is created and started for ' +
          'each, all or none; the response has them as `evaluations`, in this order, and they share `meta.group_id`, by which ' +
          'queries find them.',
      }),
    }),
  ),
})
export type NewEvaluation = z.output<typeof newEvaluation>

export const evaluationEdit = z.object({ id: optional(uuid), ...record, data: optional(data) })
export type EvaluationEdit = z.output<typeof evaluationEdit>

const NO_DATA = 'data: an evaluation needs its steps'

/**
 * Makes a run from pinned revisions and starts it; with the status `running` its caller executes it, and it is only
 * activated. Throws {@link Rejected} and stores nothing if it cannot be created.
 */
export async function createEvaluation(scope: Scope, body: NewEvaluation): Promise<RunRow> {
  const run = await makeEvaluation(scope, body)
  announce(scope, run.id)
  return run
}

/**
 * Creates and starts a run for each subject, like {@link createEvaluation}, all or none. They share `meta.group_id`.
 * Throws {@link Rejected} also if both subjects and application steps are given.
 */
export async function createGroup(scope: Scope, body: NewEvaluation): Promise<RunRow[]> {
  const { subjects = new Map<Uuid, Origin>(), ...given } = body.data ?? ({} as NonNullable<NewEvaluation['data']>)
  if (given.application_steps)
    throw new Rejected('data.subjects: cannot be combined with application_steps', { step: 'subjects' })
  const meta = { ...body.meta, group_id: newId() }
  const runs = await inTransaction(scope, async inside => {
    const made: RunRow[] = []
    for (const subject of subjects) {
      const one = { ...given, subjects: undefined, application_steps: new Map([subject]) }
      made.push(await makeEvaluation(inside, { ...body, meta, data: one }))
    }
    return made
  })
  for (const { id } of runs) announce(scope, id)
  return runs
}

function makeEvaluation(scope: Scope, body: NewEvaluation): Promise<RunRow> {
  const { data: given, ...rest } = body
  if (!given) throw new Rejected(NO_DATA, { step: 'data' })
  return inTransaction(scope, async inside => {
    const { is_live, is_cached, is_split } = body.flags ?? {}
    const { steps, mappings } = await buildGraph(inside, given as GraphTargets, { isLive: is_live })
    const { repeats = 1, concurrency: limits } = given
    const [made] = await createRuns(inside, [
      {
        ...rest,
        status: given.status,
        flags: { is_live, is_cached, is_split } as NewEvaluation['flags'],
        data: { steps, mappings, repeats, concurrency: limits },
      },
    ])
    const start = given.status === 'running' ? activateLockedRun : startLockedRun
    return start(inside, made as RunRow)
  })
}

/**
 * Rewrites a run's graph from the revisions that are sent; an omitted family is removed with its cells, and so are the
 * cells of repeats that the run no longer has. Repeats and concurrency stay unless they are sent. An active run is
 * stopped, which sets its planned cells to `cancelled`, and then continues with the missing cells. Undefined: the run
 * does not exist. Throws as {@link createEvaluation}, and 409 when it is closed.
 */
export async function editEvaluation(scope: Scope, id: Uuid, edit: EvaluationEdit): Promise<RunRow | undefined> {
  const done = await inTransaction(scope, async inside => {
    const run = await lockOpenRun(inside, id, 'change')
    if (!run) return undefined
    if (!edit.data) throw new Rejected(NO_DATA, { step: 'data' })
    const { name, description, tags, meta, data: given } = edit
    const { steps, mappings } = await buildGraph(inside, given as GraphTargets, { isLive: run.flags.is_live })
    const { repeats = run.data?.repeats ?? 1, concurrency: limits = run.data?.concurrency } = given
    const labelled = { name, description, tags, meta, status: given.status }
    const { run: stopped } = await stopLockedRun(inside, run)
    const { after, scenarios } = await editLockedRun(inside, stopped, {
      ...labelled,
      data: { steps, mappings, repeats, concurrency: limits },
    })
    const edited = run.flags.is_active ? await startLockedRun(inside, after) : await findRow(inside, 'runs', id)
    return { run: edited as RunRow, scenarios }
  })
  if (!done) return undefined
  announce(scope, id)
  if (done.scenarios.length > 0) await refreshChanged(scope, id, done.scenarios)
  return done.run
}

/** A run as the evaluation that it was made as. */
export function evaluationRecord(run: RunRow): JsonObject {
  const { data: _data, status: state, version: _version, ...record } = recordOf('runs', run)
  const { repeats = 1, concurrency: limits } = run.data ?? {}
  return {
    ...record,
    data: {
      status: state as string,
      ...targetsOf(stepsOf(run)),
      repeats,
      ...(limits && { concurrency: limits as JsonObject }),
    },
  }
}
