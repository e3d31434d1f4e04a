import { Problem } from '@spanhouse/model'
import { newId, sql } from '@spanhouse/postgres'
import { onEachDatabase } from '@spanhouse/postgres/database.testing.ts'
import { validate } from '@spanhouse/validation'
import { expect, test } from 'vitest'
import {
  addScenarios,
  createRuns,
  deleteScenarios,
  editRuns,
  type Metrics,
  newResult,
  newRun,
  prune,
  refreshMetrics,
  removeScenarios,
  removeSteps,
  runEdit,
  type Scope,
  setRepeats,
  writeResults,
} from '../index.ts'
import { newScope } from '../scope.testing.ts'

onEachDatabase('metrics that cannot be computed', postgres => {
  test('a change is answered as what it is, which is made; only a refresh fails', async () => {
    const missed: string[] = []
    const away = async (): Promise<never> => {
      throw new Problem('overloaded', 'ClickHouse is away.')
    }
    const metrics: Metrics = { update: away, refresh: away, missed: (_error, ids) => void missed.push(...ids) }
    const scope: Scope = { ...(await newScope(postgres())), metrics }
    const steps = ['a', 'b'].map(key => ({ key, type: 'annotation', origin: 'custom', references: {} }))
    const [run] = await createRuns(scope, [validate(newRun, { data: { steps, repeats: 3 } }, 'body')])
    const run_id = run?.id as string
    const scenarios = (await addScenarios(scope, run_id, { count: 4, timestamp: undefined })) ?? []
    const ids = scenarios.map(({ id }) => id)
    const [first, second, third] = ids as [string, string, string]
    const cells = ids.flatMap(scenario_id =>
      steps.flatMap(({ key }) => [0, 1, 2].map(repeat_idx => ({ run_id, scenario_id, step_key: key, repeat_idx }))),
    )
    await writeResults(
      scope,
      cells.map(cell => validate(newResult, cell, 'body')),
    )
    const edited = (data: object) => editRuns(scope, [validate(runEdit, { id: run_id, data }, 'body')])
    /** Deletions compute again only what was computed. */
    const compute = () =>
      sql`insert into evaluation_metrics (project_id, id, run_id, computation)
        values (${scope.project_id}, ${newId()}, ${run_id}, 1)`.execute(scope.db)
    await compute()
    expect(await deleteScenarios(scope, [first])).toEqual([first])
    await compute()
    expect(await removeScenarios(scope, run_id, [second])).toEqual([second])
    await prune(scope, run_id, { scenario_ids: [third], repeat_idxs: [1] })
    expect(await setRepeats(scope, run_id, 2)).toMatchObject({ data: { repeats: 2 } })
    expect(await edited({ steps, repeats: 1 })).toMatchObject([{ data: { repeats: 1 } }])
    expect(await removeSteps(scope, run_id, ['b'])).toMatchObject({ data: { steps: [{ key: 'a' }] } })
    expect(missed).toEqual(Array(6).fill(run_id))
    await expect(refreshMetrics(scope, { run_id } as Parameters<typeof refreshMetrics>[1])).rejects.toThrow('away')
  })
})
