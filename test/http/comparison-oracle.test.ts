import { expect, test } from 'vitest'
import { seeded } from '../faults/chaos/random.ts'
import { newProject } from '../harness.ts'
import { newTraceId } from '../otlp.ts'
import { customStep, rootTrace, testcaseId } from './outside-run.ts'

/* Comparisons of runs, compared with the same computed here from the scores that were sent. */

const project = await newProject()
const post = project.posted

const { below: random, pick } = seeded(20_261_130)

/** What one repeat of a scenario gave. */
interface Repeat {
  repeat_idx: number
  score?: unknown
  ok?: unknown
  ms?: number
  subject?: string
  evaluator?: string
}
interface Scenario {
  id: string
  testcase?: string
  source?: string
  repeats: Repeat[]
}
interface Run {
  id: string
  scenarios: Scenario[]
}

const SCORES = [undefined, null, 'text', 0, 1, 1, 1, 1, 2.5, 2.5, 2.5, -3, 1e20, -1e20, 1e21, true, [1], 0.25, 0.5]
const OKS = [...Array(9).fill(true), ...Array(6).fill(false), 'true', null, undefined]
const sources = Array.from({ length: 3 }, newTraceId)
const outputs = { type: 'object', properties: { score: { type: 'number' }, ok: { type: 'boolean' } } }

async function newRun(): Promise<Run> {
  const steps = [customStep('t', 'input'), customStep('a', 'invocation'), customStep('e', 'annotation', outputs)]
  const [run] = (await post('/evaluations/runs/', { runs: [{ data: { steps, repeats: 3 } }] })).runs
  const count = 30
  const made = await post('/evaluations/scenarios/', { scenarios: Array(count).fill({ run_id: run.id }) })
  const scenarios: Scenario[] = made.scenarios.map(({ id }: { id: string }) => ({
    id,
    ...(random(5) === 0 ? (random(2) === 0 ? { source: pick(sources) } : {}) : { testcase: testcaseId(random(14)) }),
    repeats: [0, 1, 2].flatMap(repeat_idx =>
      random(8) === 0 && repeat_idx > 0
        ? []
        : {
            repeat_idx,
            score: pick(SCORES),
            ok: pick(OKS),
            ...(random(3) > 0 && { ms: pick([0, 10, 10, 20, 35]), subject: newTraceId() }),
            ...(random(12) > 0 && { evaluator: newTraceId() }),
          },
    ),
  }))
  const repeats = scenarios.flatMap(one => one.repeats)
  await post('/traces/ingest', {
    traces: repeats.flatMap(({ subject, evaluator, ms = 0, score, ok }) => [
      ...(subject ? [rootTrace(subject, {}, { ms })] : []),
      ...(evaluator
        ? [
            rootTrace(evaluator, {
              outputs: { ...(score !== undefined && { score }), ...(ok !== undefined && { ok }) },
            }),
          ]
        : []),
    ]),
  })
  await post('/evaluations/results/', {
    results: scenarios.flatMap(({ id, testcase, source, repeats }) => {
      const cell = { run_id: run.id, scenario_id: id, status: 'success' }
      return [
        { ...cell, step_key: 't', ...(testcase && { testcase_id: testcase }), ...(source && { trace_id: source }) },
        ...repeats.flatMap(({ repeat_idx, subject, evaluator }) => [
          ...(subject ? [{ ...cell, step_key: 'a', repeat_idx, trace_id: subject }] : []),
          { ...cell, step_key: 'e', repeat_idx, ...(evaluator ? { trace_id: evaluator } : { status: 'pending' }) },
        ]),
      ]
    }),
  })
  await post('/evaluations/metrics/refresh', { metrics: { run_id: run.id } })
  return { id: run.id, scenarios }
}

const SCORE = 'attributes.ag.data.outputs.score'
const OK = 'attributes.ag.data.outputs.ok'
const DURATION = 'attributes.ag.metrics.duration.cumulative'
const VALUES: Record<string, (one: Repeat) => number | undefined> = {
  [SCORE]: ({ evaluator, score }) => (evaluator && typeof score === 'number' ? score : undefined),
  [OK]: ({ evaluator, ok }) => (evaluator && typeof ok === 'boolean' ? Number(ok) : undefined),
  [DURATION]: ({ subject, ms }) => (subject ? ms : undefined),
}

interface Case {
  case_id: string
  nth: number
  repeat_idx: number
  scenario: Scenario
  repeat: Repeat
}

/** Repeats of a scenario without any trace are no cases. */
function casesOf(run: Run): Case[] {
  const seen = new Map<string, number>()
  return run.scenarios
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))
    .flatMap(scenario => {
      const case_id = scenario.testcase ?? scenario.source
      if (!case_id) return []
      const nth = (seen.get(case_id) ?? 0) + 1
      seen.set(case_id, nth)
      return scenario.repeats
        .filter(({ subject, evaluator }) => subject || evaluator)
        .map(repeat => ({ case_id, nth, repeat_idx: repeat.repeat_idx, scenario, repeat }))
    })
}

