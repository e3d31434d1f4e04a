import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { registryClient, slugOf } from '../registry-client.ts'

const { post, ok, send, refused } = await registryClient()

const step = (key: string, type: string, origin = 'custom', references: object = {}) => ({
  key,
  type,
  origin,
  references,
})
const newRun = async (run: object): Promise<any> => (await post('/evaluations/runs/', { runs: [run] })).runs[0]
const runOf = async (id: string): Promise<any> => (await ok('GET', `/evaluations/runs/${id}`)).run
const scenariosOf = async (run_id: string): Promise<any[]> =>
  (await post('/evaluations/scenarios/query', { scenario: { run_id } })).scenarios
const cellsOf = async (run_id: string): Promise<any[]> =>
  (await post('/evaluations/results/query', { result: { run_id } })).results
const newScenarios = async (run_id: string, count: number): Promise<any[]> =>
  (await post('/evaluations/scenarios', { scenarios: Array.from({ length: count }, () => ({ run_id })) })).scenarios
const write = (...results: object[]): Promise<any> => post('/evaluations/results/', { results })
const ids = (rows: any[]): string[] => rows.map(({ id }) => id)
const defaultQueue = async (run_id: string): Promise<any> =>
  (await ok('GET', `/evaluations/runs/${run_id}/queues/default`)).queue

interface Revision {
  id: string
  slug: string
}
const made = async (kind: string, data: object): Promise<Revision> => {
  const { [kind]: one } = await post(`/simple/${kind === 'query' ? 'queries' : `${kind}s`}/`, {
    [kind]: { slug: slugOf(kind), name: kind, data },
  })
  return { id: one.revision_id, slug: one.revision_slug ?? '' }
}
const outputs = {
  type: 'object',
  properties: {
    score: { type: ['number', 'null'] },
    deep: { type: 'object', properties: { why: { type: 'string' } } },
  },
}
let app: Revision
let judge: Revision
let bare: Revision
let testset: Revision
let query: Revision
beforeAll(async () => {
  app = await made('application', { uri: 'agenta:custom:hook:v0', url: 'https://app.test/x' })
  judge = await made('evaluator', { uri: 'agenta:custom:hook:v0', url: 'https://judge.test/x', schemas: { outputs } })
  bare = await made('evaluator', { uri: 'agenta:custom:hook:v0', url: 'https://judge.test/x' })
  const rows = ['Paris', 'Rome', 'Oslo'].map(correct_answer => ({ data: { country: 'c', correct_answer } }))
  testset = await made('testset', { testcases: rows })
  const conditions = [{ field: 'trace_type', operator: 'is', value: 'invocation' }]
  query = await made('query', { filtering: { operator: 'and', conditions } })
})

describe('default queues', () => {
  const human = step('h', 'annotation', 'human')
  const auto = step('a', 'annotation', 'auto')

  test('comes with the first human step, goes with the last, comes back', async () => {
    const run = await newRun({ name: 'mine', data: { steps: [auto] } })
    expect(await defaultQueue(run.id)).toBeUndefined()
    const patch = async (steps: object[]) =>
      (await send('PATCH', `/evaluations/runs/${run.id}`, { run: { data: { steps } } })).body.run
    expect((await patch([auto, human])).flags.is_queue).toBe(true)
    const queue = await defaultQueue(run.id)
    expect(queue).toMatchObject({
      name: 'mine',
      status: 'running',
      data: {},
      flags: { is_default: true, is_sequential: false },
    })
    expect((await patch([auto])).flags.is_queue).toBe(false)
    expect(await defaultQueue(run.id)).toBeUndefined()
    const found = async (more: object) =>
      (await post('/evaluations/queues/query', { queue: { run_id: run.id, ...more } })).count
    expect([await found({}), await found({ include_archived: true })]).toEqual([0, 1])
    await patch([human])
    expect((await defaultQueue(run.id)).id).toBe(queue.id)
    expect((await defaultQueue(run.id)).deleted_at).toBeUndefined()
  })

  test('policy: no data, no demotion, no second one, no deletion', async () => {
    const run = await newRun({ data: { steps: [human] } })
    const queue = await defaultQueue(run.id)
    const path = `/evaluations/queues/${queue.id}`
    for (const data of [
      { user_ids: [] },
      { scenario_ids: [] },
      { step_keys: [] },
      { batch_size: 1 },
      { batch_offset: 0 },
    ]) {
      const { status, body } = await send('PATCH', path, { queue: { data } })
      expect([status, body.detail]).toMatchObject([422, { message: expect.any(String), queue_id: queue.id }])
      const created = await send('POST', '/evaluations/queues/', {
        queues: [{ run_id: run.id, flags: { is_default: true }, data }],
      })
      expect([created.status, created.body.detail.message]).toEqual([422, expect.any(String)])
    }
    expect((await send('PATCH', path, { queue: { flags: { is_default: false } } })).status).toBe(409)
    expect((await send('DELETE', path)).body.detail.queue_id).toBe(queue.id)
    const [other] = (await post('/evaluations/queues/', { queues: [{ run_id: run.id }] })).queues
    expect((await send('DELETE', '/evaluations/queues/', { queue_ids: [other.id, queue.id] })).status).toBe(409)
    expect((await ok('GET', `/evaluations/queues/${other.id}`)).count).toBe(1)
    for (const answer of [
      await send('POST', '/evaluations/queues/', { queues: [{ run_id: run.id, flags: { is_default: true } }] }),
      await send('PATCH', `/evaluations/queues/${other.id}`, { queue: { flags: { is_default: true } } }),
    ])
      expect([answer.status, answer.body.detail.conflict]).toEqual([409, { run_id: run.id }])
    expect(
      (await send('POST', '/evaluations/queues/', { queues: [{ run_id: run.id, data: { batch_size: true } }] })).status,
    ).toBe(422)
    const bareRun = await newRun({})
    expect(
      (await post('/evaluations/queues/', { queues: [{ run_id: bareRun.id, flags: { is_default: true } }] })).count,
    ).toBe(1)
    expect(await defaultQueue(bareRun.id)).toBeDefined()
  })
})

