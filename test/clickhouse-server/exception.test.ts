import { expect, test } from 'vitest'
import { Exception, toException } from './exception.ts'

const messages: [message: string, code: number, type: string, text: string, status: number][] = [
  ['Code: 62. DB::Exception: Syntax error: a. (SYNTAX_ERROR)', 62, 'SYNTAX_ERROR', 'Syntax error: a.', 400],
  [
    'Code: 108. DB::Exception: Code: 108. DB::Exception: No data. (NO_DATA) (version 26.7.2.1). (NO_DATA)',
    108,
    'NO_DATA',
    'No data.',
    500,
  ],
  [
    'Code: 117. DB::Exception: Bad: (at row 1)\n: (in file/uri /x/y): While executing File: data for INSERT was parsed from file. (INCORRECT_DATA)',
    117,
    'INCORRECT_DATA',
    'Bad: (at row 1)\n.',
    400,
  ],
  ['Code: 159. DB::Exception: Timeout exceeded. (TIMEOUT_EXCEEDED)', 159, 'TIMEOUT_EXCEEDED', 'Timeout exceeded.', 408],
  ['Cannot read properties of undefined', 1002, 'UNKNOWN_EXCEPTION', 'Cannot read properties of undefined', 500],
]

test.each(messages)('%s', (message, code, type, text, status) => {
  const exception = toException(new Error(message))
  expect(exception).toMatchObject({ code, type, message: text, status })
  expect(exception.text).toBe(`Code: ${code}. DB::Exception: ${text} (${type})\n`)
})

test('an exception stays itself', () => {
  const exception = new Exception(48, 'NOT_IMPLEMENTED', 'No.')
  expect(toException(exception)).toBe(exception)
})
