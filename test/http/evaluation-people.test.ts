import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { eventually } from '../harness.ts'
import { registryClient, slugOf } from '../registry-client.ts'

const { post, ok, send } = await registryClient()

let evaluator: string
let testcases: string[]
beforeAll(async () => {
  const outputs = {
    type: 'object',
    properties: {
      approved: { type: 'boolean' },
      stars: { type: 'integer' },
      grade: { type: 'string', enum: ['a', 'b'] },
      why: { type: 'string' },
    },
  }
  const data = { uri: 'agenta:custom:hook:v0', url: 'https://people.test/x', schemas: { outputs } }
  evaluator = (await post('/simple/evaluators/', { evaluator: { slug: slugOf('people'), data } })).evaluator.revision_id
  const rows = Array.from({ length: 6 }, (_, n) => ({ data: { n } }))
  const { testset } = await post('/simple/testsets/', {
    testset: { slug: slugOf('numbers'), data: { testcases: rows } },
  })
  const { testset_revision } = await post('/testsets/revisions/retrieve', {
    testset_revision_ref: { id: testset.revision_id },
  })
  testcases = testset_revision.data.testcases.map(({ id }: any) => id)
})

const newQueue = async (data: object): Promise<any> => {
  const { queue } = await post('/simple/queues/', {
    queue: { name: 'q', data: { kind: 'testcases', evaluators: [evaluator], ...data } },
  })
  await post(`/simple/queues/${queue.id}/testcases/`, { testcase_ids: testcases })
  const { scenarios } = await post('/evaluations/scenarios/query', { scenario: { run_id: queue.run_id } })
  const { run } = await ok('GET', `/evaluations/runs/${queue.run_id}`)
  const { key } = run.data.steps.find(({ type }: any) => type === 'annotation')
  return { ...queue, key, scenarios: scenarios.map(({ id }: any) => id) }
}
const progressOf = async ({ id }: any): Promise<any> => (await ok('GET', `/evaluations/queues/${id}/progress`)).progress

/** As an annotator: the trace first, then the cell. */
const annotate = async (queue: any, [n, repeat_idx]: [number, number], outputs: object): Promise<void> => {
  const trace = {
    origin: 'human',
    kind: 'adhoc',
    channel: 'web',
    data: { outputs },
    references: { evaluator_revision: { id: evaluator } },
    links: {},
  }
  const { body } = await send('POST', '/simple/traces/', { trace })
  const cell = { run_id: queue.run_id, scenario_id: queue.scenarios[n], step_key: queue.key, repeat_idx }
  await post('/evaluations/results/', { results: [{ ...cell, status: 'success', trace_id: body.trace.trace_id }] })
}

test('progress by assignee, of one repeat and of two; a run is a success when all people are done', async () => {
  const [ana, bo, cy] = [randomUUID(), randomUUID(), randomUUID()]
  const queue = await newQueue({ assignments: [[ana, bo], [cy]], settings: { batch_size: 4 } })
  const share = (repeat_idx: number, user_id: string, scenarios: number, done: number) => ({
    repeat_idx,
    user_id,
    scenarios,
    done,
  })
  expect(await progressOf(queue)).toEqual({
    queue_id: queue.id,
    run_id: queue.run_id,
    scenarios: 6,
    done: 0,
    assignees: [share(0, ana, 4, 0), share(0, bo, 2, 0), share(1, cy, 6, 0)],
  })
  await annotate(queue, [0, 0], { approved: true })
  await annotate(queue, [2, 0], { approved: true })
  await annotate(queue, [0, 1], { approved: true })
  expect(await progressOf(queue)).toMatchObject({
    scenarios: 6,
    done: 1,
    assignees: [share(0, ana, 4, 1), share(0, bo, 2, 1), share(1, cy, 6, 1)],
  })
  for (const [n] of queue.scenarios.entries())
    for (const repeat_idx of [0, 1]) await annotate(queue, [n, repeat_idx], { approved: true })
  expect(await progressOf(queue)).toMatchObject({ scenarios: 6, done: 6 })
  const { run } = await ok('GET', `/evaluations/runs/${queue.run_id}`)
  expect(run).toMatchObject({ status: 'success', flags: { is_active: false } })
})

