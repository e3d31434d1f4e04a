import { isJsonObject, type Json, type JsonObject } from '@spanhouse/model'
import { DeltaRefusal } from './delta-refusal.ts'

/** Identifies an entry of a list by its key. */
export interface ItemSegment {
  list: string
  key: string
}

/** The lists with keyed entries, and the member that holds the key. */
const KEY_MEMBERS: Record<string, string> = { skills: 'name', mcps: 'name', files: 'path', tools: 'name' }

/** The object with an entry appended to one of its lists, which is created if absent. */
export function addItem(parent: JsonObject, list: string, value: Json | undefined): JsonObject {
  const items = Object.hasOwn(parent, list) ? itemsOf(parent, list) : []
  const key = keyOf(list, value)
  if (items.some(item => keyIn(list, item) === key))
    throw new DeltaRefusal('item_already_exists', `${list} already has an entry ${key}.`)
  return { ...parent, [list]: [...items, value as Json] }
}

/** The object with an entry of one of its lists replaced by another with the same key. */
export function replaceItem(parent: JsonObject, segment: ItemSegment, value: Json | undefined): JsonObject {
  if (keyOf(segment.list, value) !== segment.key)
    throw new DeltaRefusal('item_rename_not_allowed', `The key ${segment.key} of an entry cannot be changed.`)
  return changeItem(parent, segment, () => [value as Json])
}

export const removeItem = (parent: JsonObject, segment: ItemSegment): JsonObject =>
  changeItem(parent, segment, () => [])

/** The object with an entry of one of its lists replaced by the result of `change`. */
export function changeItem(parent: JsonObject, { list, key }: ItemSegment, change: (item: Json) => Json[]): JsonObject {
  const items = itemsOf(parent, list)
  const places = items.flatMap((item, index) => (keyIn(list, item) === key ? [index] : []))
  const [place] = places
  if (place === undefined) throw new DeltaRefusal('item_not_found', `${list} has no entry ${key}.`)
  if (places.length > 1) throw new DeltaRefusal('duplicate_item_key', `${list} has more than one entry ${key}.`)
  return { ...parent, [list]: items.toSpliced(place, 1, ...change(items[place] as Json)) }
}

function itemsOf(parent: JsonObject, list: string): Json[] {
  keyMemberOf(list)
  if (!Object.hasOwn(parent, list)) throw new DeltaRefusal('target_not_found', `There is no ${list}.`)
  const items = parent[list]
  if (!Array.isArray(items)) throw new DeltaRefusal('target_type_mismatch', `${list} is not a list.`)
  return items
}

function keyOf(list: string, item: Json | undefined): string {
  const key = keyIn(list, item)
  if (key === undefined)
    throw new DeltaRefusal('item_key_undefined', `An entry of ${list} must have a ${keyMemberOf(list)}.`)
  return key
}

function keyIn(list: string, item: Json | undefined): string | undefined {
  const key = isJsonObject(item) ? item[keyMemberOf(list)] : undefined
  return typeof key === 'string' && key !== '' ? key : undefined
}

function keyMemberOf(list: string): string {
  const member = Object.hasOwn(KEY_MEMBERS, list) ? KEY_MEMBERS[list] : undefined
  if (member === undefined) throw new DeltaRefusal('unkeyed_collection', `The entries of ${list} have no keys.`)
  return member
}
