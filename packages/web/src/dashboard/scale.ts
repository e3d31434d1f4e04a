/** The scale of the values of a chart, from zero. */
export interface Scale {
  max: number
  /** Between the lines, from which the chart chooses; undefined: any. */
  steps: number[] | undefined
  label: (value: number) => string
}

const WHOLE_STEPS = Array.from({ length: 16 }, (_, digits) => [1, 2, 5].map(one => one * 10 ** digits)).flat()

/** Nothing lies between two whole values, and a chart without values has no label but its zero. */
export function scaleOf(values: readonly (number | null)[], format: (value: number) => string): Scale {
  const known = values.filter(value => value !== null)
  const highest = known.reduce((high, value) => Math.max(high, value), 0)
  return {
    max: highest || 1,
    steps: known.every(Number.isInteger) ? WHOLE_STEPS : undefined,
    label: value => (highest > 0 || value === 0 ? format(value) : ''),
  }
}
