import type { JsonObject } from '@spanhouse/model'
import { expect, test } from 'vitest'
import { withDedupIds } from './dedup.ts'
import type { TestcaseBody } from './testcase.ts'

const dedup = async (...rows: (JsonObject & { id?: string })[]): Promise<unknown[]> => {
  const bodies = rows.map(({ id, ...data }) => ({ ...(id !== undefined && { id }), data }))
  return (await withDedupIds(bodies)).map(row => row.data)
}
const HEX = expect.stringMatching(/^[0-9a-f]{12}$/)

test('rows that are alike are told apart, the same way each time', async () => {
  const [a, b] = (await dedup({ x: 1 }, { x: 1 })) as { testcase_dedup_id: string }[]
  expect(a).toEqual({ x: 1, testcase_dedup_id: HEX })
  expect(a?.testcase_dedup_id).not.toBe(b?.testcase_dedup_id)
  expect(await dedup({ x: 1 }, { x: 1 })).toEqual([a, b])
  expect(await dedup({ x: 1, id: 'row' })).not.toEqual([a])
})

test.each<[string, JsonObject, JsonObject]>([
  ['its own', { testcase_dedup_id: 'mine' }, { testcase_dedup_id: 'mine' }],
  ['from a file', { a: 1, __dedup_id__: 'f' }, { a: 1, testcase_dedup_id: 'f' }],
  ['both', { testcase_dedup_id: 'mine', __dedup_id__: 'f' }, { testcase_dedup_id: 'mine' }],
  ['blank', { testcase_dedup_id: ' ', __dedup_id__: 'f' }, { testcase_dedup_id: 'f' }],
  ['blank in the file', { __dedup_id__: '' }, { testcase_dedup_id: HEX as unknown as string }],
  ['a column for ids', { testcase_id: 'x' }, { testcase_id: 'x', testcase_dedup_id: HEX as unknown as string }],
])('%s', async (_name, row, expected) => {
  expect(await dedup(row)).toEqual([expected])
})

test('an id in the column for ids names the row', async () => {
  const testcase_id = '019d9ca1-0000-7000-8000-000000000000'
  const [one] = (await dedup({ a: 1, testcase_id })) as { testcase_dedup_id: string }[]
  const [other] = (await dedup({ a: 2, testcase_id })) as { testcase_dedup_id: string }[]
  expect(one?.testcase_dedup_id).toBe(other?.testcase_dedup_id)
  expect(one).toMatchObject({ testcase_id })
})

test('rows with columns of their own are not copied, which would cost more than parsing them', async () => {
  const texts = Array.from({ length: 1_000 }, (_, row) => {
    const members = Array.from({ length: 250 }, (_, column) => `"column-${column}-of-${row}":1`)
    return `{"testcase_dedup_id":"mine",${members.join()}}`
  })
  const begin = process.cpuUsage()
  const rows: TestcaseBody[] = texts.map(text => ({ data: JSON.parse(text) }))
  const parsing = process.cpuUsage(begin).user
  const parsed = process.cpuUsage()
  await withDedupIds(rows)
  expect(process.cpuUsage(parsed).user).toBeLessThan(parsing / 2)
})
