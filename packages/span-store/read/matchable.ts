import { isJsonObject, type Json, type JsonObject, NIL_UUID, parseJson } from '@spanhouse/model'
import {
  type Column,
  type MatchableSpan,
  NO_PARENT,
  restoreCopies,
  SHOWN_COLUMNS,
  type SpanRow,
} from '@spanhouse/query'
import { endOf } from './row.ts'

const LISTS = ['references', 'links', 'hashes', 'events'] as const

type ShownColumn = Column & { name: Exclude<keyof SpanRow, 'copies'> }
const SHOWN = (SHOWN_COLUMNS as readonly Column[]).filter((column): column is ShownColumn => column.name !== 'copies')
const FILTERED = SHOWN.filter(({ filter }) => filter)
const ATTRIBUTES = SHOWN.filter(({ attribute }) => attribute)

/** What a column contains if there is no value. */
const ABSENT = { empty: '', epoch: 0, nobody: NIL_UUID, root: NO_PARENT } as const

/** A row as filters in memory see it. */
export function toMatchable(row: SpanRow): MatchableSpan {
  const isRoot = row.parent_id === NO_PARENT
  const attributes = parseJson(restoreCopies(row)) as JsonObject & { ag: JsonObject }
  const fields: Record<string, string | number | undefined> = { end_time: endOf(row) }
  for (const { name, filter } of FILTERED) {
    const value = row[name]
    const isAbsent = (filter?.absent && value === ABSENT[filter.absent]) || (filter?.rootsOnly && !isRoot)
    fields[name] = isAbsent ? undefined : value
  }
  const columns: Record<string, string | number> = {}
  for (const { name, attribute } of ATTRIBUTES) {
    const isSet = [name, ...(attribute?.beside ?? [])].some(one => row[one as keyof SpanRow])
    if (attribute && isSet && (!attribute.ifSet || isNamed(attributes, attribute.key)))
      columns[attribute.key] = row[name]
  }
  const lists = Object.fromEntries(LISTS.map(name => [name, row[name] ? (parseJson(row[name]) as Json[]) : []]))
  return { fields, attributes, data: parseJson(row.data) as JsonObject, columns, lists }
}

/** Whether an object has a member at a dotted path. */
const isNamed = (object: Json, path: string): boolean =>
  path.split('.').reduce<Json | undefined>((value, key) => (isJsonObject(value) ? value[key] : undefined), object) !==
  undefined
