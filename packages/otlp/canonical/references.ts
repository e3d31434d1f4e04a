import { isJsonObject, type Json, type JsonObject, type SpanReference } from '@spanhouse/model'
import { fit } from './ag-fit.ts'
import { REFERENCE } from './ag-schema.ts'
import type { Parking } from './parking.ts'

/** The list form of a fitted `ag.references`: one item per key. */
export const referencesOf = (references: JsonObject): SpanReference[] =>
  Object.keys(references).map(key => ({ ...(references[key] as JsonObject), attributes: { key } }))

/**
 * The references that a client sent as a list next to the attributes, each with its fitting members; the rest is parked
 * by the item's index. Items need no `attributes`. If `ag.references` has any, it replaces the list, as the interface
 * specifies; items that are not among them are parked whole.
 */
export function fitReferenceList(
  list: readonly Json[],
  fromAttributes: readonly SpanReference[],
  parking: Parking,
): readonly SpanReference[] {
  const known = new Set(fromAttributes.map(identityOf))
  const references: SpanReference[] = []
  for (const [index, item] of list.entries()) {
    const path = ['references', String(index)]
    const reference = fitItem(item, path, parking)
    if (!reference) continue
    references.push(reference)
    if (known.size > 0 && !known.has(identityOf(reference))) parking.park(path, { ...reference } as unknown as Json)
  }
  return fromAttributes.length > 0 ? fromAttributes : references
}

function fitItem(item: Json, path: string[], parking: Parking): SpanReference | undefined {
  if (!isJsonObject(item)) {
    parking.park(path, item)
    return undefined
  }
  const { attributes, ...identity } = item
  const reference = fit(REFERENCE, identity, path, parking)
  return isJsonObject(reference) ? { ...reference, attributes: isJsonObject(attributes) ? attributes : {} } : undefined
}

const identityOf = ({ id, slug, version, attributes }: SpanReference): string =>
  JSON.stringify([attributes.key, id, slug, version])
