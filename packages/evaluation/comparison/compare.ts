import { invalid, Problem, type Uuid } from '@spanhouse/model'
import { Ended, ThreadPool } from '@spanhouse/runtime'
import { type CaseSide, type ComparedCase, type Engine, readComparedCases, readComparison } from '@spanhouse/span-store'
import { list, optional, uuid, z } from '@spanhouse/validation'
import { findRows } from '../entities/select.ts'
import { copyRun } from '../metrics/copy.ts'
import { measuredStepsOf } from '../metrics/measured-steps.ts'
import type { Scope } from '../scope.ts'
import {
  chosenScores,
  comparedRun,
  type MeasuredRun,
  requiredScore,
  SCORES_MAX,
  type Score,
  scoreName,
} from './scores.ts'
import { comparePairs, holm, type PairedStatistics, type PairedValues } from './statistics.ts'

/** Runs that are compared with the baseline in one call. */
const CANDIDATES_MAX = 4
/** Cases of one page. */
const CASES_MAX = 1_000
const CASES_DEFAULT = 50

/** A comparison of runs with a baseline, and a page of its cases. */
export const comparison = z.object({
  baseline_run_id: uuid,
  run_ids: list(uuid, { max: CANDIDATES_MAX }),
  /** By default all. */
  scores: optional(list(scoreName, { max: SCORES_MAX })),
  /** Which cases: by default those of the first run, in the order of the first score. */
  cases: optional(
    z.object({
      run_id: optional(uuid),
      score: optional(scoreName),
      scenario_ids: optional(list(uuid, { max: CASES_MAX })).meta({
        description: 'Only the cases of these scenarios of the baseline.',
      }),
      offset: optional(z.int().min(0)),
      limit: optional(z.int().min(0).max(CASES_MAX)),
    }),
  ),
})
export type ComparisonQuery = z.output<typeof comparison>

/** One score of one run, compared with the baseline. */
export interface ScoreComparison extends PairedStatistics {
  step_key: string
  path: string
  better: 'higher' | 'lower'
  /** Holm's correction of `p_value` for all scores and runs of the call. */
  p_adjusted: number
  /** Absent unless the difference is real: `p_adjusted` is below 5 %, and the mean is of the direction of most cases. */
  verdict?: string
}

export interface RunComparison {
  run_id: Uuid
  /** Cases of both runs, each with its repeats. */
  matched: number
  scores: ScoreComparison[]
}

export interface ComparedRuns {
  baseline_run_id: Uuid
  runs: RunComparison[]
  cases: object[]
}

const pool = new ThreadPool<PairedValues[], PairedStatistics[]>({
  module: new URL('./compare-thread.ts', import.meta.url),
  threadsMax: 1,
  waitingMax: 100,
  overloaded: 'Too many runs are being compared.',
})
const COMPARE_TIME_MAX_MS = 8_000
/** Fewer pairs take less time than the way to a thread. */
const PAIRS_ON_LOOP_MAX = 200

/**
 * Compares runs with a baseline, case by case. Throws a 404 for a run that does not exist, and a 400 for a score that
 * the baseline does not have.
 */
export async function compareRuns(scope: Scope, engine: Engine, query: ComparisonQuery): Promise<ComparedRuns> {
  if (query.run_ids.length === 0) throw invalid('run_ids: name at least one run to compare with the baseline')
  const measured = await measuredRuns(scope, engine, [query.baseline_run_id, ...query.run_ids])
  const baseline = measured.get(query.baseline_run_id) as MeasuredRun
  const candidates = [...new Set(query.run_ids)].map(id => measured.get(id) as MeasuredRun)
  const scores = chosenScores(baseline, query.scores)
  const compared = { scope, baseline, candidates, scores }
  const [runs, cases] = await Promise.all([comparisonsOf(engine, compared), casesOf(engine, query, compared)])
  judge(runs)
  return { baseline_run_id: baseline.run.id, runs, cases }
}

/** What is compared. */
interface Compared {
  scope: Scope
  baseline: MeasuredRun
  candidates: readonly MeasuredRun[]
  scores: readonly Score[]
}

async function comparisonsOf(
  engine: Engine,
  { scope: { project_id }, baseline, candidates, scores }: Compared,
): Promise<RunComparison[]> {
  const base = comparedRun(baseline.run, baseline.run, scores)
  const runs: RunComparison[] = []
  for (const { run } of candidates) {
    const pair = { project_id, baseline: base, candidate: comparedRun(run, baseline.run, scores) }
    const { matched, pairs } = await readComparison(engine, pair)
    const values = scores.map((score, index) => valuesOf(score, pairs[index] ?? []))
    const statistics = await statisticsOf(project_id, values)
    runs.push({ run_id: run.id, matched, scores: statistics.map((one, index) => scored(scores[index] as Score, one)) })
  }
  return runs
}

async function measuredRuns(scope: Scope, engine: Engine, ids: readonly Uuid[]): Promise<Map<Uuid, MeasuredRun>> {
  const rows = new Map((await findRows(scope, 'runs', ids)).map(row => [row.id, row]))
  const measured = new Map<Uuid, MeasuredRun>()
  for (const id of new Set(ids)) {
    const run = rows.get(id)
    if (!run) throw new Problem('not_found', { message: `The run ${id} does not exist.`, run_id: id })
    await copyRun({ db: scope.db, engine }, { project_id: scope.project_id, id })
    const { steps } = await measuredStepsOf(scope, engine, run)
    measured.set(id, { run, steps })
  }
  return measured
}

