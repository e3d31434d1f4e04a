import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Condition, Group } from '../api/filtering.ts'
import { FIELDS } from './filter-fields.ts'
import { printFilter } from './filter-print.ts'
import { parseFilterText } from './filter-text.ts'

const word = fc.oneof(
  fc.constantFrom('ada', 'or', 'a b', '-x', '(y)', 'a"b\\c', '{z}', 'type:agent', '5', 'true', 'northern lights', '>'),
  fc.string({ minLength: 1, maxLength: 12 }),
)
const condition: fc.Arbitrary<Condition> = fc.oneof(
  fc.record({
    field: fc.constantFrom('span_name', 'user_id', 'span_id'),
    operator: fc.constantFrom('is', 'contains'),
    value: word,
  }),
  fc.record({ field: fc.constant('content'), operator: fc.constant('contains'), value: word }),
  fc.record({
    field: fc.constant('span_type'),
    operator: fc.constantFrom('is', 'in'),
    value: fc.constantFrom('agent', 'tool'),
  }),
  fc.record({
    field: fc.constant('status_code'),
    operator: fc.constant('is'),
    value: fc.constantFrom('STATUS_CODE_OK', 'STATUS_CODE_ERROR'),
  }),
  fc.record({
    field: fc.constant('attributes'),
    key: fc.constantFrom('ag.tags.app', 'a-b.c', 'with space', FIELDS.cost?.key ?? '', FIELDS.duration?.key ?? ''),
    operator: fc.constantFrom('is', 'gt', 'lte', 'exists', 'startswith'),
    value: fc.oneof(word, fc.integer(), fc.boolean(), fc.constant(null)),
  }),
  fc.record({ field: fc.constant('references'), operator: fc.constant('in'), value: fc.constant([{ slug: 'x' }]) }),
)
const tree = fc.letrec<{ group: Group }>(tie => ({
  group: fc.record({
    operator: fc.constantFrom<Group['operator']>('and', 'or', 'not'),
    conditions: fc.array(fc.oneof({ depthSize: 'small' }, condition, tie('group') as fc.Arbitrary<Group>), {
      minLength: 1,
      maxLength: 3,
    }),
  }),
})).group

/** Groups of one are their member, and groups in a group of the same kind are parts of it: what a filter means. */
function meaning(filter: Condition | Group): unknown {
  if (!('conditions' in filter)) return filter
  const parts = filter.conditions.map(meaning)
  if (filter.operator !== 'not' && parts.length === 1) return parts[0]
  const flat = parts.flatMap(part =>
    filter.operator !== 'not' &&
    typeof part === 'object' &&
    part !== null &&
    'all' in part &&
    part.all === filter.operator
      ? (part as unknown as { of: unknown[] }).of
      : [part],
  )
  return { all: filter.operator, of: flat }
}

test('a filter is read from its text as it was, whatever it contains', () => {
  fc.assert(
    fc.property(tree, filter => {
      const text = printFilter(filter)
      expect(meaning(parseFilterText(text)), text).toEqual(meaning(filter))
    }),
    { numRuns: 500 },
  )
})

test.each([
  ['type:agent cost>0.01', 'type:agent cost>0.01'],
  ['model:gpt-4o or -user:ada', '(model:gpt-4o or -user:ada)'],
  ['application:"my shop"', 'application:"my shop"'],
  ['ag.tags.app=shop (errors>0 or status:error)', 'ag.tags.app:shop (errors>0 or status:error)'],
  ['"northern lights"', '"northern lights"'],
  ['duration>2s', 'duration>2000'],
  ['ag.tags.app>"=a"', 'ag.tags.app>"=a"'],
])('%s keeps its short form', (text, printed) => {
  expect(printFilter(parseFilterText(text))).toBe(printed)
})

test.each(['no:user', '-no:model', 'no:session errors>0'])('%s is printed as it was typed', text => {
  expect(printFilter(parseFilterText(text))).toBe(text)
})
