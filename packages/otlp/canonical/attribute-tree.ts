import { isJsonObject, type Json, type JsonObject } from '@spanhouse/model'
import { withBoundedNesting } from '../json/json-text.ts'
import { decodeMarkers } from './markers.ts'
import { unflatten } from './unflatten.ts'

/** A span's attributes as a tree, and what of them found no place in it. */
export interface AttributeTree {
  /** Under `ag` with markers decoded; an empty object when there is none. */
  tree: JsonObject & { ag: JsonObject }
  /** See `unflatten`. */
  conflicts: JsonObject
  /** Values where `ag` or one of its members should be an object: by the key to park them under. */
  misplaced: [string, Json][]
}

/**
 * Takes flat and nested attributes apart. `ag` and its members are objects in any case: a plain value in such a place
 * would displace everything that is there, so it is put aside first.
 */
export function attributeTree(attributes: ReadonlyMap<string, Json>): AttributeTree {
  const misplaced: [string, Json][] = []
  // A copy, once something has to be otherwise than it was sent.
  let placed: Map<string, Json> | undefined
  for (const key of attributes.keys()) {
    const sent = attributes.get(key) as Json
    const bounded = withBoundedNesting(sent)
    const isOwn = key.startsWith('ag.') || key === 'ag'
    const value = isOwn ? decodeMarkers(bounded) : bounded
    const place = isOwn && !isJsonObject(value) ? memberOf(key) : undefined
    if (value === sent && place === undefined) continue
    placed ??= new Map(attributes)
    if (place === undefined) placed.set(key, value)
    else {
      placed.delete(key)
      misplaced.push([place, value])
    }
  }
  const { tree, conflicts } = unflatten(placed ?? attributes, { ag: {} })
  return { tree: tree as AttributeTree['tree'], conflicts, misplaced }
}

/** Where to park a plain value of `ag` or of a member of it; undefined for what stands deeper. */
function memberOf(key: string): string | undefined {
  if (key === 'ag') return '_invalid'
  if (key.includes('.', 3)) return undefined
  const member = key.slice(3)
  return member === 'unsupported' ? '_unsupported' : member
}