const valuesOf = ({ isBinary, isHigherBetter }: Score, pairs: readonly [number, number][]): PairedValues => ({
  isBinary,
  isHigherBetter,
  baseline: pairs.map(([one]) => one),
  candidate: pairs.map(([, other]) => other),
})

async function statisticsOf(owner: Uuid, values: PairedValues[]): Promise<PairedStatistics[]> {
  if (values.every(({ baseline }) => baseline.length <= PAIRS_ON_LOOP_MAX)) return values.map(comparePairs)
  const answer = await pool.ask(values, { owner, timeMaxMs: COMPARE_TIME_MAX_MS })
  if (!(answer instanceof Ended)) return answer
  throw new Problem(
    'query_timeout',
    `The runs have too many values to be compared within ${COMPARE_TIME_MAX_MS / 1000} s.`,
  )
}

const scored = ({ step_key, path, isHigherBetter }: Score, statistics: PairedStatistics): ScoreComparison => ({
  step_key,
  path,
  better: isHigherBetter ? 'higher' : 'lower',
  ...statistics,
  p_adjusted: 1,
})

/** A difference is called real at this level, corrected for all scores and runs of a call. */
const LEVEL = 0.05

/** Corrects for the number of scores, and says in words what is real. */
function judge(runs: readonly RunComparison[]): void {
  const all = runs.flatMap(({ scores }) => scores)
  const adjusted = holm(all.map(({ p_value }) => p_value))
  for (const [index, score] of all.entries()) {
    score.p_adjusted = adjusted[index] as number
    if (score.p_adjusted >= LEVEL || !isOfOneDirection(score)) continue
    score.verdict = verdictOf(score)
    delete score.cases_needed
  }
}

/**
 * Whether the mean says what the test says. The sign test counts cases: of shares of repeats, many may be a little
 * better and few so much worse that the mean is lower, or the same.
 */
const isOfOneDirection = ({ test, better, difference = 0, wins, losses }: ScoreComparison): boolean =>
  test === 'permutation' || (difference !== 0 && wins > losses === (difference > 0 === (better === 'higher')))

function verdictOf({ better, difference = 0, interval = [0, 0], p_adjusted }: ScoreComparison): string {
  const isBetter = difference > 0 === (better === 'higher')
  const [low, high] = interval.map(shown)
  const by = `${difference > 0 ? '+' : ''}${shown(difference)}`
  return `${isBetter ? 'better' : 'worse'}: ${by} (95 % interval ${low} to ${high}, p = ${shown(p_adjusted)})`
}

const shown = (value: number): string => String(Number(value.toPrecision(3)))

async function casesOf(
  engine: Engine,
  { cases }: ComparisonQuery,
  { scope: { project_id }, baseline, candidates, scores }: Compared,
): Promise<object[]> {
  const { run_id, score, scenario_ids, offset = 0, limit = CASES_DEFAULT } = cases ?? {}
  const { run } = (run_id ? candidates.find(one => one.run.id === run_id) : candidates[0]) ?? {}
  if (!run) throw invalid('cases.run_id: it is not among run_ids')
  const order = score ? requiredScore(scores, score) : scores[0]
  if (!order) return []
  const pair = {
    project_id,
    baseline: comparedRun(baseline.run, baseline.run, scores),
    candidate: comparedRun(run, baseline.run, scores),
  }
  const page = { score: scores.indexOf(order), isHigherBetter: order.isHigherBetter, scenario_ids, offset, limit }
  const rows = limit === 0 ? [] : await readComparedCases(engine, pair, page)
  return rows.map(row => shownCase(row, run.id, scores))
}

function shownCase(row: ComparedCase, run_id: Uuid, scores: readonly Score[]): object {
  const { case_id, is_testcase, repeat_idx, baseline, candidate } = row
  return {
    ...(is_testcase ? { testcase_id: case_id } : { source_trace_id: case_id }),
    repeat_idx,
    run_id,
    baseline: shownSide(baseline),
    candidate: shownSide(candidate),
    scores: scores.map(({ step_key, path }, index) => ({
      step_key,
      path,
      ...valueAt('baseline', baseline, index),
      ...valueAt('candidate', candidate, index),
      ...differenceAt(baseline.values[index], candidate.values[index]),
    })),
  }
}

const shownSide = ({ scenario_id, trace_id }: CaseSide): object => ({ scenario_id, ...(trace_id && { trace_id }) })

function valueAt(side: 'baseline' | 'candidate', { values, trace_ids }: CaseSide, index: number): object {
  const [value, trace_id] = [values[index], trace_ids[index]]
  return { ...(value != null && { [side]: value }), ...(trace_id && { [`${side}_trace_id`]: trace_id }) }
}

function differenceAt(one: number | null | undefined, other: number | null | undefined): object {
  const difference = one == null || other == null ? Number.NaN : other - one
  return Number.isFinite(difference) ? { difference } : {}
}
