import type { Uuid } from '@spanhouse/model'
import { inTransaction } from '@spanhouse/registry'
import { list, z } from '@spanhouse/validation'
import { STEPS_MAX } from '../entities/fields.ts'
import type { RunRow } from '../entities/rows.ts'
import { findRow } from '../entities/select.ts'
import { refreshChanged } from '../grid/refresh.ts'
import type { Scope } from '../scope.ts'
import { dropRepeats, dropSteps, inParts } from './drop-cells.ts'
import { lockOpenRun } from './guard.ts'
import { mappingsOf } from './mappings.ts'
import { type RunData, repeats, repeatsOf, type Step, step, stepsOf } from './run-data.ts'
import { peopleReplaced, writeLockedRun } from './runs.ts'

/*
 * Changes of a run's shape: which steps it has, and how often each is repeated. All of them return undefined when there
 * is no such run, and throw a 409 when it is closed.
 */

export const addedSteps = z.object({ steps: list(step, { max: STEPS_MAX }) })
export const removedSteps = z.object({ step_keys: list(z.string(), { max: STEPS_MAX }) })
export const newRepeats = z.object({ repeats: repeats.min(1) })

/** Takes out what the changed run does not have any more, and returns the scenarios that lost by it. */
type Drop = (before: RunRow) => Parameters<typeof inParts>[2]

/**
 * Changes the run first, and takes out in parts what it has no more. If the request's time is up meanwhile, the same
 * request takes out the rest.
 */
async function changeShape(
  scope: Scope,
  id: Uuid,
  change: (inside: Scope, run: RunRow) => Promise<RunData>,
  drop?: Drop,
): Promise<RunRow | undefined> {
  const before = await inTransaction(scope, async inside => {
    const run = await lockOpenRun(inside, id, 'change')
    if (!run) return undefined
    await peopleReplaced(inside, run, await writeLockedRun(inside, run, { data: await change(inside, run) }))
    return run
  })
  if (!before) return undefined
  const scenarios = drop ? await inParts(scope, id, drop(before)) : []
  const after = await findRow(scope, 'runs', id)
  if (scenarios.length > 0) await refreshChanged(scope, id, scenarios)
  return after
}

const NO_DATA: RunData = { steps: undefined, repeats: 1, concurrency: undefined, mappings: undefined }

/**
 * Appends steps whose keys are new, with the columns that show them. Their cells appear when the run is processed next.
 */
export const addSteps = (scope: Scope, id: Uuid, added: readonly Step[]): Promise<RunRow | undefined> =>
  changeShape(scope, id, async (inside, run) => {
    const data = run.data ?? NO_DATA
    const known = new Set(stepsOf(run).map(({ key }) => key))
    const fresh = added.filter(({ key }) => !known.has(key) && known.add(key))
    const mappings = await mappingsOf(inside, fresh)
    return {
      ...data,
      steps: [...stepsOf(run), ...fresh],
      mappings: data.mappings || mappings.length > 0 ? [...(data.mappings ?? []), ...mappings] : undefined,
    }
  })

/**
 * Takes steps out, with their cells, the scenarios that are left with none, and the columns that showed them. Cells of
 * steps that the run never had go, too.
 */
export const removeSteps = (scope: Scope, id: Uuid, keys: readonly string[]): Promise<RunRow | undefined> =>
  changeShape(
    scope,
    id,
    async (_inside, run) => {
      const data = run.data ?? NO_DATA
      const gone = new Set(keys)
      return {
        ...data,
        steps: data.steps?.filter(({ key }) => !gone.has(key)),
        mappings: data.mappings?.filter(({ step: { key } }) => !gone.has(key)),
      }
    },
    before => {
      const wereThere = stepsOf(before).some(({ key }) => keys.includes(key))
      return (inside, run, part) => {
        const kept = new Set(stepsOf(run).map(({ key }) => key))
        return dropSteps(inside, run, { keys: keys.filter(key => !kept.has(key)), wereThere, part })
      }
    },
  )

/** Sets how often each step is repeated; cells beyond that go, also those that the run never had. */
export const setRepeats = (scope: Scope, id: Uuid, count: number): Promise<RunRow | undefined> =>
  changeShape(
    scope,
    id,
    async (_inside, run) => ({ ...(run.data ?? NO_DATA), repeats: count }),
    before => (inside, run, part) => dropRepeats(inside, run, { isFewer: repeatsOf(before) > repeatsOf(run), part }),
  )
