import { expect, test } from 'vitest'
import { newProject } from '../harness.ts'
import { dashed, newTraceId } from '../otlp.ts'
import { customStep, rootTrace, testcaseId } from './outside-run.ts'

const project = await newProject()
const post = project.posted

const outputs = { type: 'object', properties: { score: { type: 'number' }, ok: { type: 'boolean' } } }
interface Case {
  testcase: number
  score?: number
  ok?: boolean
  ms?: number
  hasFailed?: boolean
  /** Its application recorded no trace. */
  hasNoSubject?: boolean
  /** Of the evaluator. */
  repeats?: number
}

/** A run with one scenario for each case, and the ids of its traces by the case's place. */
async function runOf(cases: readonly Case[], key = 'e') {
  const steps = [customStep('t', 'input'), customStep('a', 'invocation'), customStep(key, 'annotation', outputs)]
  const [run] = (await post('/evaluations/runs/', { runs: [{ data: { steps } }] })).runs
  const { scenarios } = await post('/evaluations/scenarios/', { scenarios: cases.map(() => ({ run_id: run.id })) })
  const traces = cases.map(() => ({ a: newTraceId(), e: newTraceId() }))
  await post('/traces/ingest', {
    traces: cases.flatMap(({ score, ok, ms = 10, hasFailed }, at) => [
      rootTrace(traces[at]?.a as string, {}, { ms, hasFailed }),
      rootTrace(traces[at]?.e as string, {
        outputs: { ...(score !== undefined && { score }), ...(ok !== undefined && { ok }) },
      }),
    ]),
  })
  await post('/evaluations/results/', {
    results: cases.flatMap((one, at) => {
      const cell = { run_id: run.id, scenario_id: scenarios[at].id, status: 'success' }
      return [
        { ...cell, step_key: 't', testcase_id: testcaseId(one.testcase) },
        ...(one.hasNoSubject ? [] : [{ ...cell, step_key: 'a', trace_id: traces[at]?.a }]),
        ...Array.from({ length: one.repeats ?? 1 }, (_, repeat_idx) => ({
          ...cell,
          step_key: key,
          repeat_idx,
          trace_id: traces[at]?.e,
        })),
      ]
    }),
  })
  // Waits until all of it is stored.
  await post('/evaluations/metrics/refresh', { metrics: { run_id: run.id } })
  return { id: run.id as string, scenarios: scenarios as { id: string }[], traces }
}

const OK = 'attributes.ag.data.outputs.ok'
const SCORE = 'attributes.ag.data.outputs.score'
const DURATION = 'attributes.ag.metrics.duration.cumulative'
const ERRORS = 'attributes.ag.metrics.errors.cumulative'
const TOKENS = 'attributes.ag.metrics.tokens.cumulative.total'

test('repeats of a case are no further cases: judging the same answers again and again proves nothing', async () => {
  const all = Array.from({ length: 5 }, (_, n) => n)
  const baseline = await runOf(all.map(n => ({ testcase: n, ok: false, score: 1, repeats: 8 })))
  const candidate = await runOf(all.map(n => ({ testcase: n, ok: true, score: 2, repeats: 8 })))
  const { comparison } = await post('/evaluations/runs/compare', {
    comparison: { baseline_run_id: baseline.id, run_ids: [candidate.id] },
  })
  const [{ matched, scores }] = comparison.runs
  const of = (path: string): any => scores.find((one: any) => one.path === path)
  expect(matched).toBe(5)
  for (const path of [OK, SCORE]) {
    // 2 * 0.5^5
    expect(of(path)).toMatchObject({ n: 5, wins: 5, difference: 1, p_value: expect.closeTo(0.0625, 10) })
    expect(of(path)).not.toHaveProperty('verdict')
  }
  // The application ran once: repeats without a trace of it took no time that could be compared.
  expect(of(DURATION)).toMatchObject({ n: 5, baseline_mean: 10, mean: 10 })
  expect(of(ERRORS)).toMatchObject({ n: 5, baseline_mean: 0, mean: 0 })
  expect(comparison.cases).toHaveLength(40)
})

