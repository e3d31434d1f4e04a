import { onEachDatabase } from '@spanhouse/postgres/database.testing.ts'
import { validate } from '@spanhouse/validation'
import { expect, test } from 'vitest'
import {
  createQueues,
  createRuns,
  createScenarios,
  listRows,
  newMetrics,
  newQueue,
  newResult,
  newRun,
  newScenario,
  writeMetrics,
  writeResults,
} from '../index.ts'
import { newScope } from '../scope.testing.ts'

onEachDatabase('lists of evaluations', postgres => {
  test('a list knows how large its rows are, however short they are stored', async () => {
    const scope = await newScope(postgres())
    const text = 'long '.repeat(200_000)
    const meta = { text }
    const [run] = await createRuns(scope, [validate(newRun, { description: text, meta }, 'body')])
    const run_id = run?.id
    const [scenario] = await createScenarios(scope, [validate(newScenario, { run_id, meta }, 'body')])
    const cell = { run_id, scenario_id: scenario?.id, step_key: 'k', meta, error: { text } }
    await writeResults(scope, [validate(newResult, cell, 'body')])
    await writeMetrics(scope, [validate(newMetrics, { run_id, data: { text } }, 'body')])
    await createQueues(scope, [validate(newQueue, { run_id, meta }, 'body')])
    const lists = [
      await listRows(scope, 'runs', {}),
      await listRows(scope, 'scenarios', {}),
      await listRows(scope, 'results', {}),
      await listRows(scope, 'metrics', {}),
      await listRows(scope, 'queues', {}),
    ]
    expect(lists.map(({ bytesMax }) => Math.floor(bytesMax / text.length))).toEqual([2, 1, 2, 1, 1])
  })

  test('a list by several texts compares them as they are', async () => {
    const scope = await newScope(postgres())
    const [run] = await createRuns(scope, [validate(newRun, {}, 'body')])
    const run_id = run?.id
    const [scenario] = await createScenarios(scope, [validate(newScenario, { run_id }, 'body')])
    const keys = ['a"b', 'c\\d', '{x,y}', 'NULL', ' ', 'ü']
    const cells = keys.map(step_key => validate(newResult, { run_id, scenario_id: scenario?.id, step_key }, 'body'))
    await writeResults(scope, [...cells, validate(newResult, { ...cells[0], step_key: 'other' }, 'body')])
    const found = await listRows(scope, 'results', { filter: { step_keys: keys, run_ids: [run_id] } })
    expect(found.count).toBe(keys.length)
  })
})
