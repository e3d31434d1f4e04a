import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { type RegistryClient, registryClient } from '../registry-client.ts'

const mine = await registryClient()
const { post, ok, send, refused } = mine

const RUN_FLAGS = [
  ...['is_live', 'is_active', 'is_closed', 'is_queue', 'is_cached', 'is_split', 'has_queries', 'has_testsets'],
  ...['has_traces', 'has_testcases', 'has_evaluators', 'has_custom', 'has_human', 'has_auto'],
]
const step = (key: string, type: string, origin = 'custom', references: object = {}) => ({
  key,
  type,
  origin,
  references,
})
const newRun = async (run: object = {}, client: RegistryClient = mine): Promise<any> =>
  (await client.post('/evaluations/runs/', { runs: [run] })).runs[0]
const humanRun = (more: object = {}) =>
  newRun({ name: 'n', data: { steps: [step('i', 'input'), step('h', 'annotation', 'human')], ...more } })
const runOf = async (id: string): Promise<any> => (await ok('GET', `/evaluations/runs/${id}`)).run
const newScenarios = async (run_id: string, count = 1, client: RegistryClient = mine): Promise<any[]> =>
  (await client.post('/evaluations/scenarios', { scenarios: Array.from({ length: count }, () => ({ run_id })) }))
    .scenarios
const ids = (rows: any[]): string[] => rows.map(({ id }) => id)