/** A run of so many scenarios, each judged once for each of the values. */
async function judged(count: number, values: readonly (number | boolean)[]): Promise<string> {
  const of = (value: number | boolean) => (typeof value === 'boolean' ? { ok: value } : { score: value })
  const cases = Math.max(count, values.length)
  const run = await runOf(Array.from({ length: cases }, (_, n) => ({ testcase: n, ...of(values[n] ?? 0) })))
  const judged = run.traces.slice(0, values.length).map(({ e }) => e)
  const results = run.scenarios.slice(0, count).flatMap(({ id }) =>
    judged.map((trace_id, repeat_idx) => {
      const cell = { run_id: run.id, scenario_id: id, step_key: 'e', repeat_idx }
      return { ...cell, status: 'success', trace_id }
    }),
  )
  await post('/evaluations/results/', { results })
  await project.send('DELETE', '/api/evaluations/scenarios/', {
    scenario_ids: run.scenarios.slice(count).map(({ id }) => id),
  })
  return run.id
}

test.each([
  ['in another order', [0.7, 0.8, 0.9], [0.9, 0.8, 0.7]],
  ['of which sums are rounded', [0.8, 0.8, 0.8], [0.7, 0.8, 0.9]],
  ['that cancel each other out', [0.1, -0.3, 0.2], [0, 0, 0]],
])('repeats with the same mean, %s, are a tie', async (_, one, other) => {
  const runs = [await judged(3, one), await judged(3, other)]
  const { comparison } = await post('/evaluations/runs/compare', {
    comparison: { baseline_run_id: runs[0], run_ids: [runs[1]] },
  })
  const score = comparison.runs[0].scores.find((one: any) => one.path === SCORE)
  expect(score).toMatchObject({ n: 3, wins: 0, losses: 0, ties: 3, difference: 0, p_value: 1 })
})

test('single values are compared as they are, and means by all that is more than rounding', async () => {
  const compared = async (one: readonly number[], other: readonly number[]) => {
    const runs = [await judged(1, one), await judged(1, other)]
    const { comparison } = await post('/evaluations/runs/compare', {
      comparison: { baseline_run_id: runs[0], run_ids: [runs[1]], scores: [{ step_key: 'e', path: SCORE }] },
    })
    const [{ wins, losses, ties }] = comparison.runs[0].scores
    return [wins, losses, ties]
  }
  expect(await compared([0.3], [0.30000000000000004])).toEqual([1, 0, 0])
  expect(await compared([0.8, 0.8, 0.8], [0.7, 0.8, 0.9000000000001])).toEqual([1, 0, 0])
  expect(await compared([1e20, 0.5], [1e20, 2.5])).toEqual([0, 0, 1])
})

test('differences of both signs that add up to nothing are no difference, and no verdict', async () => {
  const values = (of: readonly number[]) => runOf(of.map((score, testcase) => ({ testcase, score })))
  const [baseline, candidate] = [await values([0, 0, 0]), await values([0.1, 0.2, -0.3])]
  const { comparison } = await post('/evaluations/runs/compare', {
    comparison: { baseline_run_id: baseline.id, run_ids: [candidate.id], scores: [{ step_key: 'e', path: SCORE }] },
  })
  expect(comparison.runs[0].scores[0]).toMatchObject({ wins: 2, losses: 1, difference: 0 })
  expect(comparison.runs[0].scores[0]).not.toHaveProperty('cases_needed')
})

test('many cases that pass a little more often and few that fail much more often are no verdict', async () => {
  /** Of ten repeats of each case so many pass. */
  const passing = async (passes: readonly number[]): Promise<string> => {
    const run = await runOf(passes.map((_, n) => ({ testcase: n, ok: n === 0 })))
    const [pass, fail] = run.traces.map(({ e }) => e)
    const results = run.scenarios.flatMap(({ id }, n) =>
      Array.from({ length: 10 }, (_, repeat_idx) => {
        const cell = { run_id: run.id, scenario_id: id, step_key: 'e', repeat_idx, status: 'success' }
        return { ...cell, trace_id: repeat_idx < (passes[n] as number) ? pass : fail }
      }),
    )
    await post('/evaluations/results/', { results })
    return run.id
  }
  const baseline = await passing([...Array(16).fill(0), 10, 10])
  for (const [worst, difference] of [
    [2, 0],
    [0, expect.closeTo(-0.4 / 18, 12)],
  ]) {
    const candidate = await passing([...Array(16).fill(1), worst, worst])
    const { comparison } = await post('/evaluations/runs/compare', {
      comparison: { baseline_run_id: baseline, run_ids: [candidate], scores: [{ step_key: 'e', path: OK }] },
    })
    const [score] = comparison.runs[0].scores
    expect(score).toMatchObject({ wins: 16, losses: 2, difference })
    expect(score.p_adjusted).toBeLessThan(0.05)
    expect(score).not.toHaveProperty('verdict')
  }
})

