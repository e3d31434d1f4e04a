import { isJsonObject, isRawJson, type Json } from '@spanhouse/model'
import { Steps } from './steps.ts'

/**
 * Whether two values are the same JSON: of the same type, and equal whatever the order of names. 1 equals 1.0 and not true.
 * Others have their turn while large values are compared.
 */
export async function equalJson(a: Json, b: Json): Promise<boolean> {
  const steps = new Steps()
  const open: [Json, Json][] = [[a, b]]
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

/** What must be equal for the values to be; undefined when they are not in any case. */
function partsOf(a: Json, b: Json): Iterable<[Json, Json]> | undefined {
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length ? a.values().map((item, at) => [item, b[at] as Json]) : undefined
  if (!isJsonObject(a) || !isJsonObject(b)) return equalScalars(a, b) ? [] : undefined
  const names = Object.keys(a)
  const isAlike = names.length === Object.keys(b).length && names.every(name => Object.hasOwn(b, name))
  return isAlike ? names.values().map(name => [a[name] as Json, b[name] as Json]) : undefined
}

/** Of values that are not both objects, nor both lists. Integers are compared by their digits. */
export function equalScalars(a: Json, b: Json): boolean {
  if (isRawJson(a) && isRawJson(b)) return BigInt(a.rawJSON) === BigInt(b.rawJSON)
  if (isRawJson(a)) return typeof b === 'number' && Number.isInteger(b) && BigInt(b) === BigInt(a.rawJSON)
  return isRawJson(b) ? equalScalars(b, a) : a === b
}
