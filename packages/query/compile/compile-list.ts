import type { ListField, ListMember } from '../filter/fields.ts'
import type { ListTest, Pattern } from '../filter/filter.ts'
import { allOf, anyOf, count, join, type Sql, sql, text, textLists, texts } from '../sql.ts'
import { contains } from './compile-json.ts'
import { itemPlace } from './place.ts'
import { readable } from './written-json.ts'

/** A test of a column with the JSON text of a list of objects. An absent list counts as empty. */
export function compileList(field: ListField, test: ListTest): Sql {
  const items = sql`JSONExtractArrayRaw(${field.column})`
  switch (test.test) {
    case 'exists':
      return sql`notEmpty(${items})`
    case 'not_exists':
      return sql`empty(${items})`
    case 'has':
      return hasMember(items, test)
    case 'has_not':
      return sql`NOT ${hasMember(items, test)}`
    case 'in':
      return matches(field, items, test)
    case 'not_in':
      return sql`NOT (${matches(field, items, test)})`
  }
}

type MemberTest = Extract<ListTest, { readonly test: 'has' | 'has_not' }>
type PatternTest = Extract<ListTest, { readonly test: 'in' | 'not_in' }>

const hasMember = (items: Sql, { paths, value }: MemberTest): Sql =>
  sql`arrayExists(x -> ${anyOf(paths.map(path => contains(itemPlace(path), value)))}, ${items})`

/**
 * Patterns are grouped by the members they name: items are compared with a whole group at once, as tuples in a set,
 * however many patterns it has.
 */
function matches(field: ListField, items: Sql, { patterns, all }: PatternTest): Sql {
  const groups = [
    ...Map.groupBy(patterns, pattern =>
      membersOf(field, pattern)
        .map(member => member.name)
        .join(' '),
    ),
  ]
  const conditions = groups.map(([, group]) => {
    const members = membersOf(field, group[0] as Pattern)
    if (members.length === 0) return sql`notEmpty(${items})`
    return all ? matchesAll(items, members, group) : matchesAny(items, members, group)
  })
  return all && conditions.length > 0 ? allOf(conditions) : anyOf(conditions)
}

const membersOf = (field: ListField, pattern: Pattern): readonly ListMember[] =>
  field.members.filter(member => Object.hasOwn(pattern, member.name))

const matchesAny = (items: Sql, members: readonly ListMember[], group: readonly Pattern[]): Sql =>
  sql`arrayExists(x -> ${valuesOf(members)} IN ${setOf(members, group)}, ${items})`

/** Compares the number of distinct items in the set with the set's size. */
function matchesAll(items: Sql, members: readonly ListMember[], group: readonly Pattern[]): Sql {
  const values = sql`arrayMap(x -> ${valuesOf(members)}, ${items})`
  const wanted = new Set(group.map(pattern => JSON.stringify(members.map(member => pattern[member.name])))).size
  return sql`length(arrayDistinct(arrayFilter(y -> y IN ${setOf(members, group)}, ${values}))) = ${count(wanted)}`
}

/** One text, or a tuple of several, of the item `x`. */
function valuesOf(members: readonly ListMember[]): Sql {
  const values = members.map(({ path, stored }) => {
    const value = sql`JSONExtractString(${readable(sql`x`)}, ${join(path.map(key => sql`${text(key)}`))})`
    return stored === undefined ? value : stored(value)
  })
  return values.length === 1 ? (values[0] as Sql) : sql`(${join(values)})`
}

function setOf(members: readonly ListMember[], group: readonly Pattern[]): Sql {
  const rows = group.map(pattern => members.map(member => pattern[member.name] as string))
  if (members.length === 1) return sql`(SELECT arrayJoin(${texts(rows.flat())}))`
  const tuple = join(members.map((_member, index) => sql`z[${count(index + 1)}]`))
  return sql`(SELECT arrayJoin(arrayMap(z -> (${tuple}), ${textLists(rows)})))`
}
