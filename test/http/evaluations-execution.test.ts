import { beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../harness.ts'
import { registryClient, slugOf } from '../registry-client.ts'

const { post, ok, send } = await registryClient()

interface Revision {
  id: string
  artifact_id: string
  variant_id: string
}
const made = async (kind: string, data: object): Promise<Revision> => {
  const { [kind]: one } = await post(`/simple/${kind === 'query' ? 'queries' : `${kind}s`}/`, {
    [kind]: { slug: slugOf(kind), name: kind, data },
  })
  return { id: one.revision_id, artifact_id: one.id, variant_id: one.variant_id }
}
const mock = (key: string, kwargs: object = {}) => ({ uri: 'agenta:custom:mock:v0', parameters: { key, kwargs } })
const rows = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ data: { country: `c${n}`, correct_answer: n % 2 ? 'Paris' : 'Rome' } }))

const runOf = async (id: string): Promise<any> => (await ok('GET', `/evaluations/runs/${id}`)).run
const scenariosOf = async (run_id: string): Promise<any[]> =>
  (await post('/evaluations/scenarios/query', { scenario: { run_id } })).scenarios
const cellsOf = async (run_id: string, filter: object = {}): Promise<any[]> =>
  (await post('/evaluations/results/query', { result: { run_id, ...filter } })).results
const verb = (id: string, name: string, body: object = {}) => send('POST', `/simple/evaluations/${id}/${name}`, body)

/** Starts an evaluation; members of `data` are revisions, with `auto` where they are given as a list. */
const evaluate = async (data: Record<string, any>, more: object = {}): Promise<any> => {
  const auto = Object.fromEntries(
    Object.entries(data).map(([key, value]) => [
      key,
      Array.isArray(value) ? Object.fromEntries(value.map(({ id }) => [id, 'auto'])) : value,
    ]),
  )
  const { evaluation } = await post('/simple/evaluations/', { evaluation: { name: 'e', ...more, data: auto } })
  return evaluation
}
const settled = (id: string, ms = 60_000): Promise<any> =>
  eventually(async () => {
    const run = await runOf(id)
    return run.status !== 'running' && !run.flags.is_active && run
  }, ms)

/** Root spans of the traces of a step, newest first. */
const tracesOf = async (reference: string, id: string): Promise<any[]> => {
  const condition = { field: 'references', operator: 'in', value: [{ id, attributes: { key: reference } }] }
  const roots = { field: 'parent_id', operator: 'is', value: null }
  const body = { filtering: { operator: 'and', conditions: [condition, roots] }, windowing: { limit: 10_000 } }
  return (await post('/spans/query', body)).spans
}
const hex = (id: string): string => id.replaceAll('-', '')
const keyOf = (cells: any[], prefix: string): string =>
  cells.find(({ step_key }) => step_key.startsWith(prefix))?.step_key
const statusesOf = (cells: any[], prefix: string): string[] =>
  cells.filter(({ step_key }) => step_key.startsWith(prefix)).map(({ status }) => status)

let paris: Revision
let exact: Revision
let testset: Revision
/**
 * An evaluation whose evaluator never answers: started first, since the limit of 60 s passes during the other tests.
 */
let silent: { id: string }
beforeAll(async () => {
  paris = await made('application', mock('static', { output: 'Paris' }))
  exact = await made('evaluator', {
    uri: 'agenta:builtin:auto_exact_match:v0',
    parameters: { correct_answer_key: 'correct_answer' },
  })
  testset = await made('testset', { testcases: rows(4) })
  silent = await evaluate({
    testset_steps: [await made('testset', { testcases: rows(1) })],
    application_steps: [paris],
    evaluator_steps: [await made('evaluator', mock('delay', { seconds: 90 }))],
  })
})

