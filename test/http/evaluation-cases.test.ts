import { beforeAll, expect, test } from 'vitest'
import { newProject } from '../harness.ts'
import { newTraceId } from '../otlp.ts'
import { customStep, rootTrace, testcaseId } from './outside-run.ts'

const project = await newProject()
const post = project.posted

const outputs = {
  type: 'object',
  properties: {
    score: { type: 'number' },
    ok: { type: 'boolean' },
    grade: { type: 'string', enum: ['a', 'b'] },
    reason: { type: 'string' },
  },
}
const path = (name: string): string => `attributes.ag.data.outputs.${name}`

const COUNT = 40
let run: string
let scenarios: string[]

/** Forty cases with the scores 0, 0.1, … 3.9; the last two failed, each with a number of its own in the message. */
beforeAll(async () => {
  const steps = [customStep('t', 'input'), customStep('a', 'invocation'), customStep('e', 'annotation', outputs)]
  run = (await post('/evaluations/runs/', { runs: [{ data: { steps } }] })).runs[0].id
  const made = await post('/evaluations/scenarios/', {
    scenarios: Array.from({ length: COUNT }, (_, n) => ({ run_id: run, status: n < COUNT - 2 ? 'success' : 'errors' })),
  })
  scenarios = made.scenarios.map(({ id }: any) => id)
  const traces = scenarios.map(() => ({ a: newTraceId(), e: newTraceId() }))
  await post('/traces/ingest', {
    traces: traces.slice(0, COUNT - 2).flatMap(({ a, e }, n) => [
      rootTrace(a, { inputs: { n }, outputs: n === 0 ? 'é"'.repeat(5_000) : `answer ${n}` }, { ms: 200, costs: 0.25 }),
      rootTrace(e, {
        outputs: {
          score: n / 10,
          ok: n % 4 !== 0,
          grade: n < 30 ? 'a' : 'b',
          reason: n === 0 ? 'x'.repeat(2_000) : `because ${n}`,
          nested: { depth: n },
        },
      }),
    ]),
  })
  const cell = (n: number) => ({ run_id: run, scenario_id: scenarios[n], testcase_id: testcaseId(n) })
  await post('/evaluations/results/', {
    results: scenarios.flatMap((_, n) => [
      { ...cell(n), step_key: 't', status: 'success' },
      ...(n < COUNT - 2
        ? [
            { ...cell(n), step_key: 'a', status: 'success', trace_id: traces[n]?.a },
            { ...cell(n), step_key: 'e', status: 'success', trace_id: traces[n]?.e },
          ]
        : [{ ...cell(n), step_key: 'a', status: 'failure', error: { message: `timed out after ${n} s` } }]),
    ]),
  })
  // Waits until all of it is stored.
  await post('/evaluations/metrics/refresh', { metrics: { run_id: run } })
})

const scoresOf = async (): Promise<any> => (await project.get(`/api/evaluations/runs/${run}/scores`)).body.run_scores
const casesOf = (cases: object): Promise<any> => post(`/evaluations/runs/${run}/cases`, { cases })
const idsOf = ({ cases }: any): number[] => cases.map(({ scenario_id }: any) => scenarios.indexOf(scenario_id))