describe('runs', () => {
  test('all fourteen flags, a version and no nulls; created in bulk and in order', async () => {
    const { count, runs } = await post('/evaluations/runs/', { runs: [{ name: 'a' }, { name: 'b' }, {}] })
    expect([count, runs.map((run: any) => run.name)]).toEqual([3, ['a', 'b', undefined]])
    expect(ids(runs)).toEqual(ids(runs).toSorted())
    const { created_at, created_by_id, id, flags, ...rest } = runs[0]
    expect(rest).toEqual({ version: '2025-07-14', name: 'a', status: 'pending' })
    expect(flags).toEqual(Object.fromEntries(RUN_FLAGS.map(flag => [flag, false])))
    expect([created_at, created_by_id]).toEqual([expect.any(String), expect.any(String)])
    expect(await ok('GET', `/evaluations/runs/${id}`)).toEqual({ count: 1, run: runs[0] })
    expect((await send('POST', '/evaluations/runs/', { run: {} })).status).toBe(422)
  })

  test.each<[string, object, string[]]>([
    ['query', step('q', 'input', 'custom', { query_revision: { id: randomUUID() } }), ['has_queries']],
    ['testset', step('t', 'input', 'custom', { testset_revision: { slug: 's' } }), ['has_testsets']],
    ['other key', step('t', 'input', 'custom', { testset_revisions: {} }), []],
    ['traces', step('traces', 'input'), ['has_traces']],
    ['old traces', step('query-direct', 'input'), ['has_traces']],
    ['testcases', step('testcases', 'input'), ['has_testcases']],
    ['application', step('a', 'invocation', 'auto'), []],
    ['auto', step('e', 'annotation', 'auto'), ['has_evaluators', 'has_auto']],
    ['custom', step('e', 'annotation'), ['has_evaluators', 'has_custom']],
    ['human', step('e', 'annotation', 'human'), ['has_evaluators', 'has_human', 'is_queue']],
  ])('flags that follow from a step: %s', async (_name, one, expected) => {
    const flags = Object.fromEntries(RUN_FLAGS.filter(flag => flag.startsWith('has_')).map(flag => [flag, true]))
    const run = await newRun({ flags, data: { steps: [one], repeats: null } })
    expect(RUN_FLAGS.filter(flag => run.flags[flag])).toEqual(expect.arrayContaining(expected))
    expect(RUN_FLAGS.filter(flag => run.flags[flag])).toHaveLength(expected.length)
    expect(run.data.repeats).toBe(1)
  })

  test('an edit keeps what it leaves out, replaces data, merges flags', async () => {
    const reference = { id: randomUUID(), slug: 'app', version: '3' }
    const run = await newRun({
      name: 'one',
      tags: { t: true },
      meta: { b: 1, a: [null] },
      flags: { is_cached: true },
      data: { steps: [step('a', 'invocation', 'auto', { application: reference })], concurrency: { retry_delay: 1.5 } },
    })
    const { body } = await send('PATCH', `/evaluations/runs/${run.id}`, {
      run: { id: run.id, name: null, status: 'running', flags: { is_split: true, is_queue: true } },
    })
    expect(body.run).toMatchObject({
      name: 'one',
      status: 'running',
      tags: { t: true },
      data: run.data,
      meta: run.meta,
    })
    expect(body.run.flags).toMatchObject({ is_split: true, is_cached: true, is_queue: false })
    expect(body.run.updated_at).toEqual(expect.any(String))
    const found = (references: object[]) => post('/evaluations/runs/query', { run: { ids: [run.id], references } })
    for (const [key, value] of Object.entries(reference))
      expect((await found([{ other_key: { [key]: value } }])).count, key).toBe(1)
    expect((await found([{ x: { slug: 'app' } }, { y: { slug: 'none' } }])).count).toBe(0)
    expect((await found([{ x: { slug: 'app', version: '4' } }])).count).toBe(0)
    await send('PATCH', '/evaluations/runs/', { runs: [{ id: run.id, data: { steps: [] } }] })
    expect(await runOf(run.id)).toMatchObject({ data: { steps: [], repeats: 1 } })
    expect((await runOf(run.id)).data).not.toHaveProperty('concurrency')
    expect((await found([{ x: { slug: 'app' } }])).count).toBe(0)
  })

  test('data without steps takes all steps out, and flags that follow from steps cannot be set', async () => {
    const run = await humanRun()
    const edit = async (body: object) =>
      (await send('PATCH', `/evaluations/runs/${run.id}`, { run: { id: run.id, ...body } })).body.run
    expect((await edit({ flags: { has_human: false } })).flags).toMatchObject({ has_human: true, is_queue: true })
    const bare = await edit({ data: { repeats: 2 } })
    expect(bare.data).toEqual({ repeats: 2 })
    expect(bare.flags).toMatchObject({ has_human: false, is_queue: false })
  })

  test('unknown ids are skipped, other ids refused', async () => {
    const run = await newRun()
    const { body } = await send('PATCH', '/evaluations/runs/', {
      runs: [
        { id: randomUUID(), name: 'x' },
        { id: run.id, name: 'y' },
      ],
    })
    expect([body.count, ids(body.runs)]).toEqual([1, [run.id]])
    const other = await send('PATCH', `/evaluations/runs/${run.id}`, { run: { id: randomUUID(), name: 'z' } })
    expect(other.status).toBe(400)
    expect((await runOf(run.id)).name).toBe('y')
    for (const path of [
      `/evaluations/runs/${randomUUID()}`,
      `/evaluations/results/${randomUUID()}`,
      `/simple/evaluations/${randomUUID()}`,
    ])
      for (const method of ['GET', 'DELETE']) expect((await send(method, path)).body).toEqual({ count: 0 })
  })

  test('filters: name, description, tags, flags, meta, status, ids', async () => {
    const tag = randomUUID()
    const run = await newRun({
      name: 'Nightly 100%_x',
      description: 'Desc',
      status: 'errors',
      tags: { tag, deep: { x: 'y' } },
      meta: { n: 1 },
      flags: { is_cached: true },
    })
    const count = async (filter: object): Promise<number> =>
      (await post('/evaluations/runs/query', { run: { tags: { tag }, ...filter } })).count
    const hits = [
      ...[{ name: 'nightly' }, { name: '0%_x' }, { description: 'dES' }, { status: 'errors' }, { ids: [run.id] }],
      ...[
        { statuses: ['errors', 'success'] },
        { flags: { is_cached: true } },
        { meta: { n: 1 } },
        { tags: { tag, deep: {} } },
      ],
    ]
    const misses = [
      { name: '0_x' },
      { status: 'failure' },
      { ids: [] },
      { statuses: [] },
      { flags: { is_split: true } },
      { meta: { n: 2 } },
    ]
    for (const filter of hits) expect(await count(filter), JSON.stringify(filter)).toBe(1)
    for (const filter of misses) expect(await count(filter), JSON.stringify(filter)).toBe(0)
  })

  test('close and open: idempotent, ends activity, writes the last status', async () => {
    const run = await newRun({ flags: { is_active: true }, status: 'running' })
    const { body } = await send('POST', `/evaluations/runs/${run.id}/close?status=errors`)
    expect(body.run).toMatchObject({ status: 'errors', flags: { is_closed: true, is_active: false } })
    expect((await post('/evaluations/runs/close', { run_ids: [run.id, randomUUID()] })).count).toBe(1)
    expect((await send('POST', `/evaluations/runs/${run.id}/open`)).body.run.flags.is_closed).toBe(false)
    expect((await send('POST', `/evaluations/runs/${run.id}/close?status=done`)).status).toBe(422)
    const patched = await send('PATCH', `/evaluations/runs/${run.id}`, { run: { flags: { is_closed: true } } })
    expect(patched.body.run.flags.is_closed).toBe(true)
    const { body: twice } = await send('POST', '/evaluations/runs/open', { run_ids: [run.id] })
    expect(twice.runs[0].flags.is_closed).toBe(false)
  })
})

