import { describe, expect, test } from 'vitest'
import {
  changesOf,
  isChanged,
  sheetOf,
  testcasesOf,
  typesOf,
  valueAt,
  withImported,
  withoutColumn,
  withoutRow,
  withPasted,
  withRow,
  withTexts,
} from './sheet.ts'
import { delimiterOf, pastedIn, rowsOf, tableIn, typeOf, valueIn } from './table-text.ts'

const SHEET = sheetOf([
  { id: 'a', data: { country: 'Peru', people: 34, testcase_dedup_id: 'x' } },
  { id: 'b', data: { country: 'Fiji', people: 1 } },
])

describe('a sheet', () => {
  test('shows the columns of all rows, without the generated one, and keeps it', () => {
    expect(SHEET.columns).toEqual(['country', 'people'])
    expect(testcasesOf(SHEET)[0]?.data).toHaveProperty('testcase_dedup_id', 'x')
  })

  test('reads what is written by the type of the column, and grows', () => {
    const pasted = withTexts(SHEET, { row: 1, column: 1 }, [
      ['2', 'island'],
      ['many', 'land'],
    ])
    expect(pasted.columns).toEqual(['country', 'people', 'column_3'])
    expect(testcasesOf(pasted).map(({ data }) => data)).toEqual([
      { country: 'Peru', people: 34, testcase_dedup_id: 'x' },
      { country: 'Fiji', people: 2, column_3: 'island' },
      { people: 'many', column_3: 'land' },
    ])
  })

  test('tells what has changed, cell by cell', () => {
    const edited = withoutRow(withTexts(SHEET, { row: 0, column: 0 }, [['Chile']]), 1)
    const changes = changesOf(SHEET, edited)
    expect(changes.cells).toEqual([{ row: 0, column: 'country', before: 'Peru', after: 'Chile' }])
    expect(changes.rowsRemoved.map(({ testcase }) => testcase.id)).toEqual(['b'])
    expect(changesOf(SHEET, withoutColumn(SHEET, 'people')).columnsRemoved).toEqual(['people'])
    expect(isChanged(changesOf(SHEET, SHEET))).toBe(false)
    expect(isChanged(changesOf(SHEET, withTexts(SHEET, { row: 0, column: 1 }, [['34']])))).toBe(false)
  })

  test('has columns with the names of what every object has; rows without a value have none', () => {
    const sheet = withRow(sheetOf([{ id: 'a', data: { constructor: 'Ferrari', toString: 1 } }]))
    expect(sheet.columns.map(name => sheet.rows.map(row => valueAt(row, name)))).toEqual([
      ['Ferrari', undefined],
      [1, undefined],
    ])
    expect(typesOf(sheet)).toEqual(['text', 'number'])
  })

  test('takes the rows of a file, after or instead of its own', () => {
    const rows = [{ city: 'Lima' }]
    expect(withImported(SHEET, rows, false).columns).toEqual(['country', 'people', 'city'])
    expect(withImported(SHEET, rows, true).rows).toHaveLength(1)
  })
})

test('a table is read with quotes and line breaks; whole columns of numbers are numbers', async () => {
  const table = await tableIn('name,zip,people,is_big\n"a ""b""\nc",007,12,true\nd,008,,false\n', ',')
  expect(rowsOf(table, true)).toEqual([
    { name: 'a "b"\nc', zip: '007', people: 12, is_big: true },
    { name: 'd', zip: '008', people: '', is_big: false },
  ])
  expect(rowsOf(table, false)[0]).toEqual({ name: 'a "b"\nc', zip: '007', people: '12', is_big: 'true' })
  expect(typeOf([1, 'one'])).toBe('text')
  expect(typeOf([1, { a: 1 }])).toBe('json')
})

test('no column of a table is left out: two of one name, without one, or beyond the first line', () => {
  const table = [
    ['answer', 'answer', ' '],
    ['1', '2', '3', 'beyond'],
  ]
  expect(rowsOf(table, true)).toEqual([{ answer: 1, answer_2: 2, column_3: 3, column_4: 'beyond' }])
  expect(withPasted({ columns: [], rows: [] }, { row: 0, column: 0 }, table).columns).toEqual([
    'answer',
    'answer_2',
    'column_3',
    'column_4',
  ])
})

test('a file has commas, semicolons or tabs between its cells', () => {
  const headers = ['a,b;c,d\n;;;', '"a,b,c";d\n,,', 'a\tb\n', 'a, b and c\td', 'alone', '']
  expect(headers.map(delimiterOf)).toEqual([',', ';', '\t', '\t', ',', ','])
})

test('a number that would lose digits stays a text', async () => {
  const table = await tableIn('id,share\n1234567890123456789,0.30000000000000004\n1234567890123456788,0.5\n', ',')
  expect(rowsOf(table, true)).toEqual([
    { id: '1234567890123456789', share: 0.30000000000000004 },
    { id: '1234567890123456788', share: 0.5 },
  ])
  expect(valueIn('1234567890123456789', 'number')).toBe('1234567890123456789')
  expect(valueIn(' 1e3 ', 'number')).toBe(1_000)
})

test('an empty cell keeps its place in a pasted column, and a quote that is not closed is a character', async () => {
  expect(await pastedIn('a\n\nb\n')).toEqual([['a'], [''], ['b']])
  expect(await pastedIn('"a\nb"\tc\n')).toEqual([['a\nb', 'c']])
  expect(await pastedIn('"Hello,\tshe said\r\n')).toEqual([['"Hello,', 'she said']])
})