test('scores have mean, interval and distribution; failures are grouped by reason', async () => {
  const { scores, costs, failures } = await scoresOf()
  expect(costs).toBeCloseTo(9.5, 10)
  expect(failures).toEqual([{ step_key: 'a', reason: 'timed out after # s', scenarios: 2 }])
  const of = (name: string): any => scores.find((one: any) => one.path === path(name))
  expect(scores.map((one: any) => one.path)).toEqual(['score', 'ok', 'grade'].map(path))
  expect(of('score')).toMatchObject({ step_key: 'e', type: 'numeric/continuous', count: 38 })
  expect(of('score').mean).toBeCloseTo(1.85, 10)
  // 0, 0.1, … 3.7: a deviation of 1.1113, Student's quantile at 37 of 2.0262
  expect(of('score').interval[0]).toBeCloseTo(1.85 - 0.36529, 3)
  expect(of('score').interval[1]).toBeCloseTo(1.85 + 0.36529, 3)
  expect(of('score').bins).toHaveLength(20)
  expect(of('score').bins.reduce((sum: number, { count }: any) => sum + count, 0)).toBe(38)
  expect([of('score').bins[0].from, of('score').bins.at(-1).to]).toEqual([0, 3.7])
  expect(of('ok')).toMatchObject({
    count: 38,
    bins: [
      { value: true, count: 28 },
      { value: false, count: 10 },
    ],
  })
  expect(of('ok').interval[0]).toBeLessThan(28 / 38)
  expect(of('grade')).toEqual({
    step_key: 'e',
    path: path('grade'),
    type: 'categorical/single',
    count: 38,
    bins: [
      { value: 'a', count: 30 },
      { value: 'b', count: 8 },
    ],
  })
})

test('repeats of a case make its value more exact, not more cases', async () => {
  const made = (
    await post('/evaluations/runs/', { runs: [{ data: { steps: [customStep('e', 'annotation', outputs)] } }] })
  ).runs[0].id
  const cases = await post('/evaluations/scenarios/', { scenarios: [1, 2, 3].map(() => ({ run_id: made })) })
  // Of each case eight values: its number and one more, by turns. All but one of the first case have passed.
  const cells = cases.scenarios.flatMap(({ id }: any, at: number) =>
    Array.from({ length: 8 }, (_, repeat_idx) => ({
      cell: { run_id: made, scenario_id: id, step_key: 'e', repeat_idx, status: 'success', trace_id: newTraceId() },
      outputs: { score: at + 1 + (repeat_idx % 2), ok: at > 0 || repeat_idx > 0 },
    })),
  )
  await post('/traces/ingest', {
    traces: cells.map(({ cell, outputs }: any) => rootTrace(cell.trace_id, { outputs })),
  })
  await post('/evaluations/results/', { results: cells.map(({ cell }: any) => cell) })
  await post('/evaluations/metrics/refresh', { metrics: { run_id: made } })
  const { scores } = (await project.get(`/api/evaluations/runs/${made}/scores`)).body.run_scores
  const of = (name: string): any => scores.find((one: any) => one.path === path(name))
  // 1.5, 2.5, 3.5: a deviation of 1, Student's quantile at 2 of 4.3027
  const margin = 4.3027 / Math.sqrt(3)
  expect(of('score')).toMatchObject({ count: 24, mean: 2.5 })
  expect(of('score').interval).toEqual([expect.closeTo(2.5 - margin, 3), expect.closeTo(2.5 + margin, 3)])
  // Between two and three of three.
  expect(of('ok')).toMatchObject({ count: 24, mean: 23 / 24 })
  expect(of('ok').interval).toEqual([expect.closeTo(0.0943, 3), 1])
})

test('a case of which most repeats failed counts as much as the others, in a mean as in its interval', async () => {
  const made = (
    await post('/evaluations/runs/', { runs: [{ data: { steps: [customStep('e', 'annotation', outputs)] } }] })
  ).runs[0].id
  const cases = await post('/evaluations/scenarios/', { scenarios: Array(20).fill({ run_id: made }) })
  // Ten cases with one value, which is bad, and ten with four that are good.
  const cells = cases.scenarios.flatMap(({ id }: any, at: number) =>
    Array.from({ length: at < 10 ? 1 : 4 }, (_, repeat_idx) => ({
      cell: { run_id: made, scenario_id: id, step_key: 'e', repeat_idx, status: 'success', trace_id: newTraceId() },
      outputs: { score: at < 10 ? 1 + (at % 2) : 9 + (at % 2), ok: at >= 10 },
    })),
  )
  await post('/traces/ingest', {
    traces: cells.map(({ cell, outputs }: any) => rootTrace(cell.trace_id, { outputs })),
  })
  await post('/evaluations/results/', { results: cells.map(({ cell }: any) => cell) })
  await post('/evaluations/metrics/refresh', { metrics: { run_id: made } })
  const { scores } = (await project.get(`/api/evaluations/runs/${made}/scores`)).body.run_scores
  const of = (name: string): any => scores.find((one: any) => one.path === path(name))
  expect(of('score')).toMatchObject({ count: 50, mean: 5.5 })
  expect(of('ok')).toMatchObject({ count: 50, mean: 0.5, bins: [{ count: 40 }, { count: 10 }] })
  for (const { mean, interval } of [of('score'), of('ok')])
    expect((interval[0] + interval[1]) / 2).toBeCloseTo(mean, 10)
})