test('a closed run refuses every write with a 409 that names it', async () => {
  const run = await humanRun()
  const [scenario] = await newScenarios(run.id)
  const cell = { run_id: run.id, scenario_id: scenario.id, step_key: 'h' }
  const [result] = (await post('/evaluations/results/', { results: [cell] })).results
  const [metrics] = (await post('/evaluations/metrics/', { metrics: [{ run_id: run.id, data: {} }] })).metrics
  const [queue] = (await post('/evaluations/queues/', { queues: [{ run_id: run.id }] })).queues
  await send('POST', `/evaluations/runs/${run.id}/close`)
  const simple = `/simple/evaluations/${run.id}`
  const writes: [string, string, unknown, object?][] = [
    ['PATCH', '/evaluations/runs/', { runs: [{ id: run.id, name: 'x' }] }],
    ['PATCH', `/evaluations/runs/${run.id}`, { run: { id: run.id } }],
    ['POST', '/evaluations/scenarios/', { scenarios: [{ run_id: run.id }] }],
    ['PATCH', '/evaluations/scenarios/', { scenarios: [{ id: scenario.id }] }, { scenario_id: scenario.id }],
    ['PATCH', `/evaluations/scenarios/${scenario.id}`, { scenario: {} }, { scenario_id: scenario.id }],
    ['DELETE', '/evaluations/scenarios/', { scenario_ids: [scenario.id] }, { scenario_id: scenario.id }],
    ['DELETE', `/evaluations/scenarios/${scenario.id}`, undefined, { scenario_id: scenario.id }],
    ['POST', '/evaluations/results/', { results: [cell] }],
    ['DELETE', '/evaluations/results/', { result_ids: [result.id] }, { result_id: result.id }],
    ['DELETE', `/evaluations/results/${result.id}`, undefined, { result_id: result.id }],
    ['PUT', '/evaluations/metrics/', { metrics: [{ run_id: run.id }] }],
    ['DELETE', `/evaluations/metrics/${metrics.id}`, undefined, { metrics_id: metrics.id }],
    ['POST', '/evaluations/metrics/refresh', { metrics: { run_id: run.id } }],
    ['POST', '/evaluations/queues/', { queues: [{ run_id: run.id }] }],
    ['PATCH', `/evaluations/queues/${queue.id}`, { queue: { name: 'x' } }],
    ['POST', '/evaluations/results/', { results: [{ ...cell, scenario_id: randomUUID() }] }],
    ['POST', `${simple}/populate`, { results: [cell] }],
    ['POST', `${simple}/populate`, { results: [] }],
    ['POST', `${simple}/process`, {}],
    ['POST', `${simple}/prune`, {}],
    ['POST', `${simple}/refresh`, {}],
    ['POST', `${simple}/scenarios/add`, { count: 1 }],
    ['POST', `${simple}/scenarios/remove`, { scenario_ids: [scenario.id] }],
    ['POST', `${simple}/steps/add`, { steps: [step('x', 'annotation')] }],
    ['POST', `${simple}/steps/remove`, { step_keys: ['h'] }],
    ['POST', `${simple}/repeats/set`, { repeats: 2 }],
    ['POST', `${simple}/start`, undefined],
    ['POST', `${simple}/stop`, undefined],
    ['PATCH', simple, { evaluation: { id: run.id, data: {} } }],
  ]
  for (const [method, path, body, more] of writes) {
    const answer = await send(method, path, body)
    expect([answer.status, answer.body], `${method} ${path} ${answer.text}`).toMatchObject([
      409,
      { detail: { message: expect.any(String), run_id: run.id, ...more } },
    ])
    const others = Object.keys(answer.body.detail).filter(
      key => !/^(message|(run|scenario|result|metrics|queue)_id)$/.test(key),
    )
    expect(others, `${method} ${path}`).toEqual([])
  }
  for (const nothing of [{ scenario_ids: [] }, { step_keys: ['nope'] }])
    expect((await send('POST', `${simple}/prune`, nothing)).status).toBe(204)
  expect((await ok('POST', '/evaluations/runs/query', { run: { ids: [run.id] } })).runs[0].name).toBe('n')
  await send('POST', `/evaluations/runs/${run.id}/open`)
  expect((await send('PATCH', `/evaluations/scenarios/${scenario.id}`, { scenario: {} })).status).toBe(200)
  await send('POST', `/evaluations/runs/${run.id}/close`)
  expect((await send('DELETE', `/evaluations/queues/${queue.id}`)).body).toEqual({ count: 1, queue_id: queue.id })
  expect((await send('DELETE', `/evaluations/runs/${run.id}`)).body).toEqual({ count: 1, run_id: run.id })
  for (const path of [`scenarios/${scenario.id}`, `results/${result.id}`])
    expect(await ok('GET', `/evaluations/${path}`)).toEqual({ count: 0 })
  expect(await ok('GET', `/evaluations/metrics/${metrics.id}`)).toEqual({ count: 0, metrics: [] })
  expect((await post('/evaluations/queues/query', { queue: { run_id: run.id, include_archived: true } })).count).toBe(0)
})

