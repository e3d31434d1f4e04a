import { randomUUID } from 'node:crypto'
import { expect, inject, test } from 'vitest'
import { registryClient } from '../registry-client.ts'
import { isSample } from '../sets/sample.ts'

const { apiUrl } = inject('target')
const { post, send } = await registryClient()

/** The longest wait of other callers while a large request is read, stored and answered. */
const HEALTH_MS_MAX = 5_000
const CELLS = isSample ? 20_000 : 100_000
const SCENARIOS = 1_000

const timed = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
  const start = performance.now()
  const result = await work()
  console.log(`${what}: ${Math.round(performance.now() - start)} ms`)
  return result
}

test(`${CELLS} results in one request, written twice, listed, paged and deleted; others are answered meanwhile`, async () => {
  const run_id = (await post('/evaluations/runs/', { runs: [{}] })).runs[0].id
  const { scenarios } = await post(`/simple/evaluations/${run_id}/scenarios/add`, { count: SCENARIOS })
  const results = Array.from({ length: CELLS }, (_, n) => ({
    run_id,
    scenario_id: scenarios[n % SCENARIOS].id,
    step_key: 'evaluator-77ab02c4d1e9',
    repeat_idx: Math.floor(n / SCENARIOS),
    status: 'success',
    trace_id: randomUUID(),
  }))
  let isDone = false
  let slowestMs = 0
  const watched = (async () => {
    while (!isDone) {
      const start = performance.now()
      await (await fetch(`${apiUrl}/api/health`)).text()
      slowestMs = Math.max(slowestMs, performance.now() - start)
    }
  })()
  const written = await timed('written', () => post('/evaluations/results/', { results }))
  expect(written.count).toBe(CELLS)
  expect(written.results.map((one: any) => one.trace_id)).toEqual(results.map(one => one.trace_id))
  const again = await timed('written again', () => post('/evaluations/results/', { results }))
  expect([again.count, again.results[777].id]).toEqual([CELLS, written.results[777].id])
  const listed = await timed('listed', () => post('/evaluations/results/query', { result: { run_id } }))
  expect(listed.results.map((one: any) => one.id)).toEqual(written.results.map((one: any) => one.id))
  const page = await timed('a page', () =>
    post('/evaluations/results/query', {
      result: { run_id },
      windowing: { limit: 100, next: written.results[CELLS / 2].id },
    }),
  )
  expect(page.results.map((one: any) => one.id)).toEqual(
    written.results.slice(CELLS / 2 + 1, CELLS / 2 + 101).map((one: any) => one.id),
  )
  const gone = await timed('deleted', () => send('DELETE', `/evaluations/runs/${run_id}`))
  expect(gone.body).toEqual({ count: 1, run_id })
  isDone = true
  await watched
  console.log(`others waited ${Math.round(slowestMs)} ms at most`)
  expect(slowestMs).toBeLessThan(HEALTH_MS_MAX)
})