test('nobody waits for assignees of a repeat that the run does not have any more', async () => {
  const [ana, bo] = [randomUUID(), randomUUID()]
  const queue = await newQueue({ assignments: [[ana], [bo]] })
  for (const [n] of queue.scenarios.entries()) await annotate(queue, [n, 0], { approved: true })
  expect(await progressOf(queue)).toMatchObject({ scenarios: 6, done: 0 })
  const { run } = await post(`/simple/evaluations/${queue.run_id}/repeats/set`, { repeats: 1 })
  expect(run.status).toBe('success')
  expect(await progressOf(queue)).toMatchObject({
    scenarios: 6,
    done: 6,
    assignees: [{ repeat_idx: 0, user_id: ana, scenarios: 6, done: 6 }],
  })
})

test('without assignments progress is by repeat; an unknown queue has none', async () => {
  const queue = await newQueue({ repeats: 2 })
  await annotate(queue, [3, 1], { approved: false })
  expect(await progressOf(queue)).toMatchObject({
    scenarios: 6,
    done: 0,
    assignees: [
      { repeat_idx: 0, scenarios: 6, done: 0 },
      { repeat_idx: 1, scenarios: 6, done: 1 },
    ],
  })
  expect(await ok('GET', `/evaluations/queues/${randomUUID()}/progress`)).toEqual({ count: 0 })
})

test('the progress of several queues is that of each, in order; what does not exist is left out', async () => {
  const ana = randomUUID()
  const [first, second] = [await newQueue({ repeats: 2 }), await newQueue({ assignments: [[ana]] })]
  await annotate(first, [1, 0], { approved: true })
  await annotate(second, [2, 0], { approved: true })
  const queue_ids = [second.id, randomUUID(), first.id, second.id]
  const { count, progress } = await post('/evaluations/queues/progress/query', { queue_ids })
  expect(count).toBe(2)
  expect(progress).toEqual([await progressOf(second), await progressOf(first)])
  expect(progress[0].done).toBe(1)
  expect(await post('/evaluations/queues/progress/query', { queue_ids: [] })).toEqual({ count: 0, progress: [] })
  const tooMany = { queue_ids: Array.from({ length: 21 }, () => randomUUID()) }
  expect((await send('POST', '/evaluations/queues/progress/query', tooMany)).status).toBe(422)
})

test('agreement between repeats, by output; what only one has rated says nothing', async () => {
  const queue = await newQueue({ repeats: 2 })
  // Of five pairs four agree on approval; stars differ by one, once.
  const first = [true, true, false, false, true]
  const second = [true, true, false, false, false]
  for (const n of first.keys()) {
    await annotate(queue, [n, 0], { approved: first[n], stars: n, grade: 'a', why: 'x' })
    await annotate(queue, [n, 1], { approved: second[n], stars: n === 4 ? 3 : n, grade: 'a', why: 'y' })
  }
  await annotate(queue, [5, 0], { approved: true })
  const path = (name: string): string => `attributes.ag.data.outputs.${name}`
  // The annotations are read from their traces, which are stored a moment later.
  const outputs = await eventually(async () => {
    const { agreement } = await ok('GET', `/evaluations/runs/${queue.run_id}/agreement`)
    expect(agreement.run_id).toBe(queue.run_id)
    const found = agreement.steps[queue.key]
    return found?.[path('approved')]?.ratings === 10 ? found : undefined
  })
  expect(Object.keys(outputs).sort()).toEqual(['approved', 'grade', 'stars'].map(path))
  // By hand: observed 0.8; by chance 0.6 * 0.4 + 0.4 * 0.6 = 0.48 (Cohen), 0.25 + 0.25 (Fleiss).
  const { krippendorff_alpha, cohen_kappa, fleiss_kappa, ...rest } = outputs[path('approved')]
  expect(rest).toEqual({ type: 'binary', level: 'nominal', scenarios: 5, ratings: 10 })
  expect(cohen_kappa).toBeCloseTo(0.32 / 0.52, 10)
  expect(fleiss_kappa).toBeCloseTo(0.6, 10)
  // Of ten ratings, five each: 1 - 9 * (2 / 1) / (100 - 50).
  expect(krippendorff_alpha).toBeCloseTo(1 - (9 * 2) / 50, 10)
  // Interval: differences within units 2, of all ordered pairs 2 * (10 * 53 - 19 ** 2).
  expect(outputs[path('stars')]).toMatchObject({ level: 'interval', scenarios: 5 })
  expect(outputs[path('stars')].krippendorff_alpha).toBeCloseTo(1 - (9 * 2) / (2 * (10 * 53 - 19 ** 2)), 10)
  // Everybody says the same about everything: there is no coefficient.
  expect(outputs[path('grade')]).toEqual({ type: 'categorical/single', level: 'nominal', scenarios: 5, ratings: 10 })
  expect(await ok('GET', `/evaluations/runs/${randomUUID()}/agreement`)).toEqual({ count: 0 })
})