describe('assignment', () => {
  const [ana, bo, cy] = [randomUUID(), randomUUID(), randomUUID()]
  test('the example of the interface, in pages and for both surfaces', async () => {
    const run = await newRun({})
    const s = ids(await newScenarios(run.id, 6))
    const [queue] = (
      await post('/evaluations/queues/', {
        queues: [
          { run_id: run.id, flags: { is_sequential: true }, data: { user_ids: [[ana, bo, cy]], batch_size: 4 } },
        ],
      })
    ).queues
    const path = `/evaluations/queues/${queue.id}/scenarios/query`
    const mine = async (user_id?: string, more: object = {}) =>
      ids((await post(path, { queue: { user_id }, ...more })).scenarios)
    expect(await mine(ana)).toEqual([s[0], s[1], s[4], s[5]])
    expect(await mine(bo)).toEqual([s[2]])
    expect(await mine(cy)).toEqual([s[3]])
    expect(await mine(randomUUID())).toEqual([])
    expect(await mine()).toEqual(s)
    const first = await post(path, { queue: { user_id: ana }, windowing: { limit: 3 } })
    expect([ids(first.scenarios), first.windowing]).toEqual([[s[0], s[1], s[4]], { limit: 3, next: s[4] }])
    const last = await post(path, { queue: { user_id: ana }, windowing: { ...first.windowing, limit: 1 } })
    expect([ids(last.scenarios), last.windowing]).toEqual([[s[5]], undefined])
    // Scenarios that have gone to others meanwhile, as by a change of the assignments.
    for (const [order, next, rest] of [
      ['ascending', s[3], [s[4], s[5]]],
      ['descending', s[2], [s[1], s[0]]],
    ])
      expect(await mine(ana, { windowing: { order, next } })).toEqual(rest)
    await send('PATCH', `/evaluations/scenarios/${s[0]}`, { scenario: { status: 'success' } })
    expect(await mine(ana, { scenario: { statuses: ['pending'] } })).toEqual([s[1], s[4], s[5]])
    expect((await send('POST', path, { queue: { id: randomUUID() } })).status).toBe(400)
    const found = async (queue: object) =>
      (await post('/evaluations/queues/query', { queue: { run_id: run.id, ...queue } })).count
    expect([
      await found({ user_id: bo }),
      await found({ user_ids: [randomUUID(), cy] }),
      await found({ user_id: randomUUID() }),
    ]).toEqual([1, 1, 0])
    await send('PATCH', `/evaluations/queues/${queue.id}`, { queue: { data: { ...queue.data, batch_offset: 2 } } })
    expect(await mine(bo)).toEqual([s[0], s[4]])
    await send('PATCH', `/evaluations/queues/${queue.id}`, {
      queue: { data: { user_ids: [[ana], [bo]], scenario_ids: [s[1], s[3]] } },
    })
    expect(await mine(bo)).toEqual([s[1], s[3]])
  })

  test('by id: everybody gets what their buckets say, and all together everything once', async () => {
    const run = await newRun({})
    const s = ids(await newScenarios(run.id, 300))
    const users = [ana, bo, cy, randomUUID(), randomUUID(), randomUUID(), randomUUID()]
    const [queue] = (await post('/evaluations/queues/', { queues: [{ run_id: run.id, data: { user_ids: [users] } }] }))
      .queues
    const seen: string[] = []
    for (const [position, user_id] of users.entries()) {
      const got = ids((await post(`/evaluations/queues/${queue.id}/scenarios/query`, { queue: { user_id } })).scenarios)
      // 120 buckets for 7: one of 18, six of 17.
      const from = position * 17 + Math.min(position, 1)
      const to = from + (position < 1 ? 18 : 17)
      const bucket = (id: string) => Number(BigInt(`0x${id.replaceAll('-', '')}`) % 120n)
      expect(got).toEqual(s.filter(id => bucket(id) >= from && bucket(id) < to))
      seen.push(...got)
    }
    expect(seen.toSorted()).toEqual(s)
  })

  test('the next page comes also when the last scenario of the page before was deleted', async () => {
    const run = await newRun({})
    const s = ids(await newScenarios(run.id, 4))
    const [queue] = (await post('/evaluations/queues/', { queues: [{ run_id: run.id }] })).queues
    const path = `/evaluations/queues/${queue.id}/scenarios/query`
    const first = await post(path, { windowing: { limit: 2 } })
    await send('DELETE', `/evaluations/scenarios/${s[1]}`)
    expect(ids((await post(path, { windowing: first.windowing })).scenarios)).toEqual([s[2], s[3]])
  })
})

describe('people’s cells decide statuses', () => {
  test('scenario and run follow; a status set by a client stays until a cell changes', async () => {
    const run = await newRun({
      status: 'running',
      flags: { is_active: true },
      data: { steps: [step('h', 'annotation', 'human')], repeats: 2 },
    })
    const [a, b] = await newScenarios(run.id, 2)
    const cell = (scenario: any, repeat_idx: number, status: string) => ({
      run_id: run.id,
      scenario_id: scenario.id,
      step_key: 'h',
      repeat_idx,
      status,
    })
    const statuses = async () => [...(await scenariosOf(run.id)).map(one => one.status), (await runOf(run.id)).status]
    await write(cell(a, 0, 'success'))
    expect(await statuses()).toEqual(['pending', 'pending', 'running'])
    await write(cell(a, 1, 'success'))
    expect(await statuses()).toEqual(['success', 'pending', 'running'])
    await send('PATCH', `/evaluations/scenarios/${b.id}`, { scenario: { status: 'success' } })
    expect(await statuses()).toEqual(['success', 'success', 'success'])
    expect((await runOf(run.id)).flags.is_active).toBe(false)
    const { results } = await write(cell(b, 0, 'failure'), cell(b, 1, 'success'))
    expect(await statuses()).toEqual(['success', 'errors', 'errors'])
    await send('DELETE', `/evaluations/results/${results[0].id}`)
    expect(await statuses()).toEqual(['success', 'pending', 'running'])
  })
})

