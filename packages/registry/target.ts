import { isJsonObject, type Json, type JsonObject } from '@spanhouse/model'
import { DeltaRefusal } from './delta/delta-refusal.ts'
import { changeItem, type ItemSegment } from './delta/keyed-items.ts'

/** A step into data: a member of an object, or an entry of a list by its key. */
export type Segment = string | ItemSegment

/** The members that a workflow's data can have at all. */
const SCOPE = new Set(['uri', 'url', 'headers', 'runtime', 'script', 'schemas', 'parameters'])

export interface Change {
  /** Makes the objects on the way that are not there; otherwise they must be. */
  makesParents: boolean
  /** The object that the last segment names something in, changed. */
  change(parent: JsonObject, tail: Segment): JsonObject
}

/** The data with the object that a target's last segment stands in changed. Nothing that was there is modified. */
export function changeAt(data: JsonObject, target: readonly Segment[], change: Change): JsonObject {
  const [first] = target
  if (typeof first !== 'string' || !SCOPE.has(first))
    throw new DeltaRefusal('out_of_scope', `A target begins with one of ${[...SCOPE].join(', ')}.`)
  return descend(data, target, change)
}

function descend(parent: JsonObject, [segment, ...rest]: readonly Segment[], change: Change): JsonObject {
  if (segment === undefined) return parent
  if (rest.length === 0) return change.change(parent, segment)
  if (typeof segment !== 'string')
    return changeItem(parent, segment, item => [descend(object(item, segment.key), rest, change)])
  const isThere = Object.hasOwn(parent, segment)
  if (!isThere && !change.makesParents) throw new DeltaRefusal('target_not_found', `There is no ${segment}.`)
  const child = isThere ? object(parent[segment], segment) : {}
  return { ...parent, [segment]: descend(child, rest, change) }
}

function object(value: Json | undefined, name: string): JsonObject {
  if (isJsonObject(value)) return value
  throw new DeltaRefusal('target_type_mismatch', `${name} is no object.`)
}