test('which scores are compared changes neither how many cases there are, nor which', async () => {
  const baseline = await runOf([
    { testcase: 1, score: 1 },
    { testcase: 2, score: 1, hasNoSubject: true },
  ])
  const candidate = await runOf([
    { testcase: 1, score: 2 },
    { testcase: 2, score: 2, hasNoSubject: true },
  ])
  const ask = async (scores?: object[]) =>
    (
      await post('/evaluations/runs/compare', {
        comparison: { baseline_run_id: baseline.id, run_ids: [candidate.id], ...(scores && { scores }) },
      })
    ).comparison
  for (const scores of [undefined, [{ step_key: 'e', path: SCORE }], [{ step_key: 'a', path: DURATION }]]) {
    const { runs, cases } = await ask(scores)
    expect(runs[0].matched).toBe(2)
    expect(cases.map((one: any) => one.testcase_id)).toEqual([testcaseId(1), testcaseId(2)])
  }
})

test('scores of 21 digits are compared, distributed and measured like others', async () => {
  const [baseline, candidate] = [
    await runOf([{ testcase: 0, score: 1e20 }]),
    await runOf([{ testcase: 0, score: 3e20 }]),
  ]
  const { comparison } = await post('/evaluations/runs/compare', {
    comparison: { baseline_run_id: baseline.id, run_ids: [candidate.id] },
  })
  const ofScore = (of: any): any => of.find((one: any) => one.path === SCORE)
  expect(ofScore(comparison.runs[0].scores)).toMatchObject({ n: 1, baseline_mean: 1e20, mean: 3e20, difference: 2e20 })
  const { run_scores } = (await project.get(`/api/evaluations/runs/${candidate.id}/scores`)).body
  expect(ofScore(run_scores.scores)).toMatchObject({ count: 1, mean: 3e20, bins: [{ value: 3e20, count: 1 }] })
  const { metrics } = await post('/evaluations/metrics/refresh', { metrics: { run_id: candidate.id } })
  expect(metrics[0].data.e[SCORE]).toMatchObject({ count: 1, sum: 3e20, max: 3e20 })
})

test('values whose sum or difference no number can hold are not compared, and the others are', async () => {
  const runs = [
    await runOf([
      { testcase: 0, score: -1.7e308 },
      { testcase: 1, score: 1.7e308, repeats: 2 },
      { testcase: 2, score: 1 },
    ]),
    await runOf([
      { testcase: 0, score: 1.7e308 },
      { testcase: 1, score: 1.7e308, repeats: 2 },
      { testcase: 2, score: 3 },
    ]),
  ]
  const { comparison } = await post('/evaluations/runs/compare', {
    comparison: {
      baseline_run_id: runs[0]?.id,
      run_ids: [runs[1]?.id],
      scores: [{ step_key: 'e', path: SCORE }],
    },
  })
  const [{ matched, scores }] = comparison.runs
  expect(matched).toBe(3)
  expect(scores).toMatchObject([{ n: 1, baseline_mean: 1, mean: 3, difference: 2, wins: 1, ties: 0 }])
  const differences = comparison.cases.map(({ testcase_id, scores: [{ difference }] }: any) => [
    testcase_id,
    difference,
  ])
  expect(Object.fromEntries(differences)).toEqual({
    [testcaseId(0)]: undefined,
    [testcaseId(1)]: 0,
    [testcaseId(2)]: 2,
  })
})