/** Added up in the order of the values, since 1e20 takes up what is small. */
const mean = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other).reduce((sum, one) => sum + one, 0) / values.length

/** By how much means of these may differ that are the same. */
const roundingOf = (values: readonly number[]): number =>
  values.reduce((sum, one) => sum + Math.abs(one) * Number.EPSILON, 0)

function compared(baseline: Run, candidate: Run) {
  const others = casesOf(candidate)
  return casesOf(baseline).flatMap(one => {
    const other = others.find(
      two => two.case_id === one.case_id && two.nth === one.nth && two.repeat_idx === one.repeat_idx,
    )
    return other ? { ...one, other } : []
  })
}

const first = (one: Scenario): string | undefined => one.repeats.find(({ subject }) => subject)?.subject

test('comparisons are what follows from the scores', async () => {
  const [baseline, ...candidates] = (await Promise.all([newRun(), newRun(), newRun()])) as [Run, Run, Run]
  const ask = async (more: object) =>
    (
      await post('/evaluations/runs/compare', {
        comparison: { baseline_run_id: baseline.id, run_ids: candidates.map(({ id }) => id), ...more },
      })
    ).comparison
  const { runs } = await ask({})
  for (const [at, candidate] of candidates.entries()) {
    const pairs = compared(baseline, candidate)
    const cases = [...Map.groupBy(pairs, ({ case_id, nth }) => `${case_id} ${nth}`).values()]
    expect(runs[at].matched).toBe(cases.length)
    for (const [path, read] of Object.entries(VALUES)) {
      const values = cases.flatMap(of => {
        const both = of
          .map(({ repeat, other }) => [read(repeat), read(other.repeat)] as const)
          .filter((pair): pair is [number, number] => pair.every(value => value !== undefined))
        if (both.length === 0) return []
        const [one, two] = [mean(both.map(([one]) => one)), mean(both.map(([, two]) => two))]
        const isRounding = both.length > 1 && Math.abs(two - one) <= roundingOf(both.flat())
        return [[one, isRounding ? one : two] as const]
      })
      const found = runs[at].scores.find((one: any) => one.path === path)
      const wins = values.filter(([one, two]) => (path === DURATION ? two < one : two > one)).length
      const ties = values.filter(([one, two]) => two === one).length
      const largest = Math.max(1, ...values.flat().map(Math.abs))
      const near = (value: number) => expect.closeTo(value, 9 - Math.ceil(Math.log10(largest)))
      expect(found, `${at} ${path}`).toMatchObject({
        n: values.length,
        baseline_mean: near(mean(values.map(([one]) => one))),
        mean: near(mean(values.map(([, two]) => two))),
        difference: near(mean(values.map(([one, two]) => two - one))),
        wins,
        ties,
        losses: values.length - wins - ties,
      })
      const differenceOf = ({ repeat, other }: (typeof pairs)[number]): number => {
        const [one, two] = [read(repeat), read(other.repeat)]
        if (one === undefined || two === undefined) return Number.POSITIVE_INFINITY
        return path === DURATION ? one - two : two - one
      }
      const expected = pairs
        .toSorted(
          (one, two) =>
            (differenceOf(one) === differenceOf(two) ? 0 : differenceOf(one) - differenceOf(two)) ||
            (one.case_id < two.case_id ? -1 : one.case_id > two.case_id ? 1 : 0) ||
            one.nth - two.nth ||
            one.repeat_idx - two.repeat_idx,
        )
        .map(({ case_id, repeat_idx, scenario, repeat, other }) => {
          const [one, two] = [read(repeat), read(other.repeat)]
          const sideOf = (of: Scenario, at: Repeat) => {
            const trace_id = at.subject ?? first(of)
            return { scenario_id: of.id, ...(trace_id && { trace_id }) }
          }
          const scored = path === DURATION ? 'subject' : 'evaluator'
          return {
            ...(scenario.testcase ? { testcase_id: case_id } : { source_trace_id: case_id }),
            repeat_idx,
            run_id: candidate.id,
            baseline: sideOf(scenario, repeat),
            candidate: sideOf(other.scenario, other.repeat),
            scores: [
              {
                step_key: path === DURATION ? 'a' : 'e',
                path,
                ...(one !== undefined && { baseline: one }),
                ...(repeat[scored] && { baseline_trace_id: repeat[scored] }),
                ...(two !== undefined && { candidate: two }),
                ...(other.repeat[scored] && { candidate_trace_id: other.repeat[scored] }),
                ...(one !== undefined && two !== undefined && { difference: two - one }),
              },
            ],
          }
        })
      const cells: object[] = []
      const score = { step_key: path === DURATION ? 'a' : 'e', path }
      for (let offset = 0; offset <= expected.length; offset += 29) {
        const page = await ask({ scores: [score], cases: { run_id: candidate.id, score, offset, limit: 29 } })
        cells.push(...page.cases)
      }
      expect(cells, `${at} ${path}`).toEqual(expected)
    }
  }
})
