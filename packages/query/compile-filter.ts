import { compileAttribute } from './compile-attribute.ts'
import { compileColumn } from './compile-column.ts'
import { compileContent } from './compile-content.ts'
import { compileList } from './compile-list.ts'
import { type ColumnField, FIELDS, type ListField } from './fields.ts'
import type { Condition, Filter, Group } from './filter.ts'
import { allOf, anyOf, type Sql, sql } from './sql.ts'

/**
 * A filter as a condition on one row of the span table: true or false, never NULL, so that it can be negated and
 * combined. Never fails on a filter that `parseFilter` made.
 */
export function compileFilter(filter: Filter): Sql {
  return filter.kind === 'group' ? compileGroup(filter) : compileCondition(filter)
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
