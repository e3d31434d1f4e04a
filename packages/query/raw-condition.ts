import type { Json } from '@spanhouse/model'
import type { Operator } from './filter/fields.ts'

/** A condition as sent, with its shape checked but not its meaning. */
export interface RawCondition {
  readonly field: string
  readonly operator: Operator
  /** Empty if absent. */
  readonly key: string
  /** Null if absent. */
  readonly value: Json
  readonly options: Options
  readonly count: Count
}

/** Counts parts of a filter as conditions, one by default; throws if there are too many. */
export type Count = (conditions?: number) => void

export interface Options {
  readonly caseSensitive: boolean
  readonly exactMatch: boolean
  readonly all: boolean
}