describe('scenarios', () => {
  test('created in order, with all flags when there are any; an unknown run is a 409', async () => {
    const run = await newRun()
    const bodies = Array.from({ length: 50 }, (_, n) => ({ run_id: run.id, tags: { n: String(n) }, interval: n }))
    const { scenarios } = await post('/evaluations/scenarios/', {
      scenarios: [...bodies, { run_id: run.id, flags: { is_live: true } }],
    })
    expect(scenarios.slice(0, 50).map((one: any) => one.interval)).toEqual(bodies.map(one => one.interval))
    expect(ids(scenarios)).toEqual(ids(scenarios).toSorted())
    expect(Object.keys(scenarios[50].flags).toSorted()).toEqual(RUN_FLAGS.toSorted())
    const listed = await post('/evaluations/scenarios/query', { scenario: { run_id: run.id } })
    expect(listed.scenarios).toEqual(scenarios)
    const run_id = randomUUID()
    expect(await refused(409, '/evaluations/scenarios/', { scenarios: [{ run_id }] })).toMatchObject({
      conflict: { run_id },
    })
  })

  test('filters by bucket', async () => {
    const run_id = (await newRun()).id
    const [a, b] = ['2026-02-03T09:00:00Z', '2026-02-03T09:01:00.5Z']
    await post('/evaluations/scenarios/', {
      scenarios: [{ run_id, timestamp: a, interval: 1 }, { run_id, timestamp: b, interval: 5 }, { run_id }],
    })
    const count = async (filter: object) =>
      (await post('/evaluations/scenarios/query', { scenario: { run_ids: [run_id], ...filter } })).count
    expect(await count({ timestamp: '2026-02-03T10:00:00+01:00' })).toBe(1)
    expect(await count({ timestamps: [a, b] })).toBe(2)
    expect(await count({ interval: 5 })).toBe(1)
    expect(await count({ intervals: [1, 5], status: 'pending' })).toBe(2)
    expect(await count({ statuses: ['success'] })).toBe(0)
  })
})

