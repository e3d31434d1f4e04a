import { statisticsOracle } from '@spanhouse/span-store/engine/statistics.testing.ts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { newProject } from '../harness.ts'
import { dashed, newSpanId, newTraceId } from '../otlp.ts'
import { sampledRuns } from '../sets/sample.ts'
import { customStep } from './outside-run.ts'

const project = await newProject()

const post = (path: string, body: object, of = project) => of.posted(path, body)

const START = Date.UTC(2026, 1, 3) / 1000

/** Sends a version of a trace of one span; `ms` is its duration, `metrics` are its own amounts. */
async function send(
  trace_id: string,
  given: { span_id?: string; outputs?: unknown; ms?: number; tokens?: number; inError?: boolean },
): Promise<string> {
  const { span_id = newSpanId(), outputs, ms = 100, tokens, inError } = given
  const data = outputs === undefined ? {} : { outputs }
  const metrics = tokens === undefined ? {} : { tokens: { incremental: { total: tokens } } }
  const root = {
    span_id,
    span_name: 'root',
    start_time: new Date(START * 1000).toISOString(),
    end_time: new Date(START * 1000 + ms).toISOString(),
    attributes: { ag: { data, metrics } },
    ...(inError && { events: [{ name: 'exception', timestamp: new Date(START * 1000).toISOString() }] }),
  }
  await post('/traces/', { trace: { trace_id, spans: { root: { trace_id, ...root } } } })
  return span_id
}

const newRun = async (steps: object[], more: object = {}): Promise<any> =>
  (await post('/evaluations/runs/', { runs: [{ data: { steps, repeats: 2, ...more } }] })).runs[0]
const newScenarios = async (run_id: string, count: number, more: object = {}): Promise<any[]> =>
  (await post('/evaluations/scenarios/', { scenarios: Array.from({ length: count }, () => ({ run_id, ...more })) }))
    .scenarios
const setCells = (results: object[]): Promise<any> =>
  post('/evaluations/results/', { results: results.map(one => ({ status: 'success', ...one })) })
const refresh = async (metrics: object): Promise<any[]> =>
  (await post('/evaluations/metrics/refresh', { metrics })).metrics

/** A run of one evaluator whose outputs have this schema, and a cell for each of the outputs. */
async function evaluated(schema: object | undefined, outputs: readonly unknown[]): Promise<any> {
  const run = await newRun([customStep('i', 'input'), customStep('e', 'annotation', schema)])
  const scenarios = await newScenarios(run.id, outputs.length)
  const cells = scenarios.map(({ id }) => ({ run_id: run.id, scenario_id: id, step_key: 'e', trace_id: newTraceId() }))
  for (const [index, { trace_id }] of cells.entries()) await send(trace_id, { outputs: outputs[index] })
  await setCells(cells)
  return { run, scenarios, cells }
}
const properties = (of: Record<string, object>) => ({ type: 'object', properties: of })
const OUT = 'attributes.ag.data.outputs'

