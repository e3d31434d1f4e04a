import type { ComparedCase, ComparedScore, Run } from '../../api/evaluations.ts'
import { formatCost, formatCount, formatDuration, formatScore, formatShare } from '../../format/format.ts'
import { columnsOf, OUTPUTS } from '../table/case-model.ts'

const METRICS = 'attributes.ag.metrics.'

const AMOUNTS: Readonly<Record<string, { title: string; format: (value: number) => string }>> = {
  'duration.cumulative': { title: 'Duration', format: value => formatDuration(value) },
  'errors.cumulative': { title: 'Errors', format: formatScore },
  'costs.cumulative.total': { title: 'Cost', format: value => (value === 0 ? '$0' : formatCost(value)) },
  'tokens.cumulative.total': { title: 'Tokens', format: value => formatCount(Math.round(value)) },
}

type Named = Pick<ComparedScore, 'step_key' | 'path'>
/** What says how the values of a score are written. */
type Measured = Pick<ComparedScore, 'path' | 'test'>
type Change = Pick<ComparedCase['scores'][number], 'baseline' | 'candidate' | 'difference'>

const amountOf = ({ path }: Pick<Measured, 'path'>) => AMOUNTS[path.slice(METRICS.length)]

/** Whether it is pass or fail, which the sign test compares; means are shares then. */
const isVerdict = (score: Measured): boolean => score.test === 'sign' && amountOf(score) === undefined

/** What a score of a comparison is called, in their order. */
export function titlesOf(baseline: Run, scores: readonly Named[]): string[] {
  const outputs = columnsOf(
    baseline,
    scores.filter(({ path }) => path.startsWith(OUTPUTS)),
  )
  return scores.map(({ step_key, path }) => {
    const own = outputs.find(one => one.step_key === step_key && one.path === path)
    return own?.title ?? amountOf({ path })?.title ?? path
  })
}

/** A value of a score, in its unit. */
export const formatMeasure = (score: Measured, value: number): string =>
  (amountOf(score)?.format ?? (isVerdict(score) ? formatShare : formatScore))(value)

/** A difference of a score, with its sign; that of shares in percentage points. */
export function formatChange(score: Measured, value: number): string {
  if (value === 0) return '0'
  const size = Math.abs(value)
  const shown = isVerdict(score) ? `${formatScore(size * 100)} points` : formatMeasure(score, size)
  return `${value > 0 ? '+' : '−'}${shown}`
}

/** How a score of one case changed: of pass and fail both, because no difference does not say which. */
export function formatCaseChange(score: Measured, { baseline = 0, candidate = 0, difference = 0 }: Change): string {
  const marks = [baseline, candidate].flatMap(value => MARKS[value] ?? [])
  return isVerdict(score) && marks.length === 2 ? marks.join(' → ') : formatChange(score, difference)
}

/** Of fail and pass. */
const MARKS = ['✗', '✓']

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
