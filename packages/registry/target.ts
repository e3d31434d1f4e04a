import { isJsonObject, type Json, type JsonObject } from '@spanhouse/model'
import { DeltaRefusal } from './delta/delta-refusal.ts'
import { changeItem, type ItemSegment } from './delta/keyed-items.ts'

/** A step into data: a member of an object, or an entry of a list by its key. */
export type Segment = string | ItemSegment

/** The members that a workflow's data can have. */
const SCOPE = new Set(['uri', 'url', 'headers', 'runtime', 'script', 'schemas', 'parameters'])

export interface Change {
  /** Creates missing objects on the path; otherwise they must exist. */
  makesParents: boolean
  /** Returns the changed parent of the last segment. */
  change(parent: JsonObject, tail: Segment): JsonObject
}

/** The data with the parent of a target's last segment changed. The original is not modified. */
export function changeAt(data: JsonObject, target: readonly Segment[], change: Change): JsonObject {
  const [first] = target
  if (typeof first !== 'string' || !SCOPE.has(first))
    throw new DeltaRefusal('out_of_scope', `A target must begin with one of ${[...SCOPE].join(', ')}.`)
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
  throw new DeltaRefusal('target_type_mismatch', `${name} is not an object.`)
}
