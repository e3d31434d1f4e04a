import type { JsonObject } from '@spanhouse/model'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { withDedupIds } from './dedup.ts'
import { type FileType, readTestcaseFile, testcaseFile } from './file.ts'
import type { TestcaseRow } from './table.ts'
import type { Testcase } from './testcase.ts'

const read = async (text: string | Buffer, type: FileType = 'csv'): Promise<unknown> =>
  readTestcaseFile(Buffer.from(text as string), type)
const dataOf = async (text: string | Buffer, type?: FileType): Promise<unknown[]> =>
  ((await read(text, type)) as { data: unknown }[]).map(row => row.data)

async function written(rows: TestcaseRow[], type: FileType): Promise<string> {
  const { content } = await testcaseFile(rows, type)
  return Buffer.concat(await content.map(Buffer.from).toArray()).toString()
}

let count = 0
const stored = ({ data, ...said }: Testcase): TestcaseRow => ({
  id: `00000000-0000-5000-8000-${String(count++).padStart(12, '0')}`,
  testset_id: '019d9ca1-0000-7000-8000-000000000000',
  data,
  flags: null,
  tags: null,
  meta: null,
  ...said,
  created_at: '2026-01-01T00:00:00Z',
  created_by_id: null,
})

describe('CSV', () => {
  test.each<[string, string | Buffer, object[]]>([
    ['nothing', '', []],
    ['columns only', 'a,b\n', []],
    ['every value is text', 'a,b,c\n1,true,\n', [{ a: '1', b: 'true', c: '' }]],
    ['a byte order mark', '\ufeffa\n1', [{ a: '1' }]],
    ['other line ends', 'a,b\r\n1,2\r3,4\n5,6', [1, 3, 5].map(n => ({ a: `${n}`, b: `${n + 1}` }))],
    ['empty lines', 'a,b\n\n1,2\n\n', [{ a: '1', b: '2' }]],
    ['an empty value alone', 'a\n""\n', [{ a: '' }]],
    ['quotes', 'a,b\n"x,""y""\nz",2\n', [{ a: 'x,"y"\nz', b: '2' }]],
    ['names of objects', 'constructor,toString\n1,2', [{ constructor: '1', toString: '2' }]],
    ['blank metadata', 'a,__flags__,__tags__,__meta__,__id__\n1,, ,,\n', [{ a: '1' }]],
  ])('%s', async (_name, text, rows) => {
    expect(await dataOf(text)).toEqual(rows)
  })

  test.each<[string, string | Buffer, RegExp]>([
    ['a short row', 'a,b\n1,2\n\n3\n', /row 2 \(line 4\)/],
    ['a long row', 'a,b\n1,2,3\n', /row 1 /],
    ['an open quote', 'a,b\n1,2\n"3,4\n', /row 2 /],
    ['a quote inside', 'a,b\n1,x"y"\n', /row 1 /],
    ['a column twice', 'a,b,a\n1,2,3\n', /"a" occurs twice/],
    ['UTF-16', Buffer.from('\ufeffa,b\n1,2', 'utf16le'), /UTF-8/],
    ['Latin-1', Buffer.from('a\ncafé', 'latin1'), /UTF-8/],
    ['metadata that is no JSON', 'a,__meta__\n1,{}\n2,x\n', /row 2: __meta__/],
    ['metadata that is no object', 'a,__tags__\n1,[1]\n', /row 1: __tags__/],
    ['too many rows', `a\n${'1\n'.repeat(10_001)}`, /10001 rows/],
    ['too many bytes', 'a'.repeat(10 * 1024 ** 2 + 1), /bytes/],
  ])('%s is refused', async (_name, text, message) => {
    await expect(read(text)).rejects.toMatchObject({ status: 400, message: expect.stringMatching(message) })
  })

  test('what is written: sorted columns, values as text, nothing that says nothing', async () => {
    const rows = [
      stored({ data: { b: true, a: null, c: [1, { x: 'y' }], testcase_dedup_id: 'one' }, tags: { t: 'x' } }),
      stored({ data: { b: false, a: 1.5, d: 'x,"y"\r' } }),
    ]
    expect(await written(rows, 'csv')).toBe(
      [
        '__dedup_id__,__id__,__tags__,a,b,c,d',
        `one,${rows[0]?.id},"{""t"":""x""}",,True,"[1,{""x"":""y""}]",`,
        `,${rows[1]?.id},,1.5,False,,"x,""y""\r"`,
        '',
      ].join('\n'),
    )
    expect(await written([], 'csv')).toBe('')
  })
})

describe('JSON', () => {
  test.each<[string, string, object[]]>([
    ['rows', '\ufeff[{"a":1,"b":null},{"a":[12345678901234567890]}]', [{ a: 1, b: null }, { a: [expect.anything()] }]],
    ['what is no row', '[{"a":1},2,null,["x"]]', [{ a: 1 }]],
    ['none', '[]', []],
  ])('%s', async (_name, text, rows) => {
    expect(await dataOf(text, 'json')).toEqual(rows)
  })

  test.each(['', '{"a":1}', '[{"a":1}', '"x"', '[{"__meta__":1}]'])('%j is refused', async text => {
    await expect(read(text, 'json')).rejects.toMatchObject({ status: 400 })
  })
})

