import type { JsonObject } from '@spanhouse/model'
import { expect, test } from 'vitest'
import { withDedupIds } from './dedup.ts'

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