describe('shapes', () => {
  test('the vector of continuous numbers is exact', async () => {
    const { run } = await evaluated(
      properties({ score: { type: 'number' } }),
      [1, 2, 3, 4].map(score => ({ score })),
    )
    const [row] = await refresh({ run_id: run.id })
    expect(row).toMatchObject({ run_id: run.id, status: 'success', version: '2025-07-14' })
    expect(Object.keys(row.data)).toEqual(['e'])
    expect(row.data.e[`${OUT}.score`]).toEqual(VECTOR)
  })

  test('labels that are not of the enum: the most frequent thousand are listed, cut to 500 characters', async () => {
    const labels = { type: 'array', items: { type: 'string', enum: ['A'] } }
    const schema = properties({ labels, grade: { type: 'string', enum: ['A'] } })
    const others = Array.from({ length: 1_500 }, (_, n) => `other ${n}`)
    const { run } = await evaluated(schema, [{ labels: ['A', 'A', ...others] }, { grade: 'é'.repeat(10_000) }])
    const [row] = await refresh({ run_id: run.id })
    const { labels: many, grade } = Object.fromEntries(
      Object.entries<any>(row.data.e).map(([path, value]) => [path.split('.').at(-1), value]),
    )
    expect(many.count).toBe(1_502)
    expect(many.uniq).toEqual(['A', ...others.toSorted().slice(0, 999)])
    expect(many.freq[0]).toEqual({ value: 'A', count: 2, density: 0.00133 })
    expect(grade).toMatchObject({ count: 1, uniq: ['é'.repeat(500)] })
  })

  test('the other types, names with dots, and what is of another type', async () => {
    const schema = properties({
      success: { type: 'boolean' },
      grade: { type: 'string', enum: ['A', 'B'] },
      stars: { type: ['integer', 'null'] },
      reason: { type: 'string' },
      labels: { type: 'array', items: { type: 'string', enum: ['x', 'y'] } },
      extra: { type: 'object' },
      'a.b': { type: 'number' },
      deep: properties({ part: { anyOf: [{ type: 'number' }, { type: 'null' }] } }),
      list: { type: 'array' },
    })
    const { run } = await evaluated(schema, [
      {
        success: true,
        grade: 'B',
        stars: 3,
        reason: 'r',
        labels: ['x', 'y'],
        extra: {},
        'a.b': 0.5,
        deep: { part: 2 },
      },
      { success: false, grade: 'A', stars: 4, reason: '', labels: ['y'], 'a.b': 'no', deep: { part: null } },
      { success: true, grade: 'B', stars: null, reason: 7, list: [1] },
    ])
    const [{ data }] = await refresh({ run_id: run.id })
    const of = (name: string): any => data.e[`${OUT}.${name}`]
    expect(of('success')).toEqual({
      type: 'binary',
      count: 3,
      freq: [
        { value: true, count: 2, density: 0.66667 },
        { value: false, count: 1, density: 0.33333 },
      ],
      uniq: [true, false],
    })
    expect(of('grade')).toMatchObject({ type: 'categorical/single', count: 3, uniq: ['B', 'A'] })
    expect(of('stars')).toMatchObject({ type: 'numeric/discrete', count: 2, sum: 7, mean: 3.5, range: 1, uniq: [3, 4] })
    expect(of('reason')).toEqual({ type: 'string', count: 2 })
    expect(of('labels')).toMatchObject({ type: 'categorical/multiple', count: 3, uniq: ['y', 'x'] })
    expect(of('extra')).toEqual({ type: 'json', count: 1 })
    expect(of('a.b')).toMatchObject({ type: 'numeric/continuous', count: 1, mean: 0.5 })
    expect(of('deep.part')).toMatchObject({ type: 'numeric/continuous', count: 1, sum: 2 })
    expect(of('list')).toBeUndefined()
    expect(data.e['attributes.ag.metrics.duration.cumulative']).toMatchObject({ count: 3, sum: 300, mean: 100 })
    expect(data.e['attributes.ag.metrics.errors.cumulative']).toMatchObject({ count: 3, sum: 0, mean: 0, range: 0 })
    expect(data.e).not.toHaveProperty(['attributes.ag.metrics.costs.cumulative.total'])
  })

  test('a scalar at the root', async () => {
    const { run } = await evaluated({ type: 'number' }, [0.5, 1])
    const [{ data }] = await refresh({ run_id: run.id })
    expect(data.e[OUT]).toMatchObject({ type: 'numeric/continuous', count: 2, mean: 0.75 })
  })
})

