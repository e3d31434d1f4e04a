import type { Measure } from '../analytics/analytics-spec.ts'
import { attributePlace } from '../compile/place.ts'

/** What is measured of root spans: the values at a path. */
export interface StepMeasure {
  readonly path: readonly string[]
  readonly type: Measure
}

/** A step that leaves traces, and what is measured of their root spans. */
export interface MeasuredStep {
  readonly key: string
  readonly measures: readonly StepMeasure[]
}

/**
 * The lists in which a statement gathers values: `amount` are numbers in typed columns, the others are values in the
 * span's data, by the type of the measure.
 */
export type Family = 'amount' | Measure

/** The nth values of a family: each step has its own path there, or none. */
export type SlotPaths = readonly { readonly path: readonly string[]; readonly steps: readonly string[] }[]

/** Where the row of a measure stands: the nth of those of its type. */
export interface Slot {
  readonly type: Measure
  readonly at: number
}

/**
 * Steps share slots: the first boolean of one step and the first boolean of another are gathered by the same
 * expression, since a statement takes longer to analyse the more expressions it has, however few rows it reads.
 */
export interface MeasureSlots {
  readonly families: ReadonlyMap<Family, readonly SlotPaths[]>
  /** The slots of a step's measures, in their order. */
  readonly slotsOf: (step: MeasuredStep) => Slot[]
}

type Growing = Map<string, { path: readonly string[]; steps: string[] }>[]

export function planSlots(steps: readonly MeasuredStep[]): MeasureSlots {
  const families = new Map<Family, Growing>()
  for (const step of steps)
    for (const { family, nth, path } of placed(step)) {
      const slots = families.get(family) ?? []
      families.set(family, slots)
      slots[nth] ??= new Map()
      const id = JSON.stringify(path)
      const known = slots[nth].get(id)
      if (known) known.steps.push(step.key)
      else slots[nth].set(id, { path, steps: [step.key] })
    }
  // Amounts are the first of the numbers.
  const amounts = families.get('amount')?.length ?? 0
  return {
    families: new Map([...families].map(([family, slots]) => [family, slots.map(one => [...one.values()])])),
    slotsOf: step =>
      placed(step).map(({ family, nth, type }) => ({
        type,
        at: family === 'numeric/continuous' ? amounts + nth : nth,
      })),
  }
}

/** The measures of a step with their family, and which of it they are. */
function placed({ measures }: MeasuredStep): (StepMeasure & { family: Family; nth: number })[] {
  const counts = new Map<Family, number>()
  return measures.map(measure => {
    const family = familyOf(measure)
    const nth = counts.get(family) ?? 0
    counts.set(family, nth + 1)
    return { ...measure, family, nth }
  })
}

const familyOf = ({ path, type }: StepMeasure): Family =>
  type === 'numeric/continuous' && attributePlace(path).column?.type === 'number' ? 'amount' : type