describe('offline runs', () => {
  test('a group of runs leaves exactly one invocation per testcase and subject, one annotation per evaluator', async () => {
    const [N, S, E] = [25, 2, 2]
    const many = await made('testset', { testcases: rows(N) })
    const apps = [
      await made('application', mock('static', { output: 'Paris' })),
      await made('application', mock('echo')),
    ]
    const judges = [
      await made('evaluator', {
        uri: 'agenta:builtin:auto_exact_match:v0',
        parameters: { correct_answer_key: 'correct_answer' },
      }),
      await made('evaluator', mock('pass')),
    ]
    const { count, evaluations } = await post('/simple/evaluations/', {
      evaluation: {
        name: 'group',
        flags: { is_split: true },
        meta: { mine: true },
        data: {
          testset_steps: [many.id],
          subjects: apps.map(({ id }) => id),
          evaluator_steps: Object.fromEntries(judges.map(({ id }) => [id, 'auto'])),
        },
      },
    })
    expect([count, evaluations.length]).toEqual([S, S])
    // What is pinned stays.
    await post('/evaluators/revisions/commit', {
      evaluator_revision_commit: { evaluator_variant_id: judges[1]?.variant_id, message: 'm', data: mock('fail') },
    })
    const { group_id } = evaluations[0].meta
    const group = await post('/simple/evaluations/query', { evaluation: { meta: { group_id } } })
    expect(group.evaluations.map(({ id }: any) => id).sort()).toEqual(evaluations.map(({ id }: any) => id).sort())
    expect(group.evaluations.every(({ meta }: any) => meta.mine)).toBe(true)
    for (const [at, { id }] of evaluations.entries()) {
      expect((await settled(id)).status).toBe('success')
      const cells = await cellsOf(id)
      expect(cells.length).toBe(N * (2 + E))
      const invocations = await eventually(async () => {
        const found = await tracesOf('application_revision', apps[at]?.id ?? '')
        return found.length >= N ? found : undefined
      })
      expect(invocations.length).toBe(N)
      expect(invocations.every(({ trace_type }) => trace_type === 'invocation')).toBe(true)
      const byTrace = new Map(cells.map(cell => [hex(cell.trace_id ?? ''), cell]))
      expect(invocations.every(({ trace_id }) => byTrace.get(trace_id)?.step_key.startsWith('application-'))).toBe(true)
      const invoked = new Map(invocations.map(span => [span.trace_id, span]))
      for (const judge of judges) {
        const annotations = await eventually(async () => {
          const all = await tracesOf('evaluator_revision', judge.id)
          const own = all.filter(({ trace_id }) => byTrace.has(trace_id))
          return own.length >= N && all.length >= N * S ? { all, own } : undefined
        })
        expect([annotations.own.length, annotations.all.length]).toEqual([N, N * S])
        for (const { trace_id, trace_type, links, hashes } of annotations.own) {
          const cell = byTrace.get(trace_id)
          const [link] = links
          expect(trace_type).toBe('annotation')
          expect(byTrace.get(link.trace_id)?.scenario_id).toBe(cell.scenario_id)
          expect(invoked.get(link.trace_id)?.span_id).toBe(link.span_id)
          expect(hashes[0].id).toBe(cell.hash_id)
        }
      }
      expect(invocations[0].hashes[0].id).toBe(byTrace.get(invocations[0].trace_id).hash_id)
    }
  })

  test('subjects and application steps cannot be sent together', async () => {
    const { count, detail } = await post('/simple/evaluations/', {
      evaluation: { data: { testset_steps: [testset.id], subjects: [paris.id], application_steps: [paris.id] } },
    })
    expect([count, detail.step]).toEqual([0, 'subjects'])
  })

  test('what evaluators receive: outputs, the link to the application, testcase and all references', async () => {
    const judge = await made('evaluator', mock('echo'))
    const { id } = await evaluate({ testset_steps: [testset], application_steps: [paris], evaluator_steps: [judge] })
    await settled(id)
    const [span] = await eventually(async () => {
      const found = await tracesOf('evaluator_revision', judge.id)
      return found.length === 4 ? found : undefined
    })
    const { inputs } = span.attributes.ag.data
    expect(inputs.outputs).toBe('Paris')
    expect(inputs.inputs).toMatchObject({ country: expect.any(String), testcase_id: expect.any(String) })
    expect(Object.keys(span.attributes.ag.references).sort()).toEqual(
      [
        'evaluator',
        'evaluator_revision',
        'evaluator_variant',
        'testcase',
        'testset',
        'testset_revision',
        'testset_variant',
      ].sort(),
    )
  })

  test('inputs that a revision does not declare are not passed', async () => {
    const schemas = { inputs: { type: 'object', properties: { country: { type: 'string' } } } }
    const narrow = await made('application', { ...mock('echo'), schemas })
    const { id } = await evaluate({ testset_steps: [testset], application_steps: [narrow] })
    expect((await settled(id)).status).toBe('success')
    const found = await eventually(async () => {
      const spans = await tracesOf('application_revision', narrow.id)
      return spans.length === 4 ? spans : undefined
    })
    expect(found.map(({ attributes }) => Object.keys(attributes.ag.data.outputs))).toEqual(Array(4).fill(['country']))
  })

  test('metrics are there when a scenario has its status', async () => {
    const { id } = await evaluate({ testset_steps: [testset], application_steps: [paris], evaluator_steps: [exact] })
    await eventually(async () => (await scenariosOf(id)).every(({ status }) => status === 'success'))
    const { metrics } = await post('/evaluations/metrics/query', { metrics: { run_id: id, scenario_ids: true } })
    expect(metrics.length).toBe(4)
    await settled(id)
    const global = await post('/evaluations/metrics/query', { metrics: { run_id: id, scenario_ids: false } })
    expect(global.count).toBe(1)
  })
})