describe('shape', () => {
  test('steps and repeats', async () => {
    const run = await newRun({
      data: {
        steps: [step('x', 'annotation'), step('y', 'annotation')],
        mappings: [{ column: { kind: 'k', name: 'n' }, step: { key: 'y', path: 'p' } }],
      },
    })
    const path = `/simple/evaluations/${run.id}`
    const { scenarios } = await post(`${path}/scenarios/add`, { count: 3, timestamp: '2026-02-03T09:00:59.5Z' })
    expect(scenarios).toMatchObject(
      Array(3).fill({ status: 'running', interval: 1, timestamp: '2026-02-03T09:00:00Z' }),
    )
    for (const count of [0, -1])
      expect(await post(`${path}/scenarios/add`, { count })).toEqual({ count: 0, scenarios: [] })
    const [a, b] = scenarios
    const cell = (one: any, step_key: string, repeat_idx = 0) => ({
      run_id: run.id,
      scenario_id: one.id,
      step_key,
      repeat_idx,
    })
    await write(cell(a, 'x'), cell(a, 'y'), cell(a, 'x', 1), cell(b, 'y'))
    await post('/evaluations/metrics/', { metrics: [{ run_id: run.id }, { run_id: run.id, scenario_id: a.id }] })
    const added = await post(`${path}/steps/add`, { steps: [step('x', 'input'), step('z', 'annotation', 'human')] })
    expect(added.run.data.steps.map((one: any) => [one.key, one.type])).toEqual([
      ['x', 'annotation'],
      ['y', 'annotation'],
      ['z', 'annotation'],
    ])
    expect(added.run.flags).toMatchObject({ has_human: true, is_queue: true })
    const removed = await post(`${path}/steps/remove`, { step_keys: ['y', 'nothing'] })
    expect(removed.run.data).toMatchObject({ mappings: [], steps: [{ key: 'x' }, { key: 'z' }] })
    // Nothing of b is left; c had nothing to lose.
    expect(ids(await scenariosOf(run.id))).toEqual([a.id, scenarios[2].id])
    expect((await cellsOf(run.id)).map(one => one.step_key)).toEqual(['x', 'x'])
    expect((await post('/evaluations/metrics/query', { metrics: { run_id: run.id } })).count).toBe(0)
    await post(`${path}/repeats/set`, { repeats: 1 })
    expect((await cellsOf(run.id)).map(one => one.repeat_idx)).toEqual([0])
    expect((await send('POST', `${path}/repeats/set`, { repeats: 0 })).status).toBe(422)
    expect((await send('POST', `${path}/scenarios/remove`, { scenario_ids: [a.id, randomUUID()] })).status).toBe(400)
    const gone = await send('POST', `${path}/scenarios/remove`, { scenario_ids: [a.id] })
    expect([gone.status, gone.text]).toEqual([204, ''])
    expect(await cellsOf(run.id)).toEqual([])
  })

  test('a large run loses repeats, pruned cells and steps of all its scenarios, also what was written after', async () => {
    const SCENARIOS = 1_203
    const steps = [step('x', 'annotation'), step('y', 'annotation')]
    const run = await newRun({ data: { steps, repeats: 2 } })
    const path = `/simple/evaluations/${run.id}`
    const { scenarios } = await post(`${path}/scenarios/add`, { count: SCENARIOS })
    const cells = (step_key: string, repeat_idx: number) =>
      scenarios.map((one: any) => ({ run_id: run.id, scenario_id: one.id, step_key, repeat_idx }))
    await write(...cells('x', 0), ...cells('x', 1), ...cells('y', 0), ...cells('z', 0))
    const left = async () => {
      const counts = Map.groupBy(await cellsOf(run.id), cell => `${cell.step_key}${cell.repeat_idx}`)
      return Object.fromEntries([...counts].map(([key, some]) => [key, some.length]).sort())
    }
    await post(`${path}/repeats/set`, { repeats: 1 })
    expect(await left()).toEqual({ x0: SCENARIOS, y0: SCENARIOS, z0: SCENARIOS })
    const scenario_ids = ids(scenarios).slice(1).reverse()
    expect((await send('POST', `${path}/prune`, { scenario_ids, step_keys: ['z'] })).status).toBe(204)
    expect(await left()).toEqual({ x0: SCENARIOS, y0: SCENARIOS, z0: 1 })
    await post(`${path}/steps/remove`, { step_keys: ['x', 'z'] })
    expect(await left()).toEqual({ y0: SCENARIOS })
    await write(...cells('x', 0).slice(0, 3))
    await post(`${path}/steps/remove`, { step_keys: ['x'] })
    expect(await left()).toEqual({ y0: SCENARIOS })
    await post(`${path}/steps/remove`, { step_keys: ['y'] })
    expect(await scenariosOf(run.id)).toEqual([])
  })

  test.each([
    [
      'an edit of the run',
      (id: string, data: object) => send('PATCH', `/evaluations/runs/${id}`, { run: { id, data } }),
    ],
    ['repeats/set', (id: string) => send('POST', `/simple/evaluations/${id}/repeats/set`, { repeats: 1 })],
  ])('%s that lowers the repeats takes their cells out, and nobody waits for them', async (_name, lower) => {
    const steps = [step('h', 'annotation', 'human')]
    const run = await newRun({ data: { steps, repeats: 3 } })
    // Of the second scenario only what is still to be done is missing, and that was never written.
    const [one, other] = await newScenarios(run.id, 2)
    const cell = (of: any, repeat_idx: number, status: string) => ({
      run_id: run.id,
      scenario_id: of.id,
      step_key: 'h',
      repeat_idx,
      status,
    })
    await write(cell(one, 0, 'success'), cell(one, 1, 'pending'), cell(one, 2, 'failure'), cell(other, 0, 'success'))
    await post('/evaluations/metrics/', { metrics: [{ run_id: run.id }] })
    expect((await lower(run.id, { steps })).status).toBe(200)
    expect((await cellsOf(run.id)).map(({ repeat_idx }) => repeat_idx)).toEqual([0, 0])
    expect((await scenariosOf(run.id)).map(({ status }) => status)).toEqual(['success', 'success'])
    expect(await runOf(run.id)).toMatchObject({ status: 'success', data: { repeats: 1 } })
    expect((await post('/evaluations/metrics/query', { metrics: { run_id: run.id } })).count).toBe(0)
    // A number that stays as it is leaves what a client has written beyond it.
    await write(cell(one, 1, 'success'))
    await send('PATCH', `/evaluations/runs/${run.id}`, { run: { id: run.id, data: { steps } } })
    expect(await cellsOf(run.id)).toHaveLength(3)
  })

  test.each([
    [
      'an edit of the run',
      (id: string, steps: object[]) =>
        send('PATCH', `/evaluations/runs/${id}`, { run: { id, data: { steps, repeats: 2 } } }),
    ],
    ['repeats/set', (id: string) => send('POST', `/simple/evaluations/${id}/repeats/set`, { repeats: 2 })],
    [
      'steps/add',
      (id: string) =>
        send('POST', `/simple/evaluations/${id}/steps/add`, { steps: [step('more', 'annotation', 'human')] }),
    ],
  ])('%s that gives people more to do opens what was done', async (_name, change) => {
    const steps = [step('h', 'annotation', 'human')]
    const run = await newRun({ data: { steps } })
    const [one] = await newScenarios(run.id, 1)
    await write({ run_id: run.id, scenario_id: one.id, step_key: 'h', status: 'success' })
    expect([await runOf(run.id), ...(await scenariosOf(run.id))].map(({ status }) => status)).toEqual([
      'success',
      'success',
    ])
    expect((await change(run.id, steps)).status).toBe(200)
    expect((await scenariosOf(run.id)).map(({ status }) => status)).toEqual(['pending'])
    expect(await runOf(run.id)).toMatchObject({ status: 'running', flags: { is_active: true } })
  })

  test('slices: populate, probe, prune; an empty list addresses nothing', async () => {
    const run = await newRun({})
    const [a, b] = await newScenarios(run.id, 2)
    const path = `/simple/evaluations/${run.id}`
    const results = [a, b].flatMap(({ id }) =>
      ['x', 'y'].map(step_key => ({ run_id: run.id, scenario_id: id, step_key })),
    )
    expect((await post(`${path}/populate`, { results })).count).toBe(4)
    const count = async (slice: object) => (await post(`${path}/probe`, slice)).count
    expect([
      await count({}),
      await count({ step_keys: ['x'] }),
      await count({ scenario_ids: [a.id], repeat_idxs: [0] }),
    ]).toEqual([4, 2, 2])
    for (const empty of [{ scenario_ids: [] }, { step_keys: [] }, { repeat_idxs: [] }]) {
      expect(await post(`${path}/probe`, empty)).toEqual({ count: 0, results: [] })
      expect((await send('POST', `${path}/prune`, empty)).status).toBe(204)
      expect((await send('POST', `${path}/process`, empty)).text).toBe('null')
      expect((await send('POST', `${path}/refresh`, empty)).status).toBe(204)
    }
    expect((await send('POST', `${path}/prune`, { step_keys: ['x'] })).status).toBe(204)
    expect([await count({}), (await scenariosOf(run.id)).length]).toEqual([2, 2])
    expect(
      (await send('POST', `/simple/evaluations/${randomUUID()}/scenarios/remove`, { scenario_ids: [a.id] })).status,
    ).toBe(400)
    for (const verb of ['process', 'prune', 'refresh'])
      expect((await send('POST', `/simple/evaluations/${randomUUID()}/${verb}`, {})).status).toBe(404)
  })
})