describe('schemas that are not declared', () => {
  test('are inferred, stored in the step, and the columns follow', async () => {
    const mapping = (key: string, path: string) => ({
      column: { kind: 'annotation', name: 'outputs' },
      step: { key, path },
    })
    const run = await newRun([customStep('e', 'annotation')], {
      mappings: [mapping('a', OUT), mapping('e', `${OUT}.outputs`)],
    })
    const [scenario] = await newScenarios(run.id, 1)
    const trace_id = newTraceId()
    await send(trace_id, { outputs: { score: 1, ok: true, deep: { note: 'x' }, none: null } })
    await setCells([{ run_id: run.id, scenario_id: scenario.id, step_key: 'e', trace_id }])
    const [row] = await refresh({ run_id: run.id, scenario_id: scenario.id })
    expect(row).toMatchObject({ scenario_id: scenario.id })
    expect(row.data.e[`${OUT}.score`]).toMatchObject({ type: 'numeric/continuous', count: 1, mean: 1 })
    expect(row.data.e[`${OUT}.ok`]).toMatchObject({ type: 'binary' })
    expect(row.data.e[`${OUT}.deep.note`]).toEqual({ type: 'string', count: 1 })
    const stored = (await project.get(`/api/evaluations/runs/${run.id}`)).body.run.data
    expect(stored.steps[0].schemas.outputs).toEqual(
      properties({
        score: { type: 'number' },
        ok: { type: 'boolean' },
        deep: properties({ note: { type: 'string' } }) as object,
        none: { type: 'null' },
      }),
    )
    expect(stored.mappings).toEqual([
      mapping('a', OUT),
      ...['score', 'ok', 'deep.note'].map(name => ({
        column: { kind: 'annotation', name },
        step: { key: 'e', path: `${OUT}.${name}` },
      })),
    ])
  })

  test('are not stored in a closed run, which a 409 protects', async () => {
    const { run } = await evaluated(undefined, [{ score: 1 }])
    await post(`/evaluations/runs/${run.id}/close`, {})
    const answer = await project.post('/api/evaluations/metrics/refresh', { metrics: { run_id: run.id } })
    expect([answer.status, answer.body.detail.run_id]).toEqual([409, run.id])
  })
})

