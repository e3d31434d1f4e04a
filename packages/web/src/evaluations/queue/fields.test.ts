import { expect, test } from 'vitest'
import { fieldsOf, outputOf } from './fields.ts'

const FIELDS = fieldsOf({
  required: ['score'],
  properties: { score: { type: 'number', minimum: 0 }, comment: { type: 'string' } },
})

test('what is entered is read by the type of its field', () => {
  expect(outputOf(FIELDS, { score: ' 0.5 ', comment: 'Good' })).toEqual({ score: 0.5, comment: 'Good' })
  expect(() => outputOf(FIELDS, { score: 'half' })).toThrow('score is not a number.')
  expect(() => outputOf(FIELDS, { score: '-1' })).toThrow('score is less than 0.')
})

test('spaces are nothing, and not the number 0', () => {
  expect(() => outputOf(FIELDS, { score: ' ' })).toThrow('score is missing.')
  expect(outputOf(FIELDS, { score: '1', comment: '  ' })).toEqual({ score: 1 })
})