test('a case without errors has none, and one of no duration took none; unknown tokens are not compared', async () => {
  const all = Array.from({ length: 12 }, (_, n) => n)
  const baseline = await runOf(all.map(n => ({ testcase: n, ms: n })))
  const candidate = await runOf(all.map(n => ({ testcase: n, ms: 0, hasFailed: n < 8 })))
  const { comparison } = await post('/evaluations/runs/compare', {
    comparison: {
      baseline_run_id: baseline.id,
      run_ids: [candidate.id],
      cases: { score: { step_key: 'a', path: ERRORS } },
    },
  })
  const of = (path: string): any => comparison.runs[0].scores.find((one: any) => one.path === path)
  expect(of(ERRORS)).toMatchObject({ n: 12, baseline_mean: 0, wins: 0, losses: 8, ties: 4 })
  expect(of(ERRORS).verdict).toMatch(/^worse: \+0\.667 /)
  expect(of(DURATION)).toMatchObject({ n: 12, mean: 0, wins: 11, ties: 1 })
  expect(of(TOKENS)).toMatchObject({ n: 0 })
  const shown = comparison.cases[0].scores.find((one: any) => one.path === ERRORS)
  expect(shown).toMatchObject({ baseline: 0, candidate: 1, difference: 1 })
})

test('pass and fail, numbers and amounts, by testcase; significant differences are put into words', async () => {
  const all = Array.from({ length: 20 }, (_, n) => n)
  const baseline = await runOf(all.map(n => ({ testcase: n, ok: n >= 10, score: n / 10, ms: 100 })))
  // Twelve of twenty got worse, in another order; one case is not in the baseline.
  const candidate = await runOf([
    ...all.toReversed().map(n => ({ testcase: n, ok: n >= 18, score: n / 10 + (n % 2 ? 0.5 : -0.5), ms: 50 })),
    { testcase: 99, ok: true, score: 9 },
  ])
  const { comparison } = await post('/evaluations/runs/compare', {
    comparison: { baseline_run_id: baseline.id, run_ids: [candidate.id], cases: { limit: 3 } },
  })
  const [{ matched, scores }] = comparison.runs
  const of = (path: string): any => scores.find((one: any) => one.path === path)
  expect(matched).toBe(20)
  expect(of(OK)).toMatchObject({
    step_key: 'e',
    better: 'higher',
    n: 20,
    baseline_mean: 0.5,
    mean: 0.1,
    wins: 0,
    losses: 8,
    ties: 12,
    test: 'sign',
    // 2 * 0.5^8
    p_value: expect.closeTo(0.0078125, 10),
    difference: expect.closeTo(-0.4, 10),
  })
  expect(of(OK).verdict).toMatch(/^worse: -0\.4 \(95 % interval -0\.\d+ to -0\.\d+, p = 0\.\d+\)$/)
  expect(of(SCORE)).toMatchObject({
    n: 20,
    wins: 10,
    losses: 10,
    ties: 0,
    test: 'permutation',
    p_value: expect.closeTo(1, 1),
  })
  expect(of(SCORE)).not.toHaveProperty('verdict')
  expect(of(DURATION)).toMatchObject({
    step_key: 'a',
    better: 'lower',
    wins: 20,
    losses: 0,
    difference: -50,
    interval: [-50, -50],
  })
  expect(of(DURATION).verdict).toMatch(/^better: -50 /)
  const names = scores.map((one: any) => one.path)
  expect(names.indexOf(DURATION)).toBeGreaterThan(names.indexOf(OK))

  const byOk = (offset: number) =>
    post('/evaluations/runs/compare', {
      comparison: {
        baseline_run_id: baseline.id,
        run_ids: [candidate.id],
        scores: [{ step_key: 'e', path: OK }],
        cases: { limit: 5, offset, score: { step_key: 'e', path: OK } },
      },
    })
  const pages = await Promise.all([0, 5, 10, 15, 20].map(byOk))
  const cases = pages.flatMap(page => page.comparison.cases)
  expect(cases.map((one: any) => one.scores[0].difference)).toEqual([...Array(8).fill(-1), ...Array(12).fill(0)])
  expect(cases.slice(0, 8).map((one: any) => one.testcase_id)).toEqual(all.slice(10, 18).map(testcaseId))
  expect(cases[0]).toEqual({
    testcase_id: testcaseId(10),
    repeat_idx: 0,
    run_id: candidate.id,
    baseline: { scenario_id: baseline.scenarios[10]?.id, trace_id: baseline.traces[10]?.a },
    candidate: { scenario_id: candidate.scenarios[9]?.id, trace_id: candidate.traces[9]?.a },
    scores: [
      {
        step_key: 'e',
        path: OK,
        baseline: 1,
        candidate: 0,
        difference: -1,
        baseline_trace_id: baseline.traces[10]?.e,
        candidate_trace_id: candidate.traces[9]?.e,
      },
    ],
  })
  expect(dashed(cases[0].baseline.trace_id)).toMatch(/-/)
  // One case by itself, wherever it is in that order.
  const { scenario_id } = cases[17].baseline
  const asked = { limit: 5, scenario_ids: [scenario_id], score: { step_key: 'e', path: OK } }
  const alone = await post('/evaluations/runs/compare', {
    comparison: {
      baseline_run_id: baseline.id,
      run_ids: [candidate.id],
      cases: asked,
      scores: [{ step_key: 'e', path: OK }],
    },
  })
  expect(alone.comparison.cases).toEqual([cases[17]])
})