describe('what counts', () => {
  const schema = properties({ score: { type: 'number' } })
  const scoreOf = (row: any): any => row.data.e?.[`${OUT}.score`]

  test('cells, not traces; and every version of a trace replaces the last', async () => {
    const run = await newRun([customStep('e', 'annotation', schema)])
    const scenarios = await newScenarios(run.id, 2)
    const trace_id = newTraceId()
    const span_id = await send(trace_id, { outputs: { score: 1 } })
    const cells = scenarios.flatMap(({ id }) =>
      [0, 1].map(repeat_idx => ({ run_id: run.id, scenario_id: id, step_key: 'e', repeat_idx, trace_id })),
    )
    await setCells(cells)
    expect(scoreOf((await refresh({ run_id: run.id }))[0])).toMatchObject({ count: 4, sum: 4 })
    await send(trace_id, { span_id, outputs: { score: 3 } })
    expect(scoreOf((await refresh({ run_id: run.id }))[0])).toMatchObject({ count: 4, sum: 12 })
    const ids = scenarios.map(({ id }) => id)
    const rows = await refresh({ run_id: run.id, scenario_ids: [...ids].reverse() })
    expect(rows.map(row => [row.scenario_id, scoreOf(row).count])).toEqual([...ids].reverse().map(id => [id, 2]))
  })

  test('nothing stays of what was pruned, retried or removed', async () => {
    const { run, scenarios, cells } = await evaluated(schema, [{ score: 1 }, { score: 2 }, { score: 4 }])
    expect(scoreOf((await refresh({ run_id: run.id }))[0])).toMatchObject({ count: 3, sum: 7 })
    await post(`/simple/evaluations/${run.id}/prune`, { scenario_ids: [scenarios[0].id] })
    const query = async (metrics: object): Promise<any[]> =>
      (await post('/evaluations/metrics/query', { metrics: { run_id: run.id, ...metrics } })).metrics
    expect((await query({ scenario_ids: false })).map(scoreOf)).toMatchObject([{ count: 2, sum: 6 }])
    const again = newTraceId()
    await send(again, { outputs: { score: 8 } })
    await setCells([{ ...cells[1], trace_id: again }])
    expect(scoreOf((await refresh({ run_id: run.id }))[0])).toMatchObject({ count: 2, sum: 12 })
    await post(`/simple/evaluations/${run.id}/scenarios/remove`, { scenario_ids: [scenarios[2].id] })
    expect((await query({ scenario_ids: false })).map(scoreOf)).toMatchObject([{ count: 1, sum: 8 }])
    await setCells([{ ...cells[0], trace_id: again }])
    expect(scoreOf((await refresh({ run_id: run.id }))[0])).toMatchObject({ count: 2, sum: 16 })
    const scenario_ids = [scenarios[0].id, scenarios[1].id]
    const gone = await project.send('DELETE', '/api/evaluations/scenarios/', { scenario_ids })
    expect(gone.body).toEqual({ count: 2, scenario_ids })
    expect(await query({})).toEqual([])
  })

  test('a bucket counts what is left of it when a scenario is deleted', async () => {
    const run = await newRun([customStep('e', 'annotation', schema)])
    const bucket = { timestamp: '2026-02-03T00:00:00.000000Z', interval: 1 }
    const [one, other] = await newScenarios(run.id, 2, bucket)
    for (const [{ id }, score] of [[one, 1] as const, [other, 2] as const]) {
      const trace_id = newTraceId()
      await send(trace_id, { outputs: { score } })
      await setCells([{ run_id: run.id, scenario_id: id, step_key: 'e', trace_id, ...bucket }])
    }
    const buckets = { run_id: run.id, timestamps: [bucket.timestamp], interval: 1 }
    expect((await refresh(buckets)).map(scoreOf)).toMatchObject([{ count: 2, sum: 3 }])
    await project.send('DELETE', `/api/evaluations/scenarios/${one.id}`)
    const { metrics } = await post('/evaluations/metrics/query', { metrics: { run_id: run.id } })
    expect(metrics.map((row: any) => [Date.parse(row.timestamp), scoreOf(row)])).toMatchObject([
      [Date.parse(bucket.timestamp), { count: 1, sum: 2 }],
    ])
  })

  test('a trace that is not stored leaves its step out; without any the row is pending and not stored', async () => {
    const run = await newRun([customStep('a', 'invocation'), customStep('e', 'annotation', schema)])
    const [scenario, other] = await newScenarios(run.id, 2)
    const place = { run_id: run.id, scenario_id: scenario.id }
    expect(await refresh(place)).toEqual([{ version: '2025-07-14', ...place, status: 'pending', data: {} }])
    const [trace_id, missing] = [newTraceId(), newTraceId()]
    await send(trace_id, { ms: 50, tokens: 7, inError: true })
    await setCells([
      { ...place, step_key: 'a', trace_id },
      { ...place, step_key: 'e', trace_id: missing },
    ])
    const [row] = await refresh(place)
    expect(Object.keys(row.data)).toEqual(['a'])
    expect(row.data.a).toMatchObject({
      'attributes.ag.metrics.duration.cumulative': {
        count: 1,
        sum: 50,
        hist: [{ bin: 1, count: 1, interval: [50, 50] }],
      },
      'attributes.ag.metrics.tokens.cumulative.total': { count: 1, sum: 7 },
      'attributes.ag.metrics.errors.cumulative': { count: 1, sum: 1 },
    })
    await send(missing, { outputs: { score: 2 } })
    expect(scoreOf((await refresh(place))[0])).toMatchObject({ count: 1, sum: 2 })
    const rows = await refresh({ run_id: run.id, scenario_ids: [other.id, scenario.id] })
    expect(rows.map(one => [one.scenario_id, one.status])).toEqual([
      [other.id, 'pending'],
      [scenario.id, 'success'],
    ])
    expect((await post('/evaluations/metrics/query', { metrics: { run_id: run.id } })).count).toBe(1)
  })

  test('buckets of a live run, and buckets that there are not', async () => {
    const run = await newRun([customStep('e', 'annotation', schema)])
    const times = ['2026-02-03T09:00:00Z', '2026-02-03T09:01:00Z']
    for (const [index, timestamp] of times.entries()) {
      const scenarios = await newScenarios(run.id, 2, { timestamp, interval: 1 })
      for (const { id } of scenarios) {
        const trace_id = newTraceId()
        await send(trace_id, { outputs: { score: index + 1 } })
        await setCells([{ run_id: run.id, scenario_id: id, step_key: 'e', trace_id, timestamp, interval: 1 }])
      }
    }
    const unknown = '2026-02-03T10:00:00Z'
    const rows = await refresh({ run_id: run.id, timestamps: [times[1], unknown, times[0]], interval: 1 })
    const again = await refresh({ run_id: run.id, timestamps: times })
    expect(again.map(row => row.interval)).toEqual([1, 1])
    expect(rows.map(row => [row.timestamp, row.interval, scoreOf(row).sum])).toEqual([
      [times[1], 1, 4],
      [times[0], 1, 2],
    ])
  })
})