describe('simple evaluations', () => {
  const create = (data: object | undefined, more: object = {}) =>
    post('/simple/evaluations/', { evaluation: { name: 'e', ...more, data } })

  test('graph, mappings, scenarios and work of a testset run; the record comes back activated', async () => {
    const { evaluation } = await create(
      {
        testset_steps: [testset.id],
        application_steps: { [app.id]: 'auto' },
        evaluator_steps: { [judge.id]: 'auto', [bare.id]: 'human' },
        repeats: 2,
        concurrency: { batch_size: 8, max_retries: 2, retry_delay: 1.5 },
      },
      { tags: { suite: 'nightly' } },
    )
    expect(evaluation).toMatchObject({
      name: 'e',
      tags: { suite: 'nightly' },
      flags: {
        is_active: true,
        has_testsets: true,
        has_human: true,
        has_auto: true,
        is_queue: true,
        has_custom: false,
      },
      data: {
        status: 'running',
        query_steps: {},
        testset_steps: { [testset.id]: 'custom' },
        application_steps: { [app.id]: 'auto' },
        evaluator_steps: { [judge.id]: 'auto', [bare.id]: 'human' },
        repeats: 2,
        concurrency: { batch_size: 8, max_retries: 2, retry_delay: 1.5 },
      },
    })
    const { data } = await runOf(evaluation.id)
    const [t, a, j, h] = data.steps
    const layers = (kind: string, revision: string) => ({
      [kind]: { id: expect.any(String), slug: expect.any(String) },
      [`${kind}_variant`]: { id: expect.any(String), slug: expect.any(String) },
      [`${kind}_revision`]: { id: revision, slug: expect.any(String), version: '1' },
    })
    expect(data.steps).toEqual([
      {
        key: `testset-${t.references.testset_revision.slug}`,
        type: 'input',
        origin: 'custom',
        references: layers('testset', testset.id),
      },
      {
        key: `application-${a.references.application_revision.slug}`,
        type: 'invocation',
        origin: 'auto',
        inputs: [{ key: '__all_inputs__' }],
        references: layers('application', app.id),
      },
      {
        key: j.key,
        type: 'annotation',
        origin: 'auto',
        inputs: [{ key: '__all_invocations__' }, { key: '__all_inputs__' }],
        references: layers('evaluator', judge.id),
      },
      { key: h.key, type: 'annotation', origin: 'human', inputs: j.inputs, references: layers('evaluator', bare.id) },
    ])
    const column = (kind: string, name: string, { key }: any, path: string) => ({
      column: { kind, name },
      step: { key, path },
    })
    expect(data.mappings).toEqual([
      column('testset', 'country', t, 'data.country'),
      column('testset', 'correct_answer', t, 'data.correct_answer'),
      column('testset', 'testcase_dedup_id', t, 'data.testcase_dedup_id'),
      column('invocation', 'outputs', a, 'attributes.ag.data.outputs'),
      column('annotation', 'score', j, 'attributes.ag.data.outputs.score'),
      column('annotation', 'deep.why', j, 'attributes.ag.data.outputs.deep.why'),
      column('annotation', 'outputs', h, 'attributes.ag.data.outputs.outputs'),
    ])
    const scenarios = await scenariosOf(evaluation.id)
    expect(scenarios.map(one => one.status)).toEqual(['running', 'running', 'running'])
    const cells = await cellsOf(evaluation.id)
    expect(cells.slice(0, 4)).toMatchObject(
      [0, 1]
        .map(repeat_idx => ({ step_key: t.key, repeat_idx, status: 'success', testcase_id: expect.any(String) }))
        .concat(
          [0, 1].map(repeat_idx => ({
            step_key: h.key,
            repeat_idx,
            status: 'pending',
            testcase_id: expect.any(String),
          })),
        ),
    )
    expect(cells).toHaveLength(12)
    const again = await post(`/simple/evaluations/${evaluation.id}/start`)
    expect(again.evaluation.data.status).toBe('running')
    expect([await scenariosOf(evaluation.id), (await cellsOf(evaluation.id)).length]).toMatchObject([
      ids(scenarios).map(id => ({ id })),
      12,
    ])
    const stopped = await post(`/simple/evaluations/${evaluation.id}/stop`)
    expect(stopped.evaluation).toMatchObject({ flags: { is_active: false }, data: { status: 'cancelled' } })
    const after = await cellsOf(evaluation.id)
    const of = (key: string) => after.filter(one => one.step_key === key).map(one => one.status)
    expect([of(a.key), of(j.key), of(h.key)]).toEqual([
      Array(3).fill('cancelled'),
      Array(6).fill('cancelled'),
      Array(6).fill('pending'),
    ])
    expect((await post(`/simple/evaluations/${evaluation.id}/start`)).evaluation.data.status).toBe('running')
  })

  test('people only: pending at once, and done when they are', async () => {
    const { evaluation } = await create({ testset_steps: [testset.id], evaluator_steps: { [judge.id]: 'human' } })
    expect(evaluation).toMatchObject({ flags: { is_active: true }, data: { status: 'running' } })
    const scenarios = await scenariosOf(evaluation.id)
    expect(scenarios.map(one => one.status)).toEqual(Array(3).fill('pending'))
    const { results } = await post('/evaluations/results/query', {
      result: { run_id: evaluation.id, status: 'pending' },
    })
    await write(
      ...results.map(({ run_id, scenario_id, step_key }: any) => ({
        run_id,
        scenario_id,
        step_key,
        status: 'success',
      })),
    )
    expect((await ok('GET', `/simple/evaluations/${evaluation.id}`)).evaluation).toMatchObject({
      flags: { is_active: false },
      data: { status: 'success' },
    })
    expect((await post(`/simple/evaluations/${evaluation.id}/start`)).evaluation).toMatchObject({
      flags: { is_active: false },
      data: { status: 'success' },
    })
    const process = await send('POST', `/simple/evaluations/${evaluation.id}/process`, { overwrite: true })
    expect([process.status, process.text]).toEqual([202, 'null'])
    expect((await cellsOf(evaluation.id)).every(one => one.status === 'success')).toBe(true)
    await send('POST', `/simple/evaluations/${evaluation.id}/process`, {
      overwrite: true,
      step_keys: [results[0].step_key],
      scenario_ids: [scenarios[0].id],
    })
    expect((await scenariosOf(evaluation.id)).map(one => one.status)).toEqual(['pending', 'success', 'success'])
  })

  test('an edit rewrites the graph, keeps repeats and concurrency, never doubles scenarios', async () => {
    const { evaluation } = await create({
      testset_steps: [testset.id],
      evaluator_steps: { [judge.id]: 'human' },
      repeats: 2,
      concurrency: { batch_size: 3 },
    })
    const path = `/simple/evaluations/${evaluation.id}`
    const patch = async (data: object | undefined) =>
      (await send('PATCH', path, { evaluation: { id: evaluation.id, name: 'f', data } })).body
    expect(await patch(undefined)).toMatchObject({ count: 0, detail: { message: expect.any(String) } })
    const before = ids(await scenariosOf(evaluation.id))
    const edited = await patch({ testset_steps: [testset.id], evaluator_steps: { [bare.id]: 'human' } })
    expect(edited.evaluation).toMatchObject({
      name: 'f',
      data: { evaluator_steps: { [bare.id]: 'human' }, repeats: 2, concurrency: { batch_size: 3 }, status: 'running' },
    })
    expect(ids(await scenariosOf(evaluation.id))).toEqual(before)
    expect((await cellsOf(evaluation.id)).filter(one => one.status === 'pending')).toHaveLength(6)
    expect((await send('PATCH', path, { evaluation: { id: randomUUID(), data: {} } })).status).toBe(400)
  })

  test('an edit that lowers the repeats prunes cells, and statuses follow', async () => {
    const { evaluation } = await post('/simple/evaluations/', {
      evaluation: { data: { status: 'running', testset_steps: [testset.id], evaluator_steps: [judge.id], repeats: 3 } },
    })
    const { id } = evaluation
    const [scenario] = await newScenarios(id, 1)
    const { key } = (await runOf(id)).data.steps.find(({ type }: any) => type === 'annotation')
    const cell = { run_id: id, scenario_id: scenario.id, step_key: key, status: 'success' }
    await write(cell, { ...cell, repeat_idx: 1 }, { ...cell, repeat_idx: 2, status: 'failure' })
    await post(`/simple/evaluations/${id}/stop`)
    const data = { testset_steps: [testset.id], evaluator_steps: [judge.id], repeats: 2 }
    await send('PATCH', `/simple/evaluations/${id}`, { evaluation: { data } })
    expect((await cellsOf(id)).map(({ repeat_idx }) => repeat_idx).sort()).toEqual([0, 1])
    expect((await scenariosOf(id)).map(({ status }) => status)).toEqual(['success'])
    expect(await runOf(id)).toMatchObject({ status: 'success', data: { repeats: 2 } })
  })

  test('a run ends when what it waited for goes, and is active again when something comes', async () => {
    const waiting = async (data: object = {}) => {
      const { evaluation } = await create({
        testset_steps: [testset.id],
        evaluator_steps: { [judge.id]: 'human' },
        ...data,
      })
      const { results } = await post('/evaluations/results/query', { result: { run_id: evaluation.id } })
      const cells = results.filter(({ status }: any) => status === 'pending')
      const done = (repeat_idx: number) =>
        cells
          .filter((cell: any) => cell.repeat_idx === repeat_idx)
          .map(({ run_id, scenario_id, step_key }: any) => ({
            run_id,
            scenario_id,
            step_key,
            repeat_idx,
            status: 'success',
          }))
      return { id: evaluation.id, path: `/simple/evaluations/${evaluation.id}`, key: cells[0].step_key, done }
    }
    const stateOf = async (id: string) => {
      const { status, flags } = await runOf(id)
      return [status, flags.is_active, new Set((await scenariosOf(id)).map(one => one.status))]
    }
    const ended = ['success', false, new Set(['success'])]

    const repeated = await waiting({ repeats: 2 })
    await write(...repeated.done(0))
    expect(await stateOf(repeated.id)).toEqual(['running', true, new Set(['pending'])])
    await post(`${repeated.path}/repeats/set`, { repeats: 1 })
    expect(await stateOf(repeated.id)).toEqual(ended)

    const shortened = await waiting()
    await post(`${shortened.path}/steps/remove`, { step_keys: [shortened.key] })
    expect(await stateOf(shortened.id)).toEqual(ended)

    const gone = ['success', false, new Set()]
    const emptied = await waiting()
    const scenario_ids = (await scenariosOf(emptied.id)).map(one => one.id)
    await ok('DELETE', '/evaluations/scenarios/', { scenario_ids: scenario_ids.slice(1) })
    expect(await stateOf(emptied.id)).toEqual(['running', true, new Set(['pending'])])
    await ok('DELETE', '/evaluations/scenarios/', { scenario_ids })
    expect(await stateOf(emptied.id)).toEqual(gone)
    await post(`${emptied.path}/scenarios/add`, { count: 1 })
    expect(await stateOf(emptied.id)).toEqual(['running', true, new Set(['running'])])

    const stepless = await waiting()
    await post(`${stepless.path}/steps/remove`, {
      step_keys: (await runOf(stepless.id)).data.steps.map(({ key }: any) => key),
    })
    expect(await stateOf(stepless.id)).toEqual(gone)

    const reopened = await waiting()
    const { results } = await write(...reopened.done(0))
    expect(await stateOf(reopened.id)).toEqual(ended)
    await send('DELETE', `/evaluations/results/${results[0].id}`)
    expect(await stateOf(reopened.id)).toEqual(['running', true, new Set(['success', 'pending'])])
    await write(results[0])
    await post(`${reopened.path}/scenarios/add`, { count: 1 })
    expect(await stateOf(reopened.id)).toEqual(['running', true, new Set(['success', 'running'])])
  })

  test('setting the status to running executes it', async () => {
    const { evaluation } = await create({
      status: 'running',
      testset_steps: [testset.id],
      application_steps: [
        app.id,
        (await made('application', { uri: 'agenta:custom:hook:v0', url: 'https://x.test' })).id,
      ],
      evaluator_steps: [judge.id],
    })
    expect(evaluation).toMatchObject({
      flags: { is_active: true, is_closed: false, has_custom: true },
      data: { status: 'running' },
    })
    expect(await scenariosOf(evaluation.id)).toEqual([])
    expect((await send('POST', `/simple/evaluations/${evaluation.id}/stop`)).body.evaluation.data.status).toBe(
      'running',
    )
  })

  test('a graph that nothing executes is stored and refused; a query waits for workers', async () => {
    for (const data of [
      { evaluator_steps: [judge.id] },
      { testset_steps: [testset.id] },
      { testset_steps: [testset.id], query_steps: [query.id], evaluator_steps: [judge.id] },
    ])
      expect(await create(data)).toMatchObject({
        count: 1,
        evaluation: { flags: { is_active: false, is_closed: true }, data: { status: 'failure' } },
      })
    const live = await create(
      { query_steps: [query.id], evaluator_steps: { [judge.id]: 'auto' } },
      { flags: { is_live: true } },
    )
    expect(live.evaluation).toMatchObject({
      flags: { is_live: true, is_active: true, has_queries: true },
      data: { status: 'running', testset_steps: {} },
    })
    const batch = await create({ query_steps: [query.id], evaluator_steps: { [judge.id]: 'auto' } })
    expect(batch.evaluation).toMatchObject({ flags: { is_active: true }, data: { status: 'running' } })
    expect((await post(`/simple/evaluations/${batch.evaluation.id}/stop`)).evaluation.data.status).toBe('cancelled')
  })

  test('what cannot be made is a count of 0 with a reason, and nothing is stored', async () => {
    const unknown = randomUUID()
    const empty = await made('testset', { testcases: [] })
    const anything = await made('query', { filtering: { conditions: [] } })
    const either = [
      { field: 'trace_type', value: 'invocation' },
      { field: 'span_name', value: 'x' },
    ]
    // A live run over these would evaluate the traces of its own evaluators, for ever.
    const others = await Promise.all(
      ['or', 'nor', 'nand'].map(operator => made('query', { filtering: { operator, conditions: either } })),
    )
    const rejected: [object | undefined, string, string?, object?][] = [
      [undefined, 'data'],
      [{ testset_steps: [unknown], evaluator_steps: [judge.id] }, 'testset_steps', unknown],
      [{ testset_steps: [empty.id], evaluator_steps: [judge.id] }, 'testset_steps', empty.id],
      [{ testset_steps: [testset.id], evaluator_steps: [testset.id] }, 'evaluator_steps', testset.id],
      ...[anything, ...others].map(({ id }): [object, string, string, object] => [
        { query_steps: [id], evaluator_steps: [judge.id] },
        'query_steps',
        id,
        { flags: { is_live: true } },
      ]),
    ]
    const tag = randomUUID()
    for (const [data, at, id, more] of rejected)
      expect(await create(data, { ...more, tags: { tag } })).toEqual({
        count: 0,
        detail: { message: expect.any(String), step: at, ...(id && { id }) },
      })
    expect((await post('/simple/evaluations/query', { evaluation: { tags: { tag } } })).count).toBe(0)
    expect(
      (await send('POST', '/simple/evaluations/', { evaluation: { data: { testset_steps: { x: 'auto' } } } })).status,
    ).toBe(422)
  })

  test('queries by ids, name, flags; deleting', async () => {
    const { evaluation } = await create(
      { testset_steps: [testset.id], evaluator_steps: { [judge.id]: 'human' } },
      { name: 'Find me' },
    )
    const found = async (filter: object) =>
      (await post('/simple/evaluations/query', { evaluation: filter })).evaluations
    expect(await found({ ids: [evaluation.id], name: 'find', flags: { has_testsets: true } })).toMatchObject([
      { id: evaluation.id, data: { testset_steps: { [testset.id]: 'custom' } } },
    ])
    expect(await found({ ids: [evaluation.id], flags: { has_testcases: true } })).toEqual([])
    const path = `/simple/evaluations/${evaluation.id}`
    expect((await send('DELETE', path)).body).toEqual({ count: 1, evaluation_id: evaluation.id })
    expect((await send('DELETE', path)).body).toEqual({ count: 0 })
  })
})