test('each bin finds as many cases as it counts', async () => {
  const { scores } = await scoresOf()
  for (const { step_key, path, bins } of scores)
    for (const [at, { value, from, to, count }] of bins.entries()) {
      const isLast = at === bins.length - 1
      const sought = value !== undefined ? { value } : { min: from, ...(!isLast && { max: to }) }
      const { total } = await casesOf({ score: { step_key, path, ...sought }, limit: 1 })
      expect(total, `${path} ${JSON.stringify(bins[at])}`).toBe(count)
    }
})

test('cases have what their cells contain, in pages', async () => {
  const page = await casesOf({ limit: 2 })
  expect([page.count, page.total, idsOf(page)]).toEqual([2, COUNT, [0, 1]])
  const [long, short] = page.cases
  expect(short).toMatchObject({ status: 'success', testcase_id: testcaseId(1) })
  const [, a, e] = short.cells
  expect(a).toMatchObject({
    step_key: 'a',
    repeat_idx: 0,
    status: 'success',
    inputs: { n: 1 },
    outputs: 'answer 1',
    costs: 0.25,
    duration: 200,
  })
  expect(a).not.toHaveProperty('outputs_cut')
  expect(e.scores).toEqual({ score: 0.1, ok: true, grade: 'a', reason: 'because 1', 'nested.depth': 1 })
  expect(e.trace_id).toMatch(/^[0-9a-f]{32}$/)
  expect(long.cells[1].outputs_cut).toBe(true)
  expect(long.cells[1].outputs.length).toBeGreaterThan(2_000)
  expect('é"'.repeat(5_000).startsWith(long.cells[1].outputs)).toBe(true)
  expect(long.cells[2].scores.reason).toMatch(/^x{900,1100}…$/)
  expect(idsOf(await casesOf({ limit: 3, offset: 39 }))).toEqual([39])
  for (const beyond of [{ offset: COUNT }, { limit: 0 }])
    expect(await casesOf(beyond)).toMatchObject({ count: 0, total: COUNT })
})

test('the newest cases first, and pages that stay as they are while others are added', async () => {
  const first = await casesOf({ is_newest_first: true, limit: 3 })
  expect(idsOf(first)).toEqual([39, 38, 37])
  expect(first).not.toHaveProperty('newer')
  const until = (await casesOf({ is_newest_first: true, limit: 3, offset: 2 })).cases[0].scenario_id
  const second = await casesOf({ is_newest_first: true, until, limit: 2, offset: 1 })
  expect(idsOf(second)).toEqual([36, 35])
  expect(second).toMatchObject({ total: 38, newer: 2 })
  expect(await casesOf({ status: 'errors', until, limit: 0 })).toMatchObject({ total: 0, newer: 2 })
})

