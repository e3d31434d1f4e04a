import type { ComparedScore, Run } from '../../api/evaluations.ts'
import { formatCost, formatCount, formatDuration } from '../../format/format.ts'
import { columnsOf, OUTPUTS } from '../table/case-model.ts'
import { formatScore, formatShare } from '../table/score-value.tsx'

const METRICS = 'attributes.ag.metrics.'

const AMOUNTS: Readonly<Record<string, { title: string; format: (value: number) => string }>> = {
  'duration.cumulative': { title: 'Duration', format: value => formatDuration(value) },
  'errors.cumulative': { title: 'Errors', format: formatScore },
  'costs.cumulative.total': { title: 'Cost', format: value => (value === 0 ? '$0' : formatCost(value)) },
  'tokens.cumulative.total': { title: 'Tokens', format: value => formatCount(Math.round(value)) },
}

type Named = Pick<ComparedScore, 'step_key' | 'path'>
/** What says how the values of a score are written: pass and fail, which the sign test compares, as shares. */
type Measured = Pick<ComparedScore, 'path' | 'test'>

/** What a score of a comparison is called, in their order. */
export function titlesOf(baseline: Run, scores: readonly Named[]): string[] {
  const outputs = columnsOf(
    baseline,
    scores.filter(({ path }) => path.startsWith(OUTPUTS)),
  )
  return scores.map(({ step_key, path }) => {
    const own = outputs.find(one => one.step_key === step_key && one.path === path)
    return own?.title ?? AMOUNTS[path.slice(METRICS.length)]?.title ?? path
  })
}

/** A value of a score, in its unit. */
export const formatMeasure = ({ path, test }: Measured, value: number): string =>
  (AMOUNTS[path.slice(METRICS.length)]?.format ?? (test === 'sign' ? formatShare : formatScore))(value)

/** A difference of a score, with its sign. */
export const formatChange = (score: Measured, value: number): string =>
  value === 0 ? '0' : `${value > 0 ? '+' : '−'}${formatMeasure(score, Math.abs(value))}`

/** Which way a difference points: `better`, `worse`, or neither. */
export const directionOf = (
  { better }: Pick<ComparedScore, 'better'>,
  difference: number | undefined,
): 'better' | 'worse' | undefined => {
  if (difference === undefined || difference === 0) return undefined
  return difference > 0 === (better === 'higher') ? 'better' : 'worse'
}

export const isSameScore = (one: Named, other: Named | undefined): boolean =>
  one.step_key === other?.step_key && one.path === other.path