describe('repeats (3.7)', () => {
  const counts = async (flags: object, data: object): Promise<number[]> => {
    const { id } = await evaluate({ testset_steps: [testset], repeats: 3, ...data }, { flags })
    expect((await settled(id)).status).toBe('success')
    const cells = await cellsOf(id)
    return ['application-', 'evaluator-'].map(prefix => statusesOf(cells, prefix).length / 4)
  }

  test('without evaluators every repeat; with them the application once, unless split', async () => {
    expect(await counts({}, { application_steps: [paris] })).toEqual([3, 0])
    expect(await counts({}, { application_steps: [paris], evaluator_steps: [exact] })).toEqual([1, 3])
    expect(await counts({ is_split: true }, { application_steps: [paris], evaluator_steps: [exact] })).toEqual([3, 3])
    expect(await counts({ is_split: true }, { evaluator_steps: [await made('evaluator', mock('pass'))] })).toEqual([
      0, 3,
    ])
  })

  test('cached: distinct traces are reused, and the shortfall is invoked', async () => {
    const app = await made('application', mock('static', { output: 'x' }))
    const first = await evaluate({ testset_steps: [testset], application_steps: [app], repeats: 2 })
    await settled(first.id)
    await eventually(async () => (await tracesOf('application_revision', app.id)).length === 8)
    const second = await evaluate(
      { testset_steps: [testset], application_steps: [app], repeats: 3 },
      { flags: { is_cached: true } },
    )
    await settled(second.id)
    await eventually(async () => (await tracesOf('application_revision', app.id)).length === 12)
    const [one, two] = [await cellsOf(first.id), await cellsOf(second.id)]
    const ids = (cells: any[]) =>
      cells.flatMap(({ step_key, trace_id }) => (step_key.startsWith('app') ? trace_id : []))
    expect(new Set(ids(two)).size).toBe(12)
    expect(ids(two).filter(id => ids(one).includes(id)).length).toBe(8)
  })
})

