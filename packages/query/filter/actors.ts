import type { AttributeTest, ColumnTest, Filter } from './filter.ts'

/** The fields that only roots have, and the attribute of the same that any span may have. */
const ATTRIBUTE_OF: Readonly<Record<string, readonly string[]>> = {
  session_id: ['ag', 'session', 'id'],
  user_id: ['ag', 'user', 'id'],
}

/**
 * A filter for traces in which the session or the user of any span counts as the trace's: a trace may have several, of
 * which its root shows one. Only tests for a value are changed: a trace without a session is still one whose root shows
 * none.
 */
export function withActorsOfAnySpan(filter: Filter | undefined): Filter | undefined {
  if (filter === undefined) return undefined
  if (filter.kind === 'group') {
    if (filter.operator !== 'and' && filter.operator !== 'or') return filter
    return { ...filter, members: filter.members.map(member => withActorsOfAnySpan(member) as Filter) }
  }
  const path = filter.kind === 'column' ? ATTRIBUTE_OF[filter.field] : undefined
  const test = path && filter.kind === 'column' ? attributeTest(filter.test) : undefined
  return path && test ? { kind: 'attribute', path, test } : filter
}

/** Undefined for a test that spans without the value satisfy, or that orders values. */
function attributeTest(test: ColumnTest): AttributeTest | undefined {
  switch (test.test) {
    case 'eq':
      return { test: 'is', value: test.value }
    case 'in':
      return { test: 'in', values: test.values, all: false }
    case 'exists':
    case 'startswith':
    case 'endswith':
    case 'contains':
    case 'equals':
    case 'like':
      return test
    default:
      return undefined
  }
}