describe('paging', () => {
  test('every row once, in both orders; a full page of runs always goes on', async () => {
    const run = await newRun()
    const made = ids(await newScenarios(run.id, 7))
    for (const order of ['ascending', 'descending', undefined]) {
      const seen: string[] = []
      let windowing: any = { limit: 3, ...(order && { order }) }
      while (windowing) {
        const page = await post('/evaluations/scenarios/query', { scenario: { run_id: run.id }, windowing })
        seen.push(...ids(page.scenarios))
        windowing = page.windowing
      }
      expect(seen).toEqual(order === 'descending' ? made.toReversed() : made)
    }
    const tag = randomUUID()
    const { runs } = await post('/evaluations/runs/', { runs: [{ tags: { tag } }, { tags: { tag } }] })
    const full = await post('/evaluations/runs/query', { run: { tags: { tag } }, windowing: { limit: 2 } })
    expect([ids(full.runs), full.windowing]).toEqual([ids(runs).toReversed(), { limit: 2, next: runs[0].id }])
    const next = await post('/evaluations/runs/query', { run: { tags: { tag } }, windowing: full.windowing })
    expect(next).toEqual({ count: 0, runs: [] })
    expect((await post('/evaluations/runs/query', { run: { tags: { tag } }, windowing: { limit: 0 } })).count).toBe(1)
    for (const windowing of [{ rate: 2 }, { interval: 0 }])
      expect((await send('POST', '/evaluations/runs/query', { windowing })).status).toBe(422)
    expect((await send('POST', '/evaluations/runs/query')).status).toBe(422)
  })

  test('bounds in time: which end belongs to the window depends on order and cursor', async () => {
    const run_id = (await newRun()).id
    const rows: any[] = []
    for (let n = 0; n < 3; n++) rows.push(...(await newScenarios(run_id)))
    const [a, b, c] = rows
    const found = async (windowing: object): Promise<string[]> =>
      ids((await post('/evaluations/scenarios/query', { scenario: { run_id }, windowing })).scenarios)
    const asc = { order: 'ascending' }
    const desc = { order: 'descending' }
    const within = { oldest: a.created_at, newest: c.created_at }
    expect(await found({ ...asc, ...within })).toEqual(ids([b, c]))
    expect(await found({ ...desc, ...within })).toEqual(ids([b, a]))
    expect(await found({ ...asc, oldest: b.created_at, next: a.id })).toEqual(ids([b, c]))
    expect(await found({ ...desc, newest: b.created_at, next: c.id })).toEqual(ids([b, a]))
  })
})

