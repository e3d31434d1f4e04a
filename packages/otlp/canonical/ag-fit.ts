import { isJsonObject, type Json, type JsonObject, numberOf } from '@spanhouse/model'
import type { Rule } from './ag-schema.ts'
import { getOwn, setOwn } from './own-property.ts'
import type { Parking } from './parking.ts'

/**
 * The parts of a value that fit a rule; undefined if none do. The rest is parked, leaf by leaf. `path` is the value's
 * place in `ag`; it is unchanged after the call. Null counts as absent.
 */
export function fit(rule: Rule, value: Json, path: string[], parking: Parking): Json | undefined {
  if (value === null) return undefined
  if (rule.kind === 'value') return orParked(rule.fit(value), value, path, parking)
  if (rule.kind === 'amount') return fitAmount(value, path, parking)
  return isJsonObject(value) ? fitObject(rule, value, path, parking) : orParked(undefined, value, path, parking)
}

function orParked(fitting: Json | undefined, value: Json, path: readonly string[], parking: Parking): Json | undefined {
  if (fitting === undefined) parking.park(path, value)
  return fitting
}

type ObjectRule = Extract<Rule, { kind: 'members' | 'leaves' }>

/**
 * An object without fitting members is absent, except an empty one of leaves. An object that fits unchanged, as most
 * do, is not copied.
 */
function fitObject(rule: ObjectRule, value: JsonObject, path: string[], parking: Parking): JsonObject | undefined {
  let fitting = value
  let sentCount = 0
  let count = 0
  for (const key in value) {
    const sent = value[key] as Json
    path.push(key)
    const member = fitMember(rule, sent, path, parking)
    path.pop()
    if (member !== sent && fitting === value) fitting = firstOf(value, sentCount)
    sentCount++
    if (member === undefined) continue
    if (fitting !== value) setOwn(fitting, key, member)
    count++
  }
  const mayBeEmpty = rule.kind === 'leaves' && sentCount === 0
  return count > 0 || mayBeEmpty ? fitting : undefined
}

/** The last element of the path is the member's key. */
function fitMember(rule: ObjectRule, value: Json, path: string[], parking: Parking): Json | undefined {
  if (rule.kind === 'members') {
    const known = rule.members.get(path.at(-1) as string)
    return known ? fit(known, value, path, parking) : orParked(undefined, value, path, parking)
  }
  if (isJsonObject(value) && !rule.isFlat) return fitObject(rule, value, path, parking)
  return value === null ? undefined : orParked(rule.fit(value), value, path, parking)
}

function firstOf(value: JsonObject, count: number): JsonObject {
  const copy: JsonObject = {}
  let left = count
  for (const key in value) if (left-- > 0) setOwn(copy, key, value[key] as Json)
  return copy
}

const AMOUNT_KEYS = ['total', 'count', 'value']

function fitAmount(value: Json, path: string[], parking: Parking): Json | undefined {
  if (!isJsonObject(value)) return orParked(numberOf(value) === undefined ? undefined : value, value, path, parking)
  const key = AMOUNT_KEYS.find(one => numberOf(getOwn(value, one)) !== undefined)
  if (key === undefined) return orParked(undefined, value, path, parking)
  const { [key]: amount, ...rest } = value
  for (const other of Object.keys(rest)) parking.park([...path, other], rest[other] as Json)
  return amount
}
