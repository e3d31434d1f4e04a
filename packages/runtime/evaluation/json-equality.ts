import { isJsonObject, isRawJson, type Json } from '@spanhouse/model'
import { memberOf } from '../path.ts'
import { Steps } from './steps.ts'

/** Undefined: there is none. */
type Part = Json | undefined

/**
 * Whether two JSON values are equal, regardless of the order of names. 1 equals 1.0 but not true. Yields to other work
 * while it compares large values. Throws a 400 RunError if they have too many parts.
 */
export async function equalJson(a: Json, b: Json): Promise<boolean> {
  const steps = new Steps()
  const open: [Part, Part][] = [[a, b]]
  for (let pair = open.pop(); pair; pair = open.pop()) {
    const parts = partsOf(pair[0], pair[1])
    if (!parts) return false
    for (const part of parts) {
      open.push(part)
      const turn = steps.next()
      if (turn) await turn
    }
  }
  return true
}

/** The pairs that must be equal for the values to be equal; undefined if they differ already. */
function partsOf(a: Part, b: Part): Iterable<[Part, Part]> | undefined {
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length ? a.values().map((item, at) => [item, b[at]]) : undefined
  if (!isJsonObject(a) || !isJsonObject(b)) return equalScalars(a, b) ? [] : undefined
  const names = Object.keys(a)
  return names.length === Object.keys(b).length ? names.values().map(name => [a[name], memberOf(b, name)]) : undefined
}

/** Compares values that are not both objects nor both lists. Integers are compared by their digits. */
export function equalScalars(a: Part, b: Part): boolean {
  if (isRawJson(a) && isRawJson(b)) return BigInt(a.rawJSON) === BigInt(b.rawJSON)
  if (isRawJson(a)) return typeof b === 'number' && Number.isInteger(b) && BigInt(b) === BigInt(a.rawJSON)
  return isRawJson(b) ? equalScalars(b, a) : a === b
}