describe('results', () => {
  test('those of scenarios are found without their run', async () => {
    const runs = [await newRun(), await newRun()]
    const scenarios: any[] = []
    for (const { id } of runs) scenarios.push(...(await newScenarios(id)))
    const cells = scenarios.map(({ id, run_id }) => ({ run_id, scenario_id: id, step_key: 'input' }))
    const { results } = await post('/evaluations/results', { results: cells })
    const found = async (result: object): Promise<string[]> =>
      ids((await post('/evaluations/results/query', { result })).results)
    const [one, other] = ids(scenarios)
    expect(await found({ scenario_id: one })).toEqual([results[0].id])
    expect(await found({ scenario_ids: [other, one] })).toEqual(ids(results))
    expect(await found({ scenario_ids: [other, one], run_id: runs[1].id })).toEqual([results[1].id])
    expect(await found({ scenario_id: runs[0].id })).toEqual([])
  })

  test('an upsert keeps the id and the time of creation and replaces the rest', async () => {
    const run = await newRun()
    const [scenario] = await newScenarios(run.id)
    const key = { run_id: run.id, scenario_id: scenario.id, step_key: 'any key' }
    const hex = 'AB'.repeat(16)
    const full = {
      ...key,
      trace_id: hex,
      testcase_id: randomUUID(),
      hash_id: randomUUID(),
      error: { message: 'm', z: 1 },
    }
    const more = {
      status: 'failure',
      interval: 1,
      timestamp: '2026-01-01T00:00:00Z',
      flags: { f: 1 },
      tags: { t: 'x', n: 1.5, list: [null] },
      meta: { m: null },
    }
    const [first] = (await post('/evaluations/results/', { results: [{ ...full, ...more, repeat_idx: null }] })).results
    expect(first).toMatchObject({ ...full, ...more, repeat_idx: 0, trace_id: 'abababab-abab-abab-abab-abababababab' })
    expect([first.updated_at, first.updated_by_id]).toEqual([expect.any(String), expect.any(String)])
    expect(await ok('GET', `/evaluations/results/${first.id}`)).toEqual({ count: 1, result: first })
    const { body } = await send('PUT', '/evaluations/results/', { results: [key] })
    const { id, created_at, created_by_id } = first
    expect(body.results[0]).toMatchObject({ id, created_at, created_by_id, status: 'pending' })
    for (const gone of Object.keys({ ...full, ...more }).filter(name => !(name in key) && name !== 'status'))
      expect(body.results[0]).not.toHaveProperty(gone)
    const { body: patched } = await send('PATCH', '/evaluations/results/', {
      results: [
        { ...key, status: 'success' },
        { ...key, repeat_idx: 1 },
        { ...key, status: 'cancelled', trace_id: first.trace_id },
      ],
    })
    expect(patched.results).toMatchObject([{ repeat_idx: 1 }, { id, status: 'cancelled', trace_id: first.trace_id }])
    const both = [id, randomUUID()]
    expect((await send('DELETE', '/evaluations/results/', { result_ids: both })).body).toEqual({
      count: 2,
      result_ids: both,
    })
    expect((await send('DELETE', '/evaluations/results/', { result_ids: both })).body).toEqual({
      count: 0,
      result_ids: [],
    })
  })

  test('unknown runs and scenarios are 400, also those of another run', async () => {
    const [run, other] = [await newRun(), await newRun()]
    const [scenario] = await newScenarios(other.id)
    const bodies = [
      { run_id: run.id, scenario_id: randomUUID(), step_key: 'x' },
      { run_id: run.id, scenario_id: scenario.id, step_key: 'x' },
      { run_id: randomUUID(), scenario_id: scenario.id, step_key: 'x' },
    ]
    for (const body of bodies)
      expect(await refused(400, '/evaluations/results/', { results: [body] })).toEqual(
        expect.stringMatching(/^(run|scenario)_id: /),
      )
    expect(
      await refused(400, `/simple/evaluations/${run.id}/populate`, { results: [{ ...bodies[1], run_id: other.id }] }),
    ).toContain('run_id')
    expect((await send('POST', '/evaluations/results/', { results: [{ ...bodies[1], trace_id: 'xyz' }] })).status).toBe(
      422,
    )
  })

  test('filters', async () => {
    const run_id = (await newRun()).id
    const [a, b] = await newScenarios(run_id, 2)
    const cells = [a, b].flatMap(({ id }) =>
      ['x', 'y'].flatMap(step_key => [0, 1].map(repeat_idx => ({ run_id, scenario_id: id, step_key, repeat_idx }))),
    )
    await post('/evaluations/results/', { results: cells })
    const count = async (filter: object) =>
      (await post('/evaluations/results/query', { result: { run_id, ...filter } })).count
    expect(await count({})).toBe(8)
    expect(await count({ scenario_id: a.id, step_key: 'x' })).toBe(2)
    expect(await count({ scenario_ids: [a.id, b.id], step_keys: ['y'], repeat_idxs: [1] })).toBe(2)
    expect(await count({ repeat_idx: 0, status: 'pending' })).toBe(4)
  })
})

