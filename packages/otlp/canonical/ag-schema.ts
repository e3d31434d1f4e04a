import {
  integerToJson,
  isJsonObject,
  isRawJson,
  type Json,
  numberOf,
  parseUuid,
  REFERENCE_KEYS,
  SPAN_TYPES,
  TRACE_TYPES,
} from '@spanhouse/model'
import { parseObjectText } from '../json/json-text.ts'

/** Checks one value, never null: returns the value to store, or undefined if it does not fit. */
export type Fit = (value: Json) => Json | undefined

/**
 * What one place under `ag` may contain. `fit` parks a value that does not fit its rule, that value alone, under
 * `ag.unsupported` at its path.
 *
 * - `value`: one value, checked as a whole.
 * - `amount`: a number, or an object that has one as `total`, `count` or `value`.
 * - `members`: an object with these members and no others.
 * - `leaves`: an object with any keys, nested (unless `isFlat`), all of whose leaves fit.
 */
export type Rule =
  | { kind: 'value'; fit: Fit }
  | { kind: 'amount' }
  | { kind: 'members'; members: ReadonlyMap<string, Rule> }
  | { kind: 'leaves'; fit: Fit; isFlat: boolean }

const value = (fit: Fit): Rule => ({ kind: 'value', fit })
const members = (rules: Record<string, Rule>): Rule => ({ kind: 'members', members: new Map(Object.entries(rules)) })
const leaves = (fit: Fit): Rule => ({ kind: 'leaves', fit, isFlat: false })

const anything: Fit = any => any
const object: Fit = any => (isJsonObject(any) ? any : undefined)
const objectOrItsText: Fit = any => (typeof any === 'string' ? parseObjectText(any) : object(any))
const text: Fit = any => (typeof any === 'string' ? any : undefined)
const oneOf =
  (words: readonly string[]): Fit =>
  any =>
    typeof any === 'string' && words.includes(any) ? any : undefined

/** More digits than any counter has, and few enough to convert quickly. */
const INTEGER = /^-?\d{1,40}$/
const DECIMAL = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/

/** A number, or the decimal text of one. */
export const numeric: Fit = any => {
  if (typeof any !== 'string') return numberOf(any) === undefined ? undefined : any
  if (INTEGER.test(any)) return integerToJson(BigInt(any))
  return DECIMAL.test(any) && Number.isFinite(Number(any)) ? Number(any) : undefined
}

const flag: Fit = any => {
  if (any === 0 || any === 1) return any === 1
  return typeof any === 'boolean' ? any : text(any)
}

const uuid: Fit = any => (typeof any === 'string' ? (parseUuid(any) ?? undefined) : undefined)

const SLUG = /^[\w-][\w.-]*$/
const slug: Fit = any => (typeof any === 'string' && SLUG.test(any) ? any : undefined)

const version: Fit = any => {
  if (typeof any === 'number') return String(any)
  return isRawJson(any) ? any.rawJSON : text(any)
}

/** The identity of an entity, under one of the reference keys. */
export const REFERENCE = members({ id: value(uuid), slug: value(slug), version: value(version) })

const identified = members({ id: value(text) })
const amounts = members({ cumulative: { kind: 'amount' }, incremental: { kind: 'amount' } })
const amountTrees = members({ cumulative: leaves(numeric), incremental: leaves(numeric) })

/** Everything that `ag` may contain, apart from `unsupported`. */
export const AG = members({
  type: members({ trace: value(oneOf(TRACE_TYPES)), span: value(oneOf(SPAN_TYPES)) }),
  data: members({
    inputs: value(objectOrItsText),
    parameters: value(objectOrItsText),
    internals: value(objectOrItsText),
    outputs: value(anything),
  }),
  metrics: members({ duration: amounts, errors: amounts, tokens: amountTrees, costs: amountTrees }),
  references: members(Object.fromEntries(REFERENCE_KEYS.map(key => [key, REFERENCE]))),
  session: identified,
  user: identified,
  agent: identified,
  flags: leaves(flag),
  tags: leaves(flag),
  meta: value(object),
  exception: value(object),
  selector: { kind: 'leaves', fit: text, isFlat: true },
})