/** What the interface says of every cell and trace, and the metrics that follow from it by their definition. */
async function expectedMetrics(run: any, scenario_id?: string): Promise<object> {
  const filter = { run_id: run.id, ...(scenario_id && { scenario_id }) }
  const { results } = await post('/evaluations/results/query', { result: filter })
  const roots = new Map<string, any>()
  const ids = [...new Set(results.flatMap((one: any) => one.trace_id?.replaceAll('-', '') ?? []))].join()
  if (ids !== '')
    for (const span of (await project.get(`/api/spans/?trace_ids=${ids}&limit=1000`)).body.spans)
      if (!span.parent_id) roots.set(dashed(span.trace_id), span)
  const paths = [
    ...['duration.cumulative', 'errors.cumulative', 'costs.cumulative.total', 'tokens.cumulative.total'].map(
      (path): [string, string] => [`ag.metrics.${path}`, 'numeric/continuous'],
    ),
  ]
  const SCORES: [string, string][] = [
    ['ag.data.outputs.score', 'numeric/continuous'],
    ['ag.data.outputs.ok', 'binary'],
    ['ag.data.outputs.word', 'categorical/single'],
  ]
  const data: Record<string, any> = {}
  for (const { key, type } of run.data.steps) {
    const spans = results.flatMap((one: any) => (one.step_key === key && roots.get(one.trace_id)) || [])
    if (spans.length === 0) continue
    data[key] = {}
    for (const [path, kind] of type === 'annotation' ? [...paths, ...SCORES] : paths) {
      const values = spans.flatMap((span: any) => {
        const value = path.split('.').reduce((at: any, name) => at?.[name], span.attributes)
        // A span without errors does not say so.
        return value === undefined ? (path === 'ag.metrics.errors.cumulative' ? [0] : []) : [value]
      })
      const found = statisticsOracle(kind, values, {})
      if (found) data[key][`attributes.${path}`] = found
    }
  }
  return data
}

const near = (value: any): any => {
  if (typeof value === 'number') return expect.closeTo(value, 6)
  if (Array.isArray(value)) return value.map(near)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, near(one)]))
}

const SCENARIOS = 4
const cellAt = fc.record({
  scenario: fc.nat({ max: SCENARIOS - 1 }),
  step: fc.constantFrom('a', 'e'),
  repeat: fc.nat({ max: 1 }),
})
const outputs = fc.record({
  score: fc.oneof(fc.double({ min: -100, max: 100, noNaN: true }), fc.integer({ min: 0, max: 3 })).map(one => one || 0),
  ok: fc.oneof(fc.boolean(), fc.constant(null)),
  word: fc.constantFrom('A', 'B', 'other', 3),
})
const change = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('cell' as const),
      cell: cellAt,
      outputs,
      ms: fc.integer({ min: 1, max: 5000 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('share' as const), cell: cellAt, trace: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('resend' as const), trace: fc.nat(), outputs }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('prune' as const), cell: cellAt }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('empty' as const), cell: cellAt }) },
)

