import type { Condition, Filter } from './filter.ts'

/** The size of a filter: its conditions, plus the values, patterns and phrases in their lists. */
export const filterSize = (filter: Filter): number =>
  filter.kind === 'group' ? filter.members.reduce((sum, member) => sum + filterSize(member), 0) : 1 + listedIn(filter)

function listedIn(condition: Condition): number {
  if (condition.kind === 'content')
    return condition.query.reduce((sum, { all, none }) => sum + all.length + none.length, 0)
  const { test } = condition
  if ('values' in test) return test.values.length
  return 'patterns' in test ? test.patterns.length : 0
}