describe('simple queues', () => {
  const create = (data: object | undefined, more: object = {}) =>
    send('POST', '/simple/queues/', { queue: { name: 'q', ...more, data } })
  const good = async (data: object, more: object = {}) =>
    (await create({ evaluators: [judge.id], ...data }, more)).body.queue

  test.each<[string, object, string]>([
    [
      'both lists',
      { queries: [randomUUID()], testsets: [randomUUID()] },
      'simple queue source must be either queries or testsets',
    ],
    ['nothing', {}, 'simple queue requires kind, queries, or testsets'],
    [
      'queries with another kind',
      { kind: 'traces', queries: [randomUUID()] },
      "query-backed queues must use kind='queries'",
    ],
    [
      'testsets with another kind',
      { kind: 'queries', testsets: [randomUUID()] },
      "testset-backed queues must use kind='testsets'",
    ],
    ['kind queries alone', { kind: 'queries' }, "kind='queries' requires query sources"],
    ['kind testsets alone', { kind: 'testsets' }, "kind='testsets' requires testset sources"],
    [
      'no human',
      { kind: 'traces', evaluators: { [randomUUID()]: 'auto' } },
      'simple queues must have at least one human evaluator',
    ],
  ])('422: %s', async (_name, data, text) => {
    const { status, body } = await create({ evaluators: [randomUUID()], ...data })
    expect([status, body.detail.map((one: any) => one.msg).join()]).toEqual([422, expect.stringContaining(text)])
  })

  test('a direct queue takes its sources, each once, and shows them to people at once', async () => {
    const queue = await good({ kind: 'traces', repeats: 2 }, { description: 'd', tags: { t: 'x' }, meta: { m: 1 } })
    expect(queue).toMatchObject({
      name: 'q',
      description: 'd',
      tags: { t: 'x' },
      meta: { m: 1 },
      status: 'running',
      flags: { is_default: true },
      data: { kind: 'traces', repeats: 2, evaluators: { [judge.id]: 'human' } },
    })
    expect(await runOf(queue.run_id)).toMatchObject({
      name: 'q',
      description: 'd',
      tags: { t: 'x' },
      status: 'running',
      flags: { is_active: true, has_traces: true, is_queue: true },
      data: {
        steps: [{ key: 'traces', references: {} }, { origin: 'human' }],
        mappings: [
          { column: { kind: 'query', name: 'data' }, step: { key: 'traces', path: 'attributes.ag.data' } },
          {},
          {},
        ],
      },
    })
    const [a, b] = ['a'.repeat(32), 'b'.repeat(32)]
    const path = `/simple/queues/${queue.id}`
    expect(await post(`${path}/traces/`, { trace_ids: [a, a, b] })).toEqual({ count: 1, queue_id: queue.id })
    await Promise.all(
      [1, 2, 3].map(() =>
        post(`${path}/traces/`, { trace_ids: [b, 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa', 'c'.repeat(32)] }),
      ),
    )
    expect((await scenariosOf(queue.run_id)).map(one => one.status)).toEqual(Array(3).fill('pending'))
    const cells = await cellsOf(queue.run_id)
    expect(cells.slice(0, 4)).toMatchObject([
      { step_key: 'traces', status: 'success', trace_id: 'aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa' },
      { repeat_idx: 1 },
      { status: 'pending' },
      { status: 'pending' },
    ])
    expect(cells[2]).not.toHaveProperty('trace_id')
    expect((await post(`${path}/scenarios/query`, {})).count).toBe(3)
    expect((await send('POST', `${path}/testcases/`, { testcase_ids: [randomUUID()] })).body).toEqual({ count: 0 })
    expect((await send('POST', `${path}/traces/`, { trace_ids: ['no id'] })).status).toBe(400)
    expect((await send('POST', `/simple/queues/${randomUUID()}/traces/`, { trace_ids: [] })).body).toEqual({ count: 0 })
  })

  test('with people, steps or settings it is a queue of its own', async () => {
    const [ana, bo] = [randomUUID(), randomUUID()]
    const queue = await good({ kind: 'testcases', assignments: [[ana], [bo], [ana]], settings: { batch_size: 2 } })
    expect(queue).toMatchObject({
      flags: { is_default: false, is_sequential: true },
      data: { kind: 'testcases', repeats: 3, assignments: [[ana], [bo], [ana]], settings: { batch_size: 2 } },
    })
    expect((await defaultQueue(queue.run_id)).id).not.toBe(queue.id)
    await post(`/simple/queues/${queue.id}/testcases/`, { testcase_ids: [randomUUID(), randomUUID()] })
    const of = async (who: object) => (await post(`/simple/queues/${queue.id}/scenarios/query`, { queue: who })).count
    expect([
      await of({ user_id: ana }),
      await of({ user_ids: [ana, bo] }),
      await of({ user_id: randomUUID() }),
    ]).toEqual([2, 2, 0])
    expect((await good({ kind: 'traces', step_keys: ['x'] })).data.step_keys).toEqual(['x'])
  })

  test('backed by a testset it starts at once, and takes nothing else', async () => {
    const queue = await good({ testsets: [testset.id] })
    expect(queue.data).toMatchObject({ kind: 'testsets', testsets: [testset.id] })
    expect((await scenariosOf(queue.run_id)).map(one => one.status)).toEqual(Array(3).fill('pending'))
    for (const kind of ['traces', 'testcases']) {
      const detail = await refused(400, `/simple/queues/${queue.id}/${kind}/`, {
        [kind === 'traces' ? 'trace_ids' : 'testcase_ids']: ['?'],
      })
      expect(detail.message).toBe(
        `Cannot add ${kind} directly to a source-backed queue. Create a direct ${kind} queue instead.`,
      )
    }
    expect((await good({ kind: 'queries', queries: [query.id] })).data).toMatchObject({
      kind: 'queries',
      queries: [query.id],
    })
  })

  test('listed by kind and person, gone with its human step, deleted with its run', async () => {
    const tag = randomUUID()
    const ana = randomUUID()
    const a = await good({ kind: 'traces' }, { tags: { tag } })
    const b = await good({ kind: 'testcases', assignments: [[ana]] }, { tags: { tag } })
    const found = async (queue: object) =>
      ids((await post('/simple/queues/query', { queue: { tags: { tag }, ...queue } })).queues)
    expect(await found({})).toEqual([b.id, a.id])
    expect([
      await found({ kind: 'traces' }),
      await found({ user_id: ana }),
      await found({ queue_ids: [a.id] }),
    ]).toEqual([[a.id], [b.id], [a.id]])
    const page = await post('/simple/queues/query', { queue: { tags: { tag } }, windowing: { limit: 2 } })
    expect(page.windowing).toEqual({ limit: 2, next: a.id })
    expect((await send('DELETE', '/simple/queues/', { queue_ids: [a.id, randomUUID()] })).body).toEqual({
      count: 1,
      queue_ids: [a.id],
    })
    expect((await ok('GET', `/evaluations/runs/${a.run_id}`)).count).toBe(0)
    const run = await runOf(b.run_id)
    const human = run.data.steps[1].key
    await post(`/simple/evaluations/${b.run_id}/steps/remove`, { step_keys: [human] })
    expect(await ok('GET', `/simple/queues/${b.id}`)).toEqual({ count: 0 })
    expect((await create(undefined)).body).toMatchObject({ count: 0 })
    expect((await create({ kind: 'traces' })).body).toMatchObject({ count: 0 })
  })
})