test('testcases that a run has twice are matched one by one; without pairs nothing is claimed', async () => {
  const baseline = await runOf([{ testcase: 1, score: 1 }, { testcase: 1, score: 2 }, { testcase: 2 }])
  const candidate = await runOf([
    { testcase: 1, score: 3 },
    { testcase: 1, score: 4 },
    { testcase: 1, score: 5 },
  ])
  const other = await runOf([{ testcase: 7, score: 1 }])
  const { comparison } = await post('/evaluations/runs/compare', {
    comparison: {
      baseline_run_id: baseline.id,
      run_ids: [candidate.id, other.id],
      scores: [{ step_key: 'e', path: SCORE }],
    },
  })
  expect(comparison.runs).toMatchObject([
    { run_id: candidate.id, matched: 2, scores: [{ n: 2, difference: 2, wins: 2, p_value: 0.5, cases_needed: 4 }] },
    { run_id: other.id, matched: 0, scores: [{ n: 0, wins: 0, losses: 0, ties: 0, p_value: 1, p_adjusted: 1 }] },
  ])
  expect(comparison.runs[0].scores[0]).not.toHaveProperty('verdict')
})

test('a score that no step of the other run has is shown of the baseline alone', async () => {
  const baseline = await runOf([{ testcase: 1, score: 1 }])
  const candidate = await runOf([{ testcase: 1 }], 'other')
  const { comparison } = await post('/evaluations/runs/compare', {
    comparison: {
      baseline_run_id: baseline.id,
      run_ids: [candidate.id],
      scores: [{ step_key: 'e', path: SCORE }],
    },
  })
  expect(comparison.runs).toMatchObject([{ matched: 1, scores: [{ n: 0 }] }])
  expect(comparison.cases[0].scores).toEqual([
    { step_key: 'e', path: SCORE, baseline: 1, baseline_trace_id: baseline.traces[0]?.e },
  ])
})

test('what cannot be compared is refused by name', async () => {
  const run = await runOf([{ testcase: 1, score: 1 }])
  const refused = async (comparison: object): Promise<[number, unknown]> => {
    const { status, body } = await project.post('/api/evaluations/runs/compare', { comparison })
    return [status, body.detail]
  }
  const base = { baseline_run_id: run.id, run_ids: [run.id] }
  const unknown = testcaseId(5)
  expect(await refused({ ...base, run_ids: [unknown] })).toEqual([
    404,
    { message: expect.any(String), run_id: unknown },
  ])
  expect((await refused({ ...base, run_ids: [] }))[0]).toBe(400)
  expect(await refused({ ...base, run_ids: [run.id], scores: [{ step_key: 'x', path: SCORE }] })).toEqual([
    400,
    expect.stringContaining('no score'),
  ])
  expect((await refused({ ...base, run_ids: Array(5).fill(run.id) }))[0]).toBe(422)
  const other = await newProject()
  const theirs = await other.post('/api/evaluations/runs/compare', { comparison: { ...base, run_ids: [run.id] } })
  expect(theirs.status).toBe(404)
})
