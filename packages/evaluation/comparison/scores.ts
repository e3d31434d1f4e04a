import { invalid } from '@spanhouse/model'
import type { ComparedRun } from '@spanhouse/query'
import { z } from '@spanhouse/validation'
import type { RunRow } from '../entities/rows.ts'
import type { StepMetrics } from '../metrics/measured-steps.ts'
import { type Step, stepsOf } from '../runs/run-data.ts'

/** The maximum number of scores that are compared at once. */
export const SCORES_MAX = 32

/** A score as a request names it: a step of the run, or of the baseline, and a path as in metrics. */
export const scoreName = z.object({ step_key: z.string(), path: z.string() })
export type ScoreName = z.output<typeof scoreName>

/** A value that two runs are compared by. */
export interface Score extends ScoreName {
  at: readonly string[]
  isBinary: boolean
  isHigherBetter: boolean
}

/** A run and what can be measured of it. */
export interface MeasuredRun {
  run: RunRow
  steps: readonly StepMetrics[]
}

const PREFIX = 'attributes.'
const COMPARED = new Set(['numeric/continuous', 'numeric/discrete', 'binary'])

/**
 * The values of a run that can be compared: numbers and booleans in outputs of evaluators, where more is better, then
 * the duration, errors, costs and tokens of the evaluated invocations, where less is better.
 */
function scoresOf({ steps }: MeasuredRun): Score[] {
  const scores = steps.flatMap(({ step, leaves }) =>
    leaves.flatMap(({ path, type }): Score[] => {
      const isAmount = path[1] === 'metrics'
      if (!COMPARED.has(type) || isAmount !== (step.type === 'invocation')) return []
      const name = { step_key: step.key, path: PREFIX + path.join('.') }
      return [{ ...name, at: path, isBinary: type === 'binary', isHigherBetter: !isAmount }]
    }),
  )
  return scores.sort((one, other) => Number(other.isHigherBetter) - Number(one.isHigherBetter))
}

/** The scores that are asked for, by default all. Throws a 400 for one that there is not, and for too many. */
export function chosenScores(baseline: MeasuredRun, asked: readonly ScoreName[] | undefined): Score[] {
  const all = scoresOf(baseline)
  const chosen = asked?.map(name => requiredScore(all, name)) ?? all
  if (chosen.length > SCORES_MAX)
    throw invalid(
      `scores: the runs have ${chosen.length} scores, and at most ${SCORES_MAX} are compared at once: name them`,
    )
  return chosen
}

/** The place of a score in a list. Throws a 400 if it is not there. */
export function requiredScore(scores: readonly Score[], { step_key, path }: ScoreName): Score {
  const found = scores.find(one => one.step_key === step_key && one.path === path)
  if (!found) throw invalid(`scores: the baseline has no score ${path} of the step ${step_key}`)
  return found
}

/** A run as a side of a comparison by scores of the baseline. */
export function comparedRun(run: RunRow, baseline: RunRow, scores: readonly Score[]): ComparedRun {
  const keysOf = (type: Step['type']): string[] => stepsOf(run).flatMap(step => (step.type === type ? [step.key] : []))
  return {
    run_id: run.id,
    inputs: keysOf('input'),
    invocations: keysOf('invocation'),
    traced: [...keysOf('invocation'), ...keysOf('annotation')],
    scores: scores.map(({ step_key, at, isBinary }) => ({
      step_key: sameStep(run, baseline, step_key)?.key,
      path: at,
      isBinary,
    })),
  }
}

/**
 * The step of a run that corresponds to a step of the baseline: by key, else by its revision, else the only invocation.
 */
function sameStep(run: RunRow, baseline: RunRow, key: string): Step | undefined {
  const of = stepsOf(baseline).find(step => step.key === key)
  const alike = stepsOf(run).filter(({ type }) => type === of?.type)
  const byKey = alike.find(step => step.key === key)
  if (byKey || !of) return byKey
  if (of.type === 'invocation') return alike.length === 1 ? alike[0] : undefined
  const { evaluator_revision, evaluator } = of.references
  return (
    alike.find(({ references }) => isSame(references.evaluator_revision?.id, evaluator_revision?.id)) ??
    alike.find(({ references }) => isSame(references.evaluator?.id, evaluator?.id))
  )
}

const isSame = (one: string | undefined, other: string | undefined): boolean => one !== undefined && one === other