describe('failures (3.6)', () => {
  test('an application that fails: its cell has the status, attempts are kept, and nothing is evaluated', async () => {
    const broken = await made('application', mock('error', { message: 'no luck' }))
    const judge = await made('evaluator', mock('pass'))
    const { id } = await evaluate({
      testset_steps: [testset],
      application_steps: [broken],
      evaluator_steps: [judge],
      concurrency: { max_retries: 2, retry_delay: 0.05 },
    })
    expect((await settled(id)).status).toBe('errors')
    const cells = await cellsOf(id)
    const [app] = cells.filter(({ step_key }) => step_key.startsWith('application-'))
    expect(app).toMatchObject({
      status: 'failure',
      error: { code: 500, message: 'no luck', type: expect.stringMatching(/#v0:workflows:mock-error$/) },
    })
    expect(app.meta.attempts.map(({ code }: any) => code)).toEqual([500, 500, 500])
    expect(new Set(app.meta.attempts.map(({ trace_id }: any) => trace_id)).size).toBe(3)
    expect(hex(app.trace_id)).toBe(app.meta.attempts[2].trace_id)
    const evaluated = cells.filter(({ step_key }) => step_key.startsWith('evaluator-'))
    expect(evaluated.map(({ status }) => status)).toEqual(Array(4).fill('failure'))
    expect(evaluated[0].error.message).toContain(app.step_key)
    expect(await tracesOf('evaluator_revision', judge.id)).toEqual([])
    expect((await scenariosOf(id)).map(({ status }) => status)).toEqual(Array(4).fill('errors'))
  })

  test('a NUL in the text of an error, or in what an evaluator returns, ends no run without its cells and metrics', async () => {
    const failing = await made('application', mock('error', { message: 'a\0b' }))
    const failed = await evaluate({ testset_steps: [testset], application_steps: [failing] })
    const labels = { type: 'object', properties: { label: { type: 'string', enum: ['a', 'b'] } } }
    const codeOf = (outputs: string, schemas?: object) =>
      made('evaluator', {
        uri: 'agenta:custom:code:v0',
        runtime: 'javascript',
        script: `const evaluate = () => (${outputs})`,
        parameters: { version: '3' },
        ...(schemas && { schemas }),
      })
    const judged = await evaluate({
      testset_steps: [testset],
      application_steps: [paris],
      evaluator_steps: [await codeOf('{"a\\0b": 1, score: 1}'), await codeOf('{label: "a\\0"}', { outputs: labels })],
    })
    expect((await settled(failed.id)).status).toBe('errors')
    const [cell] = (await cellsOf(failed.id)).filter(({ step_key }) => step_key.startsWith('application-'))
    expect(cell).toMatchObject({ status: 'failure', error: { message: 'a\ufffdb' } })
    expect((await settled(judged.id)).status).toBe('success')
    const { metrics } = await post('/evaluations/metrics/query', {
      metrics: { run_id: judged.id, scenario_ids: false },
    })
    const measured = Object.assign({}, ...Object.values<object>(metrics[0].data))
    expect(measured).toMatchObject({
      'attributes.ag.data.outputs.score': { count: 4, mean: 1 },
      'attributes.ag.data.outputs.label': { count: 4, uniq: ['a\ufffd'] },
    })
  })

  test('names with a NUL in a testset or a schema have no column, and the run starts', async () => {
    const schemas = {
      outputs: { type: 'object', properties: { 'b\0': { type: 'number' }, score: { type: 'number' } } },
    }
    const { id } = await evaluate({
      testset_steps: [await made('testset', { testcases: [{ data: { 'k\0': 1, q: 2 } }] })],
      application_steps: [paris],
      evaluator_steps: [await made('evaluator', { ...mock('score', { score: 1 }), schemas })],
    })
    expect((await settled(id)).status).toBe('success')
    const names = (await runOf(id)).data.mappings.map(({ column }: any) => column.name)
    expect(names).toEqual(expect.arrayContaining(['outputs', 'q', 'score']))
    expect(names.filter((name: string) => name.includes('\0'))).toEqual([])
    const { metrics } = await post('/evaluations/metrics/query', { metrics: { run_id: id, scenario_ids: false } })
    const measured = Object.assign({}, ...Object.values<object>(metrics[0].data))
    expect(measured).toMatchObject({ 'attributes.ag.data.outputs.score': { count: 1, mean: 1 } })
  })

  test('a testset without the key that an evaluator needs: the cell says so', async () => {
    const bare = await made('testset', { testcases: [{ data: { country: 'c' } }] })
    const { id } = await evaluate({ testset_steps: [bare], application_steps: [paris], evaluator_steps: [exact] })
    expect((await settled(id)).status).toBe('errors')
    const [cell] = (await cellsOf(id)).filter(({ step_key }) => step_key.startsWith('evaluator-'))
    expect(cell).toMatchObject({
      status: 'failure',
      error: { code: 400, message: expect.stringContaining('correct_answer') },
    })
  })

  test('an evaluator that answers rubbish has succeeded; one whose code crashes has not', async () => {
    const rubbish = await made('evaluator', mock('static', { output: 'banana' }))
    const crashing = await made('evaluator', {
      uri: 'agenta:builtin:auto_custom_code_run:v0',
      parameters: { code: 'throw new Error("crash")', runtime: 'javascript', version: '3' },
    })
    const { id } = await evaluate({
      testset_steps: [testset],
      application_steps: [paris],
      evaluator_steps: [rubbish, crashing],
    })
    expect((await settled(id)).status).toBe('errors')
    const cells = await cellsOf(id)
    const keys = (await runOf(id)).data.steps.map(({ key }: any) => key)
    expect(cells.filter(({ step_key }) => step_key === keys[2]).map(({ status }) => status)).toEqual(
      Array(4).fill('success'),
    )
    const failed = cells.filter(({ step_key }) => step_key === keys[3])
    expect(failed.every(({ status, error }) => status === 'failure' && error.code >= 400)).toBe(true)
  })

  test('an archived revision runs; a revision that is gone fails its cells', async () => {
    const old = await made('application', mock('static', { output: 'Paris' }))
    await post(`/applications/${old.artifact_id}/archive`, {})
    const { id } = await evaluate({ testset_steps: [testset], application_steps: [old] })
    expect((await settled(id)).status).toBe('success')
    const unknown = '01900000-0000-7000-8000-000000000000'
    const input = (await runOf(id)).data.steps[0]
    const steps = [
      input,
      {
        key: 'application-x',
        type: 'invocation',
        origin: 'auto',
        references: { application_revision: { id: unknown } },
      },
    ]
    const [run] = (await post('/evaluations/runs/', { runs: [{ data: { steps } }] })).runs
    expect((await verb(run.id, 'start')).body.count).toBe(1)
    expect((await settled(run.id)).status).toBe('errors')
    const [cell] = await cellsOf(run.id, { step_key: 'application-x' })
    expect(cell.error.message).toContain(unknown)
  })
})

describe('start, stop, close (3.3)', () => {
  const slow = (seconds: number) => made('application', mock('delay', { seconds }))

  test('a second start of a finished run changes nothing', async () => {
    const { id } = await evaluate({ testset_steps: [testset], application_steps: [paris] })
    await settled(id)
    const before = await cellsOf(id)
    expect((await verb(id, 'start')).status).toBe(200)
    expect((await settled(id)).status).toBe('success')
    expect(await cellsOf(id)).toEqual(before)
    expect((await scenariosOf(id)).length).toBe(4)
  })

  test('two starts at once while it runs: every cell once', async () => {
    const app = await slow(0.3)
    const { id } = await evaluate({ testset_steps: [testset], application_steps: [app] })
    await Promise.all([verb(id, 'start'), verb(id, 'start')])
    expect((await settled(id)).status).toBe('success')
    expect((await cellsOf(id)).length).toBe(8)
    await eventually(async () => (await tracesOf('application_revision', app.id)).length >= 4)
    expect((await tracesOf('application_revision', app.id)).length).toBe(4)
  })

  test('stop ends the work within seconds, and start goes on with what was cut off', async () => {
    const many = await made('testset', { testcases: rows(12) })
    const app = await slow(20)
    const { id } = await evaluate({ testset_steps: [many], application_steps: [app] })
    const stopped = await verb(id, 'stop')
    expect(stopped.body.evaluation).toMatchObject({ data: { status: 'cancelled' }, flags: { is_active: false } })
    const cells = await cellsOf(id)
    expect(statusesOf(cells, 'application-')).toEqual(Array(12).fill('cancelled'))
    expect(new Set((await scenariosOf(id)).map(({ status }) => status))).toEqual(new Set(['cancelled']))
    const quick = (await runOf(id)).data.steps
    expect(quick.length).toBe(2)
    const started = await verb(id, 'start')
    expect(started.body.evaluation.data.status).toBe('running')
    await verb(id, 'stop')
    expect((await runOf(id)).status).toBe('cancelled')
    expect(await tracesOf('application_revision', app.id)).toEqual([])
  })

  test('stop cuts off every scenario of a large run', async () => {
    const many = await made('testset', { testcases: rows(1_100) })
    const { id } = await evaluate({ testset_steps: [many], application_steps: [await slow(20)] })
    const stopped = await verb(id, 'stop')
    expect(stopped.body.evaluation).toMatchObject({ data: { status: 'cancelled' }, flags: { is_active: false } })
    expect((await scenariosOf(id)).map(({ status }) => status)).toEqual(Array(1_100).fill('cancelled'))
    expect(statusesOf(await cellsOf(id), 'application-')).toEqual(Array(1_100).fill('cancelled'))
  })

  test('a run whose scenarios are all removed while it runs has ended', async () => {
    const { id } = await evaluate({ testset_steps: [testset], application_steps: [await slow(1)] })
    const scenario_ids = (await scenariosOf(id)).map(one => one.id)
    expect(scenario_ids).toHaveLength(4)
    await ok('DELETE', '/evaluations/scenarios/', { scenario_ids })
    expect(await settled(id)).toMatchObject({ status: 'success', flags: { is_active: false } })
  })

  test('closing while it runs: nothing is written any more', async () => {
    const app = await slow(1)
    const { id } = await evaluate({ testset_steps: [testset], application_steps: [app] })
    await verb(id, 'close')
    const before = await cellsOf(id)
    for (const [name, body] of Object.entries({ start: {}, stop: {}, process: {}, refresh: {}, prune: {} }))
      expect([name, (await verb(id, name, body)).status]).toEqual([name, 409])
    await eventually(async () => (await runOf(id)).flags.is_active === false)
    await new Promise(resolve => setTimeout(resolve, 1_500))
    expect(await cellsOf(id)).toEqual(before)
  })

  test('a batch size that no column takes is as good as any large one', async () => {
    const concurrency = { batch_size: Number.MAX_SAFE_INTEGER }
    const { id } = await evaluate({ testset_steps: [testset], application_steps: [paris], concurrency })
    expect((await settled(id)).status).toBe('success')
  })

  test('a PATCH that closes while it runs ends the work, too', async () => {
    const slow = await made('application', mock('delay', { seconds: 0.5 }))
    const many = await made('testset', { testcases: rows(12) })
    const { id } = await evaluate({ testset_steps: [many], application_steps: [slow], concurrency: { batch_size: 2 } })
    await eventually(async () => (await cellsOf(id)).some(({ step_key }) => step_key.startsWith('application-')))
    const { run } = await ok('PATCH', `/evaluations/runs/${id}`, { run: { id, flags: { is_closed: true } } })
    expect(run).toMatchObject({ flags: { is_closed: true, is_active: false } })
    const written = await cellsOf(id)
    await post(`/evaluations/runs/${id}/open`, {})
    // A run without work is not taken up again when it is open.
    const other = await evaluate({ testset_steps: [testset], application_steps: [paris] })
    await settled(other.id)
    expect(await cellsOf(id)).toEqual(written)
  })
})

describe('slices (3.11)', () => {
  test('process executes what is missing or has failed, and overwrites on demand', async () => {
    const { id } = await evaluate({ testset_steps: [testset], application_steps: [paris], evaluator_steps: [exact] })
    await settled(id)
    const before = await cellsOf(id)
    const [key, scenario_id] = [keyOf(before, 'evaluator-'), before[0].scenario_id]
    expect((await verb(id, 'prune', { step_keys: [key], scenario_ids: [scenario_id] })).status).toBe(204)
    expect((await verb(id, 'process')).status).toBe(202)
    expect((await settled(id)).status).toBe('success')
    const after = await cellsOf(id)
    const traces = (cells: any[]) => new Map(cells.map(cell => [`${cell.scenario_id}${cell.step_key}`, cell.trace_id]))
    const [old, now] = [traces(before), traces(after)]
    expect([...now].filter(([place, trace]) => old.get(place) !== trace).map(([place]) => place)).toEqual([
      `${scenario_id}${key}`,
    ])
    expect((await verb(id, 'process', { overwrite: true, step_keys: [key] })).status).toBe(202)
    await settled(id)
    const last = traces(await cellsOf(id))
    const changed = [...last].filter(([place, trace]) => now.get(place) !== trace)
    expect(changed.map(([place]) => place.endsWith(key))).toEqual(Array(4).fill(true))
  })

  test('repeats that are added appear with the next process, with the source of their scenario', async () => {
    const { id } = await evaluate({ testset_steps: [testset], application_steps: [paris], evaluator_steps: [exact] })
    await settled(id)
    const field = { field: 'references', operator: 'in', value: [{ id: paris.id }] }
    const query = await made('query', { filtering: { conditions: [field] }, windowing: { limit: 3 } })
    const overTraces = await evaluate({ query_steps: { [query.id]: 'custom' }, evaluator_steps: [exact] })
    await settled(overTraces.id)
    for (const [run_id, prefix, count] of [
      [id, 'testset-', 4],
      [overTraces.id, 'query-', 3],
    ] as const) {
      const inputs = async (repeat_idx: number) =>
        (await cellsOf(run_id, { repeat_idx }))
          .filter(({ step_key }) => step_key.startsWith(prefix))
          .map(({ scenario_id, status, testcase_id, trace_id }) => ({ scenario_id, status, testcase_id, trace_id }))
      await verb(run_id, 'repeats/set', { repeats: 2 })
      await verb(run_id, 'process')
      await settled(run_id)
      const first = await inputs(0)
      expect(first).toHaveLength(count)
      expect(await inputs(1)).toEqual(first)
    }
  })

  test('a step that is added appears with the next process; people keep what they wrote', async () => {
    const person = await made('evaluator', mock('pass'))
    const { id } = await evaluate({
      testset_steps: [testset],
      application_steps: [paris],
      evaluator_steps: { [person.id]: 'human' },
    })
    await eventually(
      async () => statusesOf(await cellsOf(id), 'application-').filter(one => one === 'success').length === 4,
    )
    const human = keyOf(await cellsOf(id), 'evaluator-')
    const [scenario] = await scenariosOf(id)
    await eventually(async () => (await scenariosOf(id)).every(({ status }) => status === 'pending'))
    const written = { run_id: id, scenario_id: scenario.id, step_key: human, status: 'success' }
    await post('/evaluations/results/', { results: [written] })
    const references = { evaluator_revision: { id: exact.id } }
    await verb(id, 'steps/add', { steps: [{ key: 'evaluator-new', type: 'annotation', origin: 'auto', references }] })
    await verb(id, 'process', { step_keys: ['evaluator-new'] })
    await eventually(
      async () => statusesOf(await cellsOf(id), 'evaluator-new').filter(one => one === 'success').length === 4,
    )
    const cells = await cellsOf(id, { step_key: human })
    expect(cells.filter(({ status }) => status === 'success').map(({ scenario_id }) => scenario_id)).toEqual([
      scenario.id,
    ])
    await eventually(async () => (await scenariosOf(id)).find(one => one.id === scenario.id).status === 'success')
    expect((await runOf(id)).status).toBe('running')
  })
})

describe('other sources', () => {
  test('batch over a stored query: its window and limit, links and inputs of the traces', async () => {
    const app = await made('application', mock('static', { output: 'Paris' }))
    const source = await evaluate({ testset_steps: [testset], application_steps: [app] })
    await settled(source.id)
    await eventually(async () => (await tracesOf('application_revision', app.id)).length === 4)
    const conditions = [
      { field: 'references', operator: 'in', value: [{ id: app.id, attributes: { key: 'application_revision' } }] },
    ]
    const query = await made('query', { filtering: { operator: 'and', conditions }, windowing: { limit: 3 } })
    const { id } = await evaluate({ query_steps: { [query.id]: 'custom' }, evaluator_steps: [exact] })
    expect((await settled(id)).status).toBe('success')
    const cells = await cellsOf(id)
    expect(statusesOf(cells, 'evaluator-').length).toBe(3)
    const nothing = await made('query', {
      filtering: { conditions: [{ field: 'span_name', operator: 'is', value: 'nobody' }] },
    })
    const empty = await evaluate({ query_steps: { [nothing.id]: 'custom' }, evaluator_steps: [exact] })
    expect((await settled(empty.id)).status).toBe('success')
    expect(await scenariosOf(empty.id)).toEqual([])

    // Three traces would have more than a million cells.
    const judges = Array.from({ length: 334 }, (_, n) => ({ key: `e${n}`, type: 'annotation', origin: 'auto' }))
    const input = { key: 'q', type: 'input', origin: 'custom', references: { query_revision: { id: query.id } } }
    const data = { steps: [input, ...judges], repeats: 1_000 }
    const { runs } = await post('/evaluations/runs/', { runs: [{ data }] })
    await verb(runs[0].id, 'start')
    expect((await settled(runs[0].id)).status).toBe('failure')
    expect(await scenariosOf(runs[0].id)).toEqual([])
  })

  test('direct queues: batches of traces and testcases are evaluated as they come; a trace that is gone fails its cells', async () => {
    const person = await made('evaluator', mock('pass'))
    const judge = await made('evaluator', mock('reflect'))
    const queueOf = async (kind: string): Promise<any> => {
      const evaluators = { [person.id]: 'human', [judge.id]: 'auto' }
      return (await post('/simple/queues/', { queue: { name: 'q', data: { kind, evaluators } } })).queue
    }
    const app = await made('application', mock('static', { output: { answer: 'Paris' } }))
    const source = await evaluate({ testset_steps: [testset], application_steps: [app] })
    await settled(source.id)
    const spans = await eventually(async () => {
      const found = await tracesOf('application_revision', app.id)
      return found.length === 4 ? found : undefined
    })
    const traces = await queueOf('traces')
    const gone = 'ab'.repeat(16)
    await post(`/simple/queues/${traces.id}/traces/`, { trace_ids: [...spans.map(({ trace_id }) => trace_id), gone] })
    const auto = async (run_id: string) => {
      const key = (await runOf(run_id)).data.steps.at(-1).key
      return cellsOf(run_id, { step_key: key })
    }
    const cells = await eventually(async () => {
      const found = await auto(traces.run_id)
      return found.length === 5 ? found : undefined
    })
    expect(cells.map(({ status }: any) => status).sort()).toEqual(['failure', ...Array(4).fill('success')])
    expect(cells.find(({ status }: any) => status === 'failure').error.message).toContain(gone)
    const annotations = await eventually(async () => {
      const found = await tracesOf('evaluator_revision', judge.id)
      return found.length === 4 ? found : undefined
    })
    expect(annotations.map(({ links }) => links[0].trace_id).sort()).toEqual(
      spans.map(({ trace_id }) => trace_id).sort(),
    )
    expect(annotations[0].attributes.ag.data.outputs.success).toBe(true)
    const testcases = await queueOf('testcases')
    const ids = (await cellsOf(source.id)).flatMap(({ testcase_id }) => testcase_id)
    await post(`/simple/queues/${testcases.id}/testcases/`, { testcase_ids: [...new Set(ids)] })
    await eventually(async () => (await auto(testcases.run_id)).length === 4)
  })
})

test('an evaluator that does not answer in time fails its cell, which says so', async () => {
  expect((await settled(silent.id, 120_000)).status).toBe('errors')
  const [cell] = (await cellsOf(silent.id)).filter(({ step_key }) => step_key.startsWith('evaluator-'))
  expect(cell).toMatchObject({ status: 'failure', error: { code: 504, message: 'The run took longer than 60 s.' } })
})
