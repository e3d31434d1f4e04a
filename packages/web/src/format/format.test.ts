import { expect, test } from 'vitest'
import { formatCost, formatNumberOf, formatScore, formatTime, spanName, spokenDuration } from './format.ts'

test('costs of any size fit a column of nine digits', () => {
  const costs = [1.8e-7, 0.000072, 0.0034, 0.25, 1_204, 98_765_432, -0.5, 0]
  expect(costs.map(formatCost)).toEqual(['$1.8e-7', '$0.000072', '$0.0034', '$0.25', '$1,204', '$98.8M', '−$0.50', '–'])
})

test('a duration is spoken in words', () => {
  expect([0.843, 12.4, 1_240, 125_000, 12_000_000, undefined].map(spokenDuration)).toEqual([
    '843 microseconds',
    '12.4 milliseconds',
    '1.24 seconds',
    '2 minutes 05 seconds',
    '3 hours 20 minutes',
    '–',
  ])
})

test('a time says no more than tells it from others', () => {
  const now = new Date(2026, 10, 29, 9).getTime()
  const shown = (...of: [number, number, number, number, number]): string =>
    formatTime(new Date(...of).toISOString(), now)
  expect([shown(2026, 10, 29, 0, 3), shown(2026, 10, 28, 0, 3), shown(2025, 10, 29, 0, 3)]).toEqual([
    '00:03:00',
    'Nov 28 00:03',
    'Nov 29, 2025',
  ])
  // At the turn of the year, too, rows of one evening are told apart.
  expect(formatTime(new Date(2026, 11, 31, 23, 30).toISOString(), new Date(2027, 0, 1, 0, 30).getTime())).toBe(
    'Dec 31 23:30',
  )
})

test('a number has its word in the singular or the plural', () => {
  expect([0, 1, 2, 12_431].map(count => formatNumberOf(count, 'row'))).toEqual([
    '0 rows',
    '1 row',
    '2 rows',
    '12,431 rows',
  ])
})

test('scores of any size have three digits that count', () => {
  const scores = [0, 0.123456, -12_345.6, 0.0004, 1.2e-9, 1e300]
  expect(scores.map(formatScore)).toEqual(['0', '0.123', '-12,300', '0.0004', '1.20e-9', '1.00e+300'])
})

test('a name of which nothing is seen is none', () => {
  const names = ['', ' ', '\u200b', '\ufeff \u2060', '\u202e', 'a\u200db']
  expect(names.map(name => spanName(name))).toEqual([
    '(no name)',
    '(no name)',
    '(no name)',
    '(no name)',
    '⟨U+202E⟩',
    'a\u200db',
  ])
})
