import { invalid, type Uuid } from '@spanhouse/model'
import type { RunScore } from '@spanhouse/query'
import { type Engine, type NumberSummary, readScoreSummaries } from '@spanhouse/span-store'
import { exactInterval } from '../comparison/binomial.ts'
import type { RunRow } from '../entities/rows.ts'
import { copyRun } from '../metrics/copy.ts'
import { measuredStepsOf } from '../metrics/measured-steps.ts'
import { stepsOf } from '../runs/run-data.ts'
import type { MetricType } from '../runs/schema-leaves.ts'
import type { Scope } from '../scope.ts'
import { type FailureGroup, findFailures } from './failures.ts'
import { meanInterval } from './mean-interval.ts'

/** Values of a score that are counted together: one value, or an interval, which includes its start. */
export type Bin = { value: number | boolean | string; count: number } | { from: number; to: number; count: number }

/** How a score of a run is distributed over its cells. */
export interface ScoreSummary {
  step_key: string
  /** As in metrics: `attributes.ag.data.outputs.…` */
  path: string
  type: MetricType
  count: number
  /** Of numbers, and the share of true. Repeats of a case are one value of it: their mean. */
  mean?: number
  /**
   * The 95 % interval of the mean: exact for true and false, otherwise by Student's distribution. Repeats are alike, and
   * many of them would make few cases look certain.
   */
  interval?: [low: number, high: number]
  bins: Bin[]
}

/** What the table of a run is headed by. */
export interface RunScoresAnswer {
  run_id: Uuid
  /** USD, of the traces of all cells so far. */
  costs: number
  scores: ScoreSummary[]
  failures: FailureGroup[]
}

const FORMS: Partial<Record<MetricType, RunScore['form']>> = {
  'numeric/continuous': 'number',
  'numeric/discrete': 'number',
  binary: 'binary',
  'categorical/single': 'word',
}
/** The scores of a run that are summarised; those of further outputs are left out. */
const SCORES_MAX = 32

type TypedScore = RunScore & { type: MetricType }

const pathText = (path: readonly string[]): string => `attributes.${path.join('.')}`

/** The outputs of a run's evaluators that have numbers, true and false, or one of a set of words. */
async function scoresOf(scope: Scope, engine: Engine, run: RunRow): Promise<TypedScore[]> {
  await copyRun({ db: scope.db, engine }, { project_id: scope.project_id, id: run.id })
  const { steps } = await measuredStepsOf(scope, engine, run)
  const scores = steps.flatMap(({ step, leaves }) =>
    leaves.flatMap(({ path, type }): TypedScore[] => {
      const form = FORMS[type]
      return form && path[1] === 'data' ? [{ step_key: step.key, path, form, type }] : []
    }),
  )
  return scores.slice(0, SCORES_MAX)
}

/** A score of a run by its name. Throws a 400 for one that the run does not have. */
export async function requiredRunScore(
  scope: Scope,
  engine: Engine,
  { run, step_key, path }: { run: RunRow; step_key: string; path: string },
): Promise<RunScore> {
  const scores = await scoresOf(scope, engine, run)
  const found = scores.find(score => score.step_key === step_key && pathText(score.path) === path)
  if (!found) throw invalid(`score: the run has no score ${path.slice(0, 200)} of the step ${step_key.slice(0, 200)}`)
  return found
}

/**
 * How the scores of a run are distributed, what it has cost, and why cells failed; of what is stored at this moment.
 */
export async function summariseScores(scope: Scope, engine: Engine, run: RunRow): Promise<RunScoresAnswer> {
  const scores = await scoresOf(scope, engine, run)
  const keys = stepsOf(run).flatMap(({ key, type }) => (type === 'input' ? [] : [key]))
  const place = { project_id: scope.project_id, run_id: run.id }
  const [{ costs, numbers, words }, failures] = await Promise.all([
    readScoreSummaries(engine, place, { scores, keys }),
    findFailures(scope, run.id),
  ])
  const summaries = scores.map(({ step_key, path, type, form }, index): ScoreSummary => {
    const name = { step_key, path: pathText(path), type }
    if (form !== 'word') return { ...name, ...numbersOf(form, numbers[index]) }
    const { count = 0, most = [] } = words[index] ?? {}
    return { ...name, count, bins: most.map(({ word, count }) => ({ value: word, count })) }
  })
  return { run_id: run.id, costs, scores: summaries, failures }
}

type Distribution = Omit<ScoreSummary, 'step_key' | 'path' | 'type'>

function numbersOf(form: 'number' | 'binary', summary: NumberSummary | undefined): Distribution {
  if (!summary || summary.count === 0) return { count: 0, bins: [] }
  const { count, bins, cases } = summary
  const { mean } = cases
  if (form === 'number') {
    const interval = meanInterval(cases)
    const shown = bins.map(bin => (bin.from === bin.to ? { value: bin.from, count: bin.count } : bin))
    return { count, mean, ...(interval && { interval }), bins: shown }
  }
  const passed = bins.find(({ from }) => from === 1)?.count ?? 0
  return {
    count,
    mean,
    interval: shareInterval(cases),
    bins: [
      { value: true, count: passed },
      { value: false, count: count - passed },
    ],
  }
}

/**
 * The exact interval, to the outside where repeats make shares of cases: numbers from 0 to 1 are spread less than zeros
 * and ones of the same mean.
 */
function shareInterval({ count, mean }: NumberSummary['cases']): [low: number, high: number] {
  const passed = Number((mean * count).toPrecision(12))
  return [exactInterval(Math.floor(passed), count)[0], exactInterval(Math.ceil(passed), count)[1]]
}