describe('metrics', () => {
  test('one row at each place; the boolean filters', async () => {
    const run_id = (await newRun()).id
    const [scenario] = await newScenarios(run_id)
    const timestamp = '2026-02-03T09:00:00Z'
    const bodies = [
      { run_id, data: { n: 1, flat: 'x' } },
      { run_id, scenario_id: scenario.id, data: {} },
      { run_id, timestamp, interval: 1, status: 'success' },
    ]
    const { metrics } = await post('/evaluations/metrics/', { metrics: bodies })
    expect(metrics).toMatchObject(bodies)
    const again = await post('/evaluations/metrics/', {
      metrics: [
        { run_id, data: { m: 2 } },
        { run_id, timestamp, interval: 5 },
      ],
    })
    expect(again.metrics).toMatchObject([
      { id: metrics[0].id, data: { m: 2 } },
      { id: metrics[2].id, interval: 5, status: 'pending' },
    ])
    const found = async (filter: object): Promise<string[]> =>
      ids((await post('/evaluations/metrics/query', { metrics: { run_id, ...filter } })).metrics)
    expect(await found({ scenario_ids: false, timestamps: false })).toEqual([metrics[0].id])
    expect(await found({ scenario_ids: true, timestamps: false })).toEqual([metrics[1].id])
    expect(await found({ scenario_ids: false, timestamps: true })).toEqual([metrics[2].id])
    expect(await found({ scenario_ids: [scenario.id] })).toEqual([metrics[1].id])
    expect(await found({ timestamps: [timestamp], intervals: [5] })).toEqual([metrics[2].id])
    expect(await found({ timestamps: [timestamp, '9999-12-31'] })).toEqual([metrics[2].id])
    expect(
      (await send('POST', '/evaluations/metrics/', { metrics: [{ run_id, timestamp: '9999-12-31' }] })).body,
    ).toEqual({
      detail: [
        {
          type: 'less_than_equal',
          loc: ['body', 'metrics', 0, 'timestamp'],
          msg: 'Input should be less than or equal to 2255-01-01T00:00:00Z',
          input: '9999-12-31',
        },
      ],
    })
    expect(await ok('GET', `/evaluations/metrics/${metrics[1].id}`)).toEqual({ count: 1, metrics: [metrics[1]] })
    const both = { run_id: randomUUID(), scenario_id: randomUUID(), timestamp }
    expect(await refused(422, '/evaluations/metrics/', { metrics: [both] })).toMatchObject({
      ...both,
      message: expect.any(String),
    })
    await send('DELETE', `/evaluations/scenarios/${scenario.id}`)
    expect(await found({})).toEqual([metrics[2].id, metrics[0].id])
    const path = `/evaluations/metrics/${metrics[0].id}`
    expect((await send('DELETE', path)).body).toEqual({ count: 1, metrics_ids: [metrics[0].id] })
    expect((await send('DELETE', path)).body).toEqual({ count: 0, metrics_ids: [] })
    expect(
      (await send('POST', '/evaluations/metrics/', { metrics: [{ run_id: randomUUID() }] })).body.detail,
    ).toHaveProperty('conflict.run_id')
  })

  test('what addresses nothing refreshes nothing', async () => {
    const run = await newRun()
    const nothing = { count: 0, metrics: [] }
    for (const metrics of [
      {},
      { run_id: randomUUID() },
      { run_id: run.id },
      { run_ids: [run.id], scenario_id: randomUUID() },
      { scenario_ids: [randomUUID()] },
    ])
      expect(await post('/evaluations/metrics/refresh', { metrics })).toEqual(nothing)
    const measured = await humanRun()
    expect(
      await post('/evaluations/metrics/refresh', { metrics: { run_id: measured.id, scenario_id: randomUUID() } }),
    ).toEqual(nothing)
  })
})