test('cases in the order of a score, by status, by failure and by id; what has no value is last', async () => {
  const score = { step_key: 'e', path: path('score') }
  expect(idsOf(await casesOf({ order_by: { ...score, is_descending: true }, limit: 3 }))).toEqual([37, 36, 35])
  expect(idsOf(await casesOf({ order_by: score, offset: 37, limit: 5 }))).toEqual([37, 38, 39])
  expect(idsOf(await casesOf({ status: 'errors' }))).toEqual([38, 39])
  const failure = { step_key: 'a', reason: 'timed out after # s' }
  const failed = await casesOf({ failure })
  expect([failed.total, idsOf(failed)]).toEqual([2, [38, 39]])
  expect(failed.cases[0].cells.at(-1).error).toEqual({ message: 'timed out after 38 s' })
  expect((await casesOf({ failure: { ...failure, reason: 'other' } })).total).toBe(0)
  const scenario_ids = [scenarios[5], scenarios[3]]
  expect(idsOf(await casesOf({ scenario_ids }))).toEqual([3, 5])
  expect(idsOf(await casesOf({ scenario_ids, score: { ...score, min: 0.4 } }))).toEqual([5])
  expect(idsOf(await casesOf({ score: { step_key: 'e', path: path('ok'), value: false }, limit: 2 }))).toEqual([0, 4])
})

test.each([
  ['ok', { value: 'true' }],
  ['score', { value: 'high' }],
  ['grade', { value: 1 }],
  ['grade', { value: true }],
  ['grade', { min: 1 }],
])('values of another type than those of the score %s are refused: %j', async (name, sought) => {
  const cases = { score: { step_key: 'e', path: path(name), ...sought } }
  const { status, body } = await project.post(`/api/evaluations/runs/${run}/cases`, { cases })
  expect([status, body.detail]).toEqual([400, expect.stringContaining(path(name))])
})

test('a score that the run does not have is refused; runs of others are not there', async () => {
  const { status, body } = await project.post(`/api/evaluations/runs/${run}/cases`, {
    cases: { score: { step_key: 'e', path: path('none') } },
  })
  expect([status, body.detail]).toEqual([400, expect.stringContaining('no score')])
  const other = await newProject()
  expect((await other.get(`/api/evaluations/runs/${run}/scores`)).body).toEqual({ count: 0 })
  const answer = await other.post(`/api/evaluations/runs/${run}/cases`, { cases: {} })
  expect(answer.body).toEqual({ count: 0, total: 0, cases: [] })
})

test('words of any number and length count, the empty one as well', async () => {
  const words = ['', '', ...Array.from({ length: 60 }, (_, n) => `word ${String(n).padStart(2, '0')}`)]
  const steps = [customStep('e', 'annotation', outputs)]
  const run_id = (await post('/evaluations/runs/', { runs: [{ data: { steps } }] })).runs[0].id
  const made = await post('/evaluations/scenarios/', { scenarios: words.map(() => ({ run_id })) })
  const traces = words.map(grade => rootTrace(newTraceId(), { outputs: { grade } }))
  await post('/traces/ingest', { traces })
  const results = traces.map(({ trace_id }, n) => {
    return { run_id, scenario_id: made.scenarios[n].id, step_key: 'e', status: 'success', trace_id }
  })
  await post('/evaluations/results/', { results })
  await post('/evaluations/metrics/refresh', { metrics: { run_id } })
  const { run_scores } = (await project.get(`/api/evaluations/runs/${run_id}/scores`)).body
  const grade = run_scores.scores.find((one: any) => one.path === path('grade'))
  expect(grade.count).toBe(62)
  expect(grade.bins).toHaveLength(50)
  expect(grade.bins.slice(0, 2)).toEqual([
    { value: '', count: 2 },
    { value: 'word 00', count: 1 },
  ])
  const score = { step_key: 'e', path: path('grade'), value: '' }
  const { cases } = await post(`/evaluations/runs/${run_id}/cases`, { cases: { score } })
  expect(cases.map(({ scenario_id }: any) => scenario_id).sort()).toEqual(
    made.scenarios.slice(0, 2).map(({ id }: any) => id),
  )
})
