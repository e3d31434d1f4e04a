import { answered, type Spanhouse } from '@spanhouse/client'
import { UsageError } from '../usage-error.ts'
import type { Result } from './result.ts'

/** The least that a score must be. */
export interface Threshold {
  key: string
  least: number
}

/** `KEY=VALUE` each. */
export const parseThresholds = (texts: readonly string[]): Threshold[] =>
  texts.map(text => {
    const at = text.lastIndexOf('=')
    const least = Number(text.slice(at + 1) || Number.NaN)
    if (at < 1 || !Number.isFinite(least)) throw new UsageError(`--fail-under ${text}: not KEY=VALUE with a number.`)
    return { key: text.slice(0, at), least }
  })

/** Why a run does not pass: it did not succeed, or a score is too low, missing or ambiguous. */
export function failuresOf({ run_id, status, scores }: Result, thresholds: readonly Threshold[]): string[] {
  const below = thresholds.flatMap(({ key, least }) => {
    const named = scores.filter(({ step, output }) => output === key || `${step}:${output}` === key)
    if (named.length > 1) return [`${key}: several evaluators have it: ${named.map(score => score.key).join(', ')}`]
    const [score] = named
    if (!score) return [`${key}: the run has no such score`]
    return score.value < least ? [`${key}: ${score.value} is below ${least}`] : []
  })
  return [...(status === 'success' ? [] : [`The run ${run_id} has the status ${status}.`]), ...below]
}

/** The scores that are significantly worse than in another run. */
export async function regressionsOf(spanhouse: Spanhouse, run_id: string, baseline_run_id: string): Promise<string[]> {
  const body = { comparison: { baseline_run_id, run_ids: [run_id], cases: { limit: 0 } } }
  const { comparison } = await answered(spanhouse.POST('/evaluations/runs/compare', { body }))
  const scores = comparison.runs.flatMap(run => run.scores)
  return scores.flatMap(({ step_key, path, better, difference = 0, verdict }) => {
    const isWorse = difference > 0 !== (better === 'higher')
    return verdict !== undefined && isWorse ? [`${step_key} ${path}: ${verdict}, compared with ${baseline_run_id}`] : []
  })
}