test('no other project sees or touches anything', async () => {
  const theirs = await registryClient()
  const run = await humanRun()
  const [scenario] = await newScenarios(run.id)
  const cell = { run_id: run.id, scenario_id: scenario.id, step_key: 'h', status: 'success' }
  const [result] = (await post('/evaluations/results/', { results: [cell] })).results
  const [metrics] = (await post('/evaluations/metrics/', { metrics: [{ run_id: run.id }] })).metrics
  const { queue } = await ok('GET', `/evaluations/runs/${run.id}/queues/default`)
  const before = await Promise.all(
    [`runs/${run.id}`, `scenarios/${scenario.id}`, `results/${result.id}`, `queues/${queue.id}`].map(path =>
      ok('GET', `/evaluations/${path}`),
    ),
  )
  const attempts: [string, string, unknown?][] = [
    ...Object.entries({ runs: run, scenarios: scenario, results: result, metrics, queues: queue }).flatMap(
      ([name, row]): [string, string, unknown?][] => {
        const one = name === 'metrics' ? name : name.slice(0, -1)
        return [
          ['GET', `/evaluations/${name}/${row.id}`],
          ['DELETE', `/evaluations/${name}/${row.id}`],
          ['DELETE', `/evaluations/${name}/`, { [`${one}_ids`]: [row.id] }],
          ['POST', `/evaluations/${name}/query`, { [one]: { ids: [row.id] } }],
          ...(['runs', 'scenarios', 'queues'].includes(name)
            ? [
                ['PATCH', `/evaluations/${name}/${row.id}`, { [one]: { status: 'failure' } }] as [
                  string,
                  string,
                  unknown,
                ],
              ]
            : []),
        ]
      },
    ),
    ['POST', '/evaluations/runs/close', { run_ids: [run.id] }],
    ['POST', `/evaluations/runs/${run.id}/close`],
    ['GET', `/evaluations/runs/${run.id}/queues/default`],
    ['POST', `/evaluations/queues/${queue.id}/scenarios/query`, {}],
    ['POST', '/evaluations/metrics/refresh', { metrics: { run_id: run.id } }],
    ...['start', 'stop', 'close', 'open'].map((verb): [string, string] => [
      'POST',
      `/simple/evaluations/${run.id}/${verb}`,
    ]),
    ['GET', `/simple/evaluations/${run.id}`],
    ['POST', `/simple/evaluations/${run.id}/probe`, {}],
    ['POST', `/simple/evaluations/${run.id}/scenarios/add`, { count: 1 }],
    ['POST', `/simple/evaluations/${run.id}/steps/remove`, { step_keys: ['h'] }],
    ['POST', `/simple/evaluations/${run.id}/repeats/set`, { repeats: 3 }],
    ['GET', `/simple/queues/${queue.id}`],
    ['POST', '/evaluations/scenarios/', { scenarios: [{ run_id: run.id }] }],
    ['POST', '/evaluations/results/', { results: [cell] }],
    ['POST', '/evaluations/metrics/', { metrics: [{ run_id: run.id }] }],
    ['POST', '/evaluations/queues/', { queues: [{ run_id: run.id }] }],
    ['POST', `/simple/evaluations/${run.id}/process`, {}],
    ['POST', `/simple/evaluations/${run.id}/prune`, {}],
  ]
  for (const [method, path, body] of attempts) {
    const answer = await theirs.send(method, path, body)
    expect([200, 204, 400, 404, 409], `${method} ${path} ${answer.text}`).toContain(answer.status)
    expect(answer.body?.count ?? 0, `${method} ${path} ${answer.text}`).toBe(0)
  }
  const after = await Promise.all(
    [`runs/${run.id}`, `scenarios/${scenario.id}`, `results/${result.id}`, `queues/${queue.id}`].map(path =>
      ok('GET', `/evaluations/${path}`),
    ),
  )
  expect(after).toEqual(before)
})

test('aliases answer as the paths they stand for', async () => {
  const run = await newRun()
  for (const prefix of ['/preview', '/api/preview'])
    expect(await ok('GET', `${prefix}/evaluations/runs/${run.id}/`)).toMatchObject({ count: 1 })
  expect((await send('GET', '/preview/simple/evaluations/query')).status).toBe(405)
  expect(await post('/preview/simple/queues/query')).toMatchObject({ queues: expect.any(Array) })
})
