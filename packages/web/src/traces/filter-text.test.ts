import { expect, test } from 'vitest'
import { allOf, hasTerm, namedLike, parseFilterText, toggleTerm } from './filter-text.ts'

const EITHER = 'type:agent or type:chat'

test('a term that is added to alternatives narrows all of them', () => {
  const narrowed = toggleTerm(EITHER, 'user:ada')
  expect(narrowed).toBe('(type:agent or type:chat) user:ada')
  expect(parseFilterText(narrowed)).toEqual({
    operator: 'and',
    conditions: [parseFilterText(EITHER), ...parseFilterText('user:ada').conditions],
  })
  expect(toggleTerm(narrowed, 'user:ada')).toBe('(type:agent or type:chat)')
  expect(allOf([EITHER, undefined, '', 'a OR b', 'c d'])).toBe('(type:agent or type:chat) (a OR b) c d')
})

test('one of several alternatives is no term of its own that could be taken away', () => {
  expect(hasTerm(EITHER, 'type:chat')).toBe(false)
  expect(toggleTerm(EITHER, 'type:chat')).toBe('(type:agent or type:chat) type:chat')
})

test('terms that must all hold are added, turned round and removed', () => {
  expect(toggleTerm('', 'user:ada')).toBe('user:ada')
  expect(toggleTerm('cost>1 user:ada', '-user:ada')).toBe('cost>1 -user:ada')
  expect(toggleTerm('user:ada', 'user:ada')).toBe('')
  expect(allOf([undefined, ''])).toBe('')
})

test('a word is also a name, or the id of a trace; a filter is not', () => {
  expect(namedLike(' plan_trip')).toBe('name:plan_trip')
  expect(namedLike('"plan a trip"')).toBe('name:"plan a trip"')
  expect(namedLike('AB'.repeat(16))).toBe(`trace:${'ab'.repeat(16)}`)
  expect(['', '-a', 'a b', 'name:a', '(a', '{"field":"span_id"}', 'or'].map(namedLike)).toEqual(
    Array(7).fill(undefined),
  )
})
