import type { Json } from '@spanhouse/model'
import type { Operator } from './filter/fields.ts'

/** One condition as it was sent, its shape checked, its meaning not yet. */
export interface RawCondition {
  readonly field: string
  readonly operator: Operator
  /** Empty when absent. */
  readonly key: string
  /** Null when absent. */
  readonly value: Json
  readonly options: Options
  readonly count: Count
}

/** Counts parts of a filter as conditions, one unless told; throws when there are too many. */
export type Count = (conditions?: number) => void

export interface Options {
  readonly caseSensitive: boolean
  readonly exactMatch: boolean
  readonly all: boolean
}
