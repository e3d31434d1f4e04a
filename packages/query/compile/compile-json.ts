import { isJsonObject, type Json, numberOf } from '@spanhouse/model'
import { isNumeric } from '../filter/filter.ts'
import { allOf, type Sql, sql, text } from '../sql.ts'
import { numberEquals } from './compile-number.ts'
import { canonical, canonicalList, isScalar } from './engine-json.ts'
import { itemPlace, type Place } from './place.ts'
import { itemsIn } from './written-json.ts'

/**
 * JSON containment: scalars are equal (5 equals 5.0, "5" does not), an object has at least the given members, a list
 * contains at least the given items, in any order.
 */
export function contains(place: Place, value: Json): Sql {
  if (isScalar(value)) return equals(place, value)
  if (Array.isArray(value)) return containsItems(place, value)
  const members = isJsonObject(value) ? Object.entries(value) : []
  if (members.length === 0) return place.isObject
  return allOf(members.map(([key, member]) => contains(place.member(key), member)))
}

/** A value in a typed column is compared there, without reading JSON. */
function equals(place: Place, value: Json): Sql {
  const { column } = place
  if (column?.type === 'text' && typeof value === 'string' && value !== '') {
    return sql`${column.column} = ${text(value)}`
  }
  if (column?.type === 'number' && isNumeric(value) && numberOf(value) !== 0) return numberEquals(column, value)
  return sql`${place.json} = ${canonical(value)}`
}

function containsItems(place: Place, items: readonly Json[]): Sql {
  const list = itemsIn(place.json)
  const scalars = items.filter(isScalar)
  const conditions = [sql`startsWith(${place.json}, '[')`]
  if (scalars.length > 0) conditions.push(sql`hasAll(${list}, ${canonicalList(scalars)})`)
  for (const item of items)
    if (!isScalar(item)) conditions.push(sql`arrayExists(x -> ${contains(itemPlace(), item)}, ${list})`)
  return allOf(conditions)
}
