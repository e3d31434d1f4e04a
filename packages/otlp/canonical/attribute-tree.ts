import { isJsonObject, type Json, type JsonObject } from '@spanhouse/model'
import { withBoundedNesting } from '../json/json-text.ts'
import { decodeMarkers } from './markers.ts'
import { unflatten } from './unflatten.ts'

/** A span's attributes as a tree, and those that have no place in it. */
export interface AttributeTree {
  /** Under `ag` markers are decoded; `ag` is an empty object if there is none. */
  tree: JsonObject & { ag: JsonObject }
  /** See `unflatten`. */
  conflicts: JsonObject
  /** Values at the place of `ag` or one of its members, which must be objects: with the key to park them under. */
  misplaced: [string, Json][]
}

/**
 * Builds a tree from flat and nested attributes. `ag` and its members are always objects: a plain value in such a place
 * would displace everything below it, so it is removed first.
 */
export function attributeTree(attributes: ReadonlyMap<string, Json>): AttributeTree {
  const misplaced: [string, Json][] = []
  // A copy, created when something must differ from what was sent.
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

/** The key under which to park a plain value of `ag` or of one of its members; undefined for deeper values. */
function memberOf(key: string): string | undefined {
  if (key === 'ag') return '_invalid'
  if (key.includes('.', 3)) return undefined
  const member = key.slice(3)
  return member === 'unsupported' ? '_unsupported' : member
}
