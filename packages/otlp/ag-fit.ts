import { isJsonObject, type Json, type JsonObject, numberOf } from '@spanhouse/model'
import type { Fit, Rule } from './ag-schema.ts'
import { getOwn, setOwn } from './own-property.ts'
import type { Parking } from './parking.ts'

/**
 * What of a value fits a rule; undefined when nothing does. The rest is parked, leaf by leaf. `path` is where the
 * value stands in `ag`; it is the same again after the call. Null counts as absent.
 */
export function fit(rule: Rule, value: Json, path: string[], parking: Parking): Json | undefined {
  if (value === null) return undefined
  if (rule.kind === 'value') return orParked(rule.fit(value), value, path, parking)
  if (rule.kind === 'amount') return fitAmount(value, path, parking)
  if (!isJsonObject(value)) return orParked(undefined, value, path, parking)
  return rule.kind === 'members'
    ? fitMembers(rule.members, value, path, parking)
    : fitLeaves(rule, value, path, parking)
}

function orParked(fitting: Json | undefined, value: Json, path: readonly string[], parking: Parking): Json | undefined {
  if (fitting === undefined) parking.park(path, value)
  return fitting
}

/** An object of which no member fits is absent. */
function fitMembers(
  members: ReadonlyMap<string, Rule>,
  value: JsonObject,
  path: string[],
  parking: Parking,
): JsonObject | undefined {
  let fitting: JsonObject | undefined
  for (const key of Object.keys(value)) {
    path.push(key)
    const rule = members.get(key)
    const member = rule
      ? fit(rule, value[key] as Json, path, parking)
      : orParked(undefined, value[key] as Json, path, parking)
    path.pop()
    if (member === undefined) continue
    fitting ??= {}
    fitting[key] = member
  }
  return fitting
}

/** An object without any leaf stays; one of which no leaf fits is absent. */
function fitLeaves(
  rule: { fit: Fit; isFlat: boolean },
  value: JsonObject,
  path: string[],
  parking: Parking,
): JsonObject | undefined {
  const keys = Object.keys(value)
  const fitting: JsonObject = {}
  let isEmpty = keys.length > 0
  for (const key of keys) {
    const leaf = value[key] as Json
    path.push(key)
    const isInner = isJsonObject(leaf) && !rule.isFlat
    const member = isInner ? fitLeaves(rule, leaf, path, parking) : fitLeaf(rule.fit, leaf, path, parking)
    path.pop()
    if (member === undefined) continue
    setOwn(fitting, key, member)
    isEmpty = false
  }
  return isEmpty ? undefined : fitting
}

const fitLeaf = (fits: Fit, leaf: Json, path: readonly string[], parking: Parking): Json | undefined =>
  leaf === null ? undefined : orParked(fits(leaf), leaf, path, parking)

const AMOUNT_KEYS = ['total', 'count', 'value']

function fitAmount(value: Json, path: string[], parking: Parking): Json | undefined {
  if (!isJsonObject(value)) return orParked(numberOf(value) === undefined ? undefined : value, value, path, parking)
  const key = AMOUNT_KEYS.find(one => numberOf(getOwn(value, one)) !== undefined)
  if (key === undefined) return orParked(undefined, value, path, parking)
  const { [key]: amount, ...rest } = value
  for (const other of Object.keys(rest)) parking.park([...path, other], rest[other] as Json)
  return amount
}
