import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { Problem } from '@spanhouse/model'
import { sql } from '@spanhouse/postgres'
import { onEachDatabase, onNetworkedDatabase } from '@spanhouse/postgres/database.testing.ts'
import { validate } from '@spanhouse/validation'
import { expect, test } from 'vitest'
import {
  addScenarios,
  createRuns,
  deleteRuns,
  deleteScenarios,
  deleteSimpleQueues,
  newMetrics,
  newResult,
  newRun,
  type Scope,
  setClosed,
  writeMetrics,
  writeResults,
} from './index.ts'
import { newScope } from './scope.testing.ts'

const steps = [{ key: 'h', type: 'annotation', origin: 'human', references: {} }]
const newHumanRun = async (scope: Scope, repeats = 1): Promise<string> => {
  const [run] = await createRuns(scope, [validate(newRun, { data: { steps, repeats } }, 'body')])
  return run?.id as string
}
const cell = (run_id: string, scenario_id: string, more: object = {}) =>
  validate(newResult, { run_id, scenario_id, step_key: 'h', status: 'success', ...more }, 'body')

onEachDatabase('evaluations, many callers at once', postgres => {
  test('nothing is written to a run after it was closed', async () => {
    const scope = await newScope(postgres())
    for (let round = 0; round < 5; round++) {
      const run_id = await newHumanRun(scope)
      const scenarios = (await addScenarios(scope, run_id, { count: 10, timestamp: undefined })) ?? []
      const written = scenarios.map(({ id }, n) => {
        if (n === 5) return setClosed(scope, [run_id], { isClosed: true }).then(() => undefined)
        return writeResults(scope, [cell(run_id, id)]).then(() => id)
      })
      const settled = await Promise.allSettled(written)
      for (const one of settled)
        if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'conflict', detail: { run_id } })
      const stored = async () =>
        (
          await sql<{ scenario_id: string }>`select scenario_id from evaluation_results where run_id = ${run_id}
            order by scenario_id`.execute(scope.db)
        ).rows.map(({ scenario_id }) => scenario_id)
      expect(await stored()).toEqual(
        settled.flatMap(one => (one.status === 'fulfilled' && one.value ? [one.value] : [])),
      )
      await expect(writeResults(scope, [cell(run_id, scenarios[0]?.id as string)])).rejects.toThrow(Problem)
    }
  })

  test('cells of one run by many writers: each once, and the statuses are right in the end', async () => {
    const scope = await newScope(postgres())
    const run_id = await newHumanRun(scope, 4)
    const scenarios = (await addScenarios(scope, run_id, { count: 5, timestamp: undefined })) ?? []
    const cells = scenarios.flatMap(({ id }) => [0, 1, 2, 3].map(repeat_idx => cell(run_id, id, { repeat_idx })))
    const writers = Array.from({ length: 8 }, (_, n) => writeResults(scope, n % 2 === 0 ? cells : cells.toReversed()))
    const ids = (await Promise.all(writers)).map(rows => rows.map(({ id }) => id).toSorted())
    expect(new Set(ids.flat()).size).toBe(cells.length)
    for (const one of ids) expect(one).toEqual(ids[0])
    const { rows } = await sql`select status from evaluation_runs where id = ${run_id}
      union all select status from evaluation_scenarios where run_id = ${run_id}`.execute(scope.db)
    expect(rows).toEqual(Array(6).fill({ status: 'success' }))
  })

  test('no cell is left of a scenario that is deleted while it is written', async () => {
    const scope = await newScope(postgres())
    const run_id = await newHumanRun(scope)
    const scenarios = (await addScenarios(scope, run_id, { count: 20, timestamp: undefined })) ?? []
    const work = scenarios.flatMap(({ id }) => [writeResults(scope, [cell(run_id, id)]), deleteScenarios(scope, [id])])
    for (const one of await Promise.allSettled(work))
      if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'invalid' })
    const { rows } = await sql`select from evaluation_results where run_id = ${run_id}`.execute(scope.db)
    expect(rows).toEqual([])
  })

  test('no metrics are left of scenarios and runs that are deleted while they are written', async () => {
    const scope = await newScope(postgres())
    const runs = await Promise.all(Array.from({ length: 5 }, () => newHumanRun(scope)))
    const outcomes = await Promise.all(
      runs.map(async run_id => {
        const [kept, gone] = (await addScenarios(scope, run_id, { count: 2, timestamp: undefined })) ?? []
        const write = (scenario_id?: string) =>
          writeMetrics(scope, [validate(newMetrics, { run_id, scenario_id, data: {} }, 'body')])
        const before = [await write(kept?.id), await write()]
        expect(before.flat()).toHaveLength(2)
        const scenarios = [write(gone?.id), deleteScenarios(scope, [gone?.id as string])]
        return Promise.allSettled([...scenarios, write(kept?.id), write(), deleteRuns(scope, [run_id]), write()])
      }),
    )
    for (const one of outcomes.flat())
      if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'conflict' })
    const { rows } = await sql`select from evaluation_metrics where project_id = ${scope.project_id}`.execute(scope.db)
    expect(rows).toEqual([])
  })

  test('a queue that many delete is deleted once', async () => {
    const scope = await newScope(postgres())
    const input = { key: 'testcases', type: 'input', origin: 'custom', references: {} }
    const body = validate(newRun, { data: { steps: [input, ...steps] } }, 'body')
    await createRuns(scope, Array(10).fill(body))
    const { rows } = await sql<{ id: string }>`select id from evaluation_queues
      where project_id = ${scope.project_id}`.execute(scope.db)
    expect(rows).toHaveLength(10)
    for (const { id } of rows) {
      const gone = await Promise.all(Array.from({ length: 8 }, () => deleteSimpleQueues(scope, [id])))
      expect(gone.flat()).toEqual([id])
    }
  })

  test('metrics of the same places by many writers, in any order', async () => {
    const scope = await newScope(postgres())
    const run_id = await newHumanRun(scope)
    const scenarios = (await addScenarios(scope, run_id, { count: 500, timestamp: undefined })) ?? []
    const places = scenarios.map(({ id }) => validate(newMetrics, { run_id, scenario_id: id, data: {} }, 'body'))
    await writeMetrics(scope, places)
    const written = Array.from({ length: 8 }, (_, n) => writeMetrics(scope, n % 2 === 0 ? places : places.toReversed()))
    for (const [n, rows] of (await Promise.all(written)).entries()) {
      const ids = rows.map(({ scenario_id }) => scenario_id)
      expect(n % 2 === 0 ? ids : ids.toReversed()).toEqual(scenarios.map(({ id }) => id))
    }
  })

  test('cells of other projects’ scenarios are refused', async () => {
    const [mine, theirs] = [await newScope(postgres()), await newScope(postgres())]
    const run_id = await newHumanRun(theirs)
    const [scenario] = (await addScenarios(theirs, run_id, { count: 1, timestamp: undefined })) ?? []
    await expect(writeResults(mine, [cell(run_id, scenario?.id as string)])).rejects.toMatchObject({ code: 'invalid' })
    await expect(writeResults(mine, [cell(run_id, randomUUID())])).rejects.toMatchObject({ code: 'invalid' })
  })
})