test('rows with the same id are one, the last of them', async () => {
  expect(await read('__id__,a\nx,1\ny,2\nx,3\n,4\n,5\n')).toEqual([
    { id: 'x', data: { a: '3' } },
    { id: 'y', data: { a: '2' } },
    { data: { a: '4' } },
    { data: { a: '5' } },
  ])
})

test.each(['csv', 'json'] as const)('a row that is there twice comes back twice from %s', async type => {
  const [one, other] = [stored({ data: { a: '1' } }), stored({ data: { a: '2' } })]
  const back = await read(await written([one, other, one], type), type)
  expect(back).toMatchObject([{ id: one.id, data: one.data }, { id: other.id, data: other.data }, { data: one.data }])
})

const said = fc.option(fc.dictionary(fc.string({ minLength: 1 }), fc.string(), { minKeys: 1 }), { nil: undefined })
const name = fc.string().filter(text => !/^__(id|dedup_id|flags|tags|meta)__$/.test(text))
const rowsOf = (value: fc.Arbitrary<unknown>): fc.Arbitrary<Testcase[]> =>
  fc.array(fc.record({ data: fc.dictionary(name, value) as fc.Arbitrary<JsonObject>, tags: said, meta: said }), {
    maxLength: 6,
  })
const defined = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

test('from JSON the same rows come back', async () => {
  await fc.assert(
    fc.asyncProperty(rowsOf(fc.jsonValue()), async testcases => {
      const rows = await withDedupIds(testcases)
      const back = await withDedupIds(
        await readTestcaseFile(Buffer.from(await written(rows.map(stored), 'json')), 'json'),
      )
      expect(defined(back)).toEqual(defined(rows))
    }),
  )
})

test('from CSV the same texts come back', async () => {
  await fc.assert(
    fc.asyncProperty(rowsOf(fc.string()), async testcases => {
      const columns = new Set(testcases.flatMap(({ data }) => Object.keys(data)))
      const rows = await withDedupIds(
        testcases.map(({ data, ...more }) => ({
          ...more,
          data: Object.fromEntries<any>(
            [...columns].map(column => [column, Object.hasOwn(data, column) ? data[column] : '']),
          ),
        })),
      )
      const text = await written(rows.map(stored), 'csv')
      const back = await withDedupIds(await readTestcaseFile(Buffer.from(text), 'csv'))
      expect(defined(back)).toEqual(defined(rows))
    }),
  )
})

test('others get their turn while a large file is read', async () => {
  const text = `a,b\n${`${'x'.repeat(500)},"${'y'.repeat(500)}"\n`.repeat(9_999)}`
  let turns = 0
  let next = setImmediate(function take() {
    turns++
    next = setImmediate(take)
  })
  await read(text)
  clearImmediate(next)
  expect(turns).toBeGreaterThan(20)
})

describe('what is too large as CSV', () => {
  test('a header of a hundred thousand columns', async () => {
    const header = Array.from({ length: 100_000 }, (_, n) => `c${n}`).join()
    await expect(read(`${header}\n`)).rejects.toMatchObject({
      status: 400,
      detail: 'file: 100000 columns; a CSV file may have at most 10000',
    })
  })

  test('blank cells, each of which would be a member of an object', async () => {
    const header = Array.from({ length: 10_000 }, (_, n) => `c${n}`).join()
    const file = `${header}\n${`${','.repeat(9_999)}\n`.repeat(900)}`
    await expect(read(file)).rejects.toMatchObject({ status: 400, detail: expect.stringContaining('bytes of rows') })
  })

  test.each([
    ['other columns in each row', 500, 250, 'file_type: the rows have more than 10000 columns'],
    ['other columns in each of many rows', 2_000, 20, 'file_type: 10'],
    ['many rows with a column each', 10_000, 1, 'file_type: 10'],
  ])('%s', async (_name, rows, columns, detail) => {
    const row = (n: number): TestcaseRow =>
      stored({ data: Object.fromEntries(Array.from({ length: columns }, (_, c) => [`c${n * columns + c}`, 'x'])) })
    const testcases = Array.from({ length: rows }, (_, n) => row(n))
    await expect(testcaseFile(testcases, 'csv')).rejects.toMatchObject({
      status: 400,
      detail: expect.stringContaining(detail),
    })
    expect(JSON.parse(await written(testcases, 'json'))).toHaveLength(rows)
  })

  test('as many columns as there can be come back', async () => {
    const columns = Object.fromEntries(Array.from({ length: 9_998 }, (_, n) => [`c${n}`, `${n}`]))
    const [data] = await dataOf(await written([stored({ data: columns })], 'csv'))
    expect(data).toEqual(columns)
  })
})