test('metrics agree with what the interface returns, whatever happened to the grid', async () => {
  const property = fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 14 }), async changes => {
    const schema = properties({
      score: { type: 'number' },
      ok: { type: 'boolean' },
      word: { type: 'string', enum: ['A'] },
    })
    const run = await newRun([customStep('a', 'invocation'), customStep('e', 'annotation', schema)])
    const scenarios = await newScenarios(run.id, SCENARIOS)
    const traces: { trace_id: string; span_id: string }[] = []
    const keyOf = ({ scenario, step, repeat }: { scenario: number; step: string; repeat: number }) => ({
      run_id: run.id,
      scenario_id: scenarios[scenario].id,
      step_key: step,
      repeat_idx: repeat,
    })
    for (const one of changes) {
      if (one.kind === 'cell') {
        const trace_id = newTraceId()
        await setCells([{ ...keyOf(one.cell), trace_id }])
        traces.push({ trace_id, span_id: await send(trace_id, { outputs: one.outputs, ms: one.ms }) })
      } else if (one.kind === 'prune') {
        const { scenario_id, step_key, repeat_idx } = keyOf(one.cell)
        await post(`/simple/evaluations/${run.id}/prune`, {
          scenario_ids: [scenario_id],
          step_keys: [step_key],
          repeat_idxs: [repeat_idx],
        })
      } else if (one.kind === 'empty') await setCells([keyOf(one.cell)])
      else {
        const trace = traces[one.trace % traces.length]
        if (!trace) continue
        if (one.kind === 'share') await setCells([{ ...keyOf(one.cell), trace_id: trace.trace_id }])
        else await send(trace.trace_id, { span_id: trace.span_id, outputs: one.outputs })
      }
    }
    const [whole] = await refresh({ run_id: run.id })
    const rows = await refresh({ run_id: run.id, scenario_ids: scenarios.map(({ id }) => id) })
    for (const [row, scenario_id] of [[whole, undefined], ...rows.map((row, at) => [row, scenarios[at].id])]) {
      const expected = await expectedMetrics(run, scenario_id)
      if (Object.keys(expected).length > 0) expect(row.data).toEqual(near(expected))
    }
  })
  await fc.assert(property, { numRuns: sampledRuns(12), endOnFailure: true })
})

const VECTOR = {
  type: 'numeric/continuous',
  count: 4,
  sum: 10,
  mean: 2.5,
  min: 1,
  max: 4,
  range: 3,
  pcts: {
    'p00.05': 1.0015,
    'p00.1': 1.003,
    'p00.5': 1.015,
    p01: 1.03,
    'p02.5': 1.075,
    p05: 1.15,
    p10: 1.3,
    'p12.5': 1.375,
    p20: 1.6,
    p25: 1.75,
    p30: 1.9,
    'p37.5': 2.125,
    p40: 2.2,
    p50: 2.5,
    p60: 2.8,
    'p62.5': 2.875,
    p70: 3.1,
    p75: 3.25,
    p80: 3.4,
    'p87.5': 3.625,
    p90: 3.7,
    p95: 3.85,
    'p97.5': 3.925,
    p99: 3.97,
    'p99.5': 3.985,
    'p99.9': 3.997,
    'p99.95': 3.9985,
  },
  iqrs: { iqr25: 0.75, iqr50: 1.5, iqr75: 2.25, iqr80: 2.4, iqr90: 2.7, iqr95: 2.85, iqr99: 2.97, 'iqr99.9': 2.997 },
  pscs: { psc25: 0.3, psc50: 0.6, psc75: 0.9, psc80: 0.96, psc90: 1.08, psc95: 1.14, psc99: 1.188, 'psc99.9': 1.1988 },
  hist: [
    { bin: 1, count: 2, interval: [1, 2.5], density: 0.5 },
    { bin: 2, count: 2, interval: [2.5, 4], density: 0.5 },
  ],
}