onNetworkedDatabase('evaluations, a database that restarts', postgres => {
  test('a request that has begun to write its results goes on after its connections were lost', async () => {
    const scope = await newScope(postgres())
    const run_id = await newHumanRun(scope)
    const scenarios = (await addScenarios(scope, run_id, { count: 8_000, timestamp: undefined })) ?? []
    const cells = scenarios.map(({ id }) => cell(run_id, id))
    const [first] = await writeResults(scope, [cells[7_999] as (typeof cells)[number]])
    const written = async () =>
      (
        await sql<{ count: number }>`select count(*)::int as count from evaluation_results
          where run_id = ${run_id}`.execute(scope.db)
      ).rows[0]?.count as number
    let rows: Awaited<ReturnType<typeof writeResults>> | undefined
    const writing = writeResults(scope, cells).then(all => {
      rows = all
    })
    writing.catch(() => undefined)
    while ((await written()) < 2_000) await delay(5)
    const until = performance.now() + AWAY_MS
    while (performance.now() < until) {
      await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`
        .execute(scope.db)
        .catch(() => undefined)
      await delay(20)
    }
    expect(rows).toBeUndefined()
    await writing
    expect(rows?.map(({ scenario_id }) => scenario_id)).toEqual(scenarios.map(({ id }) => id))
    expect(await written()).toBe(8_000)
    expect(rows?.at(-1)).toMatchObject({ id: first?.id, created_at: first?.created_at })
  })
})

/** How long each connection is ended at once. */
const AWAY_MS = 1_200
