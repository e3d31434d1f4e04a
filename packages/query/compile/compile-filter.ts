import { type ColumnField, FIELDS, type ListField } from '../filter/fields.ts'
import type { Condition, Filter, Group } from '../filter/filter.ts'
import { allOf, anyOf, conjunctionsIn, type Sql, sql } from '../sql.ts'
import { compileAttribute } from './compile-attribute.ts'
import { compileColumn } from './compile-column.ts'
import { compileContent } from './compile-content.ts'
import { compileList } from './compile-list.ts'

/**
 * A filter as a condition on one row of the span table: true or false, never NULL, so that it can be negated and
 * combined. Never fails on a filter that `parseFilter` returned.
 */
export function compileFilter(filter: Filter): Sql {
  return filter.kind === 'group' ? compileGroup(filter) : compileCondition(filter)
}

/** With more conjuncts than this, the AND is planned as one expression. */
const CONJUNCTIONS_MAX = 16

/**
 * Filters as conditions, all of which must hold. The engine splits an AND into its parts, and planning takes quadratic
 * time in their number (400 comparisons: 230 ms, but 60 as one expression). So many parts are wrapped in an `if`, which
 * the engine does not split.
 */
export function compileFilters(filters: readonly Filter[]): Sql[] {
  const conditions = filters.map(compileFilter)
  const all = allOf(conditions)
  return conjunctionsIn(all) > CONJUNCTIONS_MAX ? [sql`if(${all}, true, false)`] : conditions
}

const GROUPS: Record<Group['operator'], (members: readonly Sql[]) => Sql> = {
  and: members => allOf(members),
  or: members => anyOf(members),
  not: members => sql`NOT (${allOf(members)})`,
  nand: members => sql`NOT (${allOf(members)})`,
  nor: members => sql`NOT (${anyOf(members)})`,
}

const compileGroup = ({ operator, members }: Group): Sql => GROUPS[operator](members.map(compileFilter))

function compileCondition(condition: Condition): Sql {
  switch (condition.kind) {
    case 'attribute':
      return compileAttribute(condition)
    case 'content':
      return compileContent(condition.query)
    case 'list':
      return compileList(FIELDS.get(condition.field) as ListField, condition.test)
    case 'column':
      return compileColumn(FIELDS.get(condition.field) as ColumnField, condition.test)
  }
}
