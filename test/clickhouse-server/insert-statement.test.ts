import { expect, test } from 'vitest'
import { fromFile, parseInsert } from './insert-statement.ts'

const withData: [text: string, rewritten: string, data: string][] = [
  ['INSERT INTO t FORMAT TSV\na\n\nb\n', "INSERT INTO t  FROM INFILE '/f'  FORMAT TSV", 'a\n\nb\n'],
  ['insert into t format JSONEachRow {"a":1}', "insert into t  FROM INFILE '/f'  FORMAT JSONEachRow", '{"a":1}'],
  ['INSERT INTO t FORMAT RowBinary\r\n\n\n', "INSERT INTO t  FROM INFILE '/f'  FORMAT RowBinary", '\n\n'],
  [
    'INSERT INTO db.`format` (`a``)`, "select") SETTINGS x = \'FORMAT CSV\' FORMAT TSV \n1',
    "INSERT INTO db.`format` (`a``)`, \"select\")  FROM INFILE '/f' SETTINGS x = 'FORMAT CSV'  FORMAT TSV",
    '1',
  ],
  [
    '-- FORMAT CSV\n/* VALUES */ INSERT INTO t (* EXCEPT (values)) FORMAT TSV\n',
    "-- FORMAT CSV\n/* VALUES */ INSERT INTO t (* EXCEPT (values))  FROM INFILE '/f'  FORMAT TSV",
    '',
  ],
  ['INSERT INTO {t:Identifier} FORMAT TSV', "INSERT INTO {t:Identifier}  FROM INFILE '/f'  FORMAT TSV", ''],
]

test.each(withData)('%j reads its data from a file', (text, rewritten, data) => {
  const bytes = Buffer.from(text)
  const insert = parseInsert(bytes)
  if (insert === undefined) throw new Error('not recognised')
  expect(fromFile(insert, '/f')).toBe(rewritten)
  expect(bytes.toString('utf8', insert.dataStart)).toBe(data)
})

test.each([
  'SELECT 1 FORMAT TSV',
  "INSERT INTO t VALUES ('FORMAT TSV')",
  'INSERT INTO t SETTINGS async_insert = 0 VALUES (1)',
  'INSERT INTO t SELECT a FROM s FORMAT TSV',
  "INSERT INTO t FROM INFILE 'x' FORMAT TSV",
  'INSERT INTO t',
  '',
])('%j is left to the engine', text => {
  expect(parseInsert(Buffer.from(text))).toBeUndefined()
})

test('data that are not text stay as they are', () => {
  const bytes = Buffer.concat([Buffer.from('INSERT INTO tabelle_ä FORMAT RowBinary '), Buffer.from([0xff, 0, 10, 10])])
  expect(parseInsert(bytes)).toMatchObject({ head: 'INSERT INTO tabelle_ä ', dataStart: bytes.length - 4 })
})

test('a SELECT from input() is refused, since the engine would drop its rows', () => {
  const text = "INSERT INTO t SELECT a FROM input('a String') FORMAT TSV\nx"
  expect(() => parseInsert(Buffer.from(text))).toThrow(expect.objectContaining({ code: 48 }))
})
