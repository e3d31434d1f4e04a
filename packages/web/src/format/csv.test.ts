import { expect, test } from 'vitest'
import { parseExact } from '../api/exact-json.ts'
import type { Json } from '../api/registry/registry.ts'
import { rowsOf, tableIn } from '../testsets/table-text.ts'
import { CSV_START, csvLine, unguarded } from './csv.ts'

test('values keep all their digits; objects are JSON, what is missing is empty', () => {
  const values = ['a', 0.1 + 0.2, -5, 1e-7, parseExact<Json>('9007199254740993'), true, null, undefined, { a: [1] }]
  expect(csvLine(values)).toBe('a,0.30000000000000004,-5,1e-7,9007199254740993,true,,,"{""a"":[1]}"\r\n')
})

test.each([
  ['=HYPERLINK("x")', `"'=HYPERLINK(""x"")"\r\n`],
  ['+1 555 0100', "'+1 555 0100\r\n"],
  ['- a list', "'- a list\r\n"],
  ['@SUM(A1)', "'@SUM(A1)\r\n"],
  ["'=1", "''=1\r\n"],
  ['-5', '-5\r\n'],
  ['+1.5e3', '+1.5e3\r\n'],
  ["it's", "it's\r\n"],
])('a spreadsheet does not carry out %j, and it is read back', (text, line) => {
  expect(csvLine([text])).toBe(line)
  expect(unguarded(line.startsWith('"') ? text : line.trimEnd())).toBe(text)
})

test('a file is read back as it was', async () => {
  const rows: Record<string, string>[] = [
    { '=name': '', text: '=1+1' },
    { '=name': ' x ', text: 'two\nlines, "quoted"' },
    { '=name': "'", text: "'-\r\n" },
  ]
  const columns = ['=name', 'text']
  const text = `${CSV_START}${csvLine(columns)}${rows.map(row => csvLine(columns.map(name => row[name]))).join('')}`
  expect(rowsOf(await tableIn(text, ','), false)).toEqual(rows)
  const single = `${csvLine(['only'])}${csvLine([''])}${csvLine(['b'])}`
  expect(rowsOf(await tableIn(single, ','), false)).toEqual([{ only: '' }, { only: 'b' }])
})
