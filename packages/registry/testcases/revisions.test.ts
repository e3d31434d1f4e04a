import type { JsonObject } from '@spanhouse/model'
import { onEachDatabase } from '@spanhouse/postgres/database.testing.ts'
import { validate } from '@spanhouse/validation'
import { beforeAll, expect, test } from 'vitest'
import { commitRevision } from '../commit.ts'
import { testsetContent } from '../content/testset-content.ts'
import type { Scope } from '../kind.ts'
import { newScope } from '../registry.testing.ts'
import { createSimple, editSimple } from '../simple.ts'
import { testcaseIdsOf, testsetDelta } from './delta.ts'
import { readTestcases } from './table.ts'

onEachDatabase('revisions of testsets', postgres => {
  let scope: Scope
  beforeAll(async () => {
    scope = (await newScope(postgres()))('testset')
  })
  let count = 0
  const newTestset = (data?: object) =>
    createSimple(scope, { slug: `t${count++}`, ...(data && { data: validate(testsetContent.data, data, 'body') }) })
  const rowsOf = async (data: JsonObject | null): Promise<JsonObject[]> => {
    const ids = testcaseIdsOf(data)
    const rows = await readTestcases(scope, ids)
    return ids.map(id => rows.get(id)?.data as JsonObject)
  }
  const cases = (...rows: object[]) =>
    validate(testsetContent.data, { testcases: rows.map(data => ({ data })) }, 'body')
  const deltaOf = (delta: object) => validate(testsetDelta, delta, 'body')

  test('no rows are an empty list, which is data', async () => {
    expect((await newTestset()).data).toEqual({ testcase_ids: [] })
    const { variant_id } = await newTestset({ testcases: [{ data: { a: 1 } }] })
    const { row } = await commitRevision(scope, { variant_id, data: cases() })
    expect(row.data).toEqual({ testcase_ids: [] })
  })

  test('columns keep their order and values their digits', async () => {
    const { variant_id } = await newTestset()
    const data = { z: 'first', a: { y: [1, null], x: '\u0000\ud800 é' }, 10: 1.5, t: false }
    const { row } = await commitRevision(scope, { variant_id, data: cases(data) })
    const [read] = await rowsOf(row.data)
    expect(JSON.stringify(read)).toBe(JSON.stringify(data))
  })

  test('rows that are alike share an id when committed, and not on the flat surface', async () => {
    const { id, variant_id, data } = await newTestset({ testcases: [{ data: { a: 1 } }, { data: { a: 1 } }] })
    expect(new Set(testcaseIdsOf(data)).size).toBe(2)
    const { row } = await commitRevision(scope, { variant_id, data: cases({ a: 1 }, { b: 1 }, { a: 1 }) })
    const [one, , other] = testcaseIdsOf(row.data)
    expect(one).toBe(other)
    expect(await rowsOf(row.data)).toEqual([{ a: 1 }, { b: 1 }, { a: 1 }])
    const again = await editSimple(scope, id, { data: cases(...(await rowsOf(data))) })
    expect(testcaseIdsOf(again?.data ?? null)).toEqual(testcaseIdsOf(data))
  })

  test('ids of no row are refused, by their place', async () => {
    const { variant_id, data } = await newTestset({ testcases: [{ data: { a: 1 } }] })
    const testcase_ids = [...testcaseIdsOf(data), '019d9ca1-0000-7000-8000-000000000000']
    await expect(commitRevision(scope, { variant_id, data: { testcase_ids } })).rejects.toMatchObject({
      status: 422,
      detail: [{ loc: ['body', 'data', 'testcase_ids', 1] }],
    })
    const own = testcaseIdsOf(data)
    const { row } = await commitRevision(scope, { variant_id, data: { testcase_ids: [...own, ...own] } })
    expect(row.data).toEqual({ testcase_ids: [...own, ...own] })
  })

  test('a delta changes columns, then rows', async () => {
    const { variant_id } = await newTestset()
    const base = cases({ city: 'Rome', days: 1 }, { city: 'Paris', days: 2 }, { city: 'Bern', days: 3 }, {})
    const { row: first } = await commitRevision(scope, { variant_id, data: base })
    const [r1, , r3, empty] = testcaseIdsOf(first.data)
    const delta = deltaOf({
      columns: { replace: [['days', 'nights']], add: ['note'] },
      rows: {
        remove: [r1],
        replace: [
          { id: r3, data: { city: 'Basel' } },
          { id: r1, data: { city: 'no' } },
          { id: '019d9ca1-0000-7000-8000-000000000000', data: {} },
        ],
        add: [{ data: { city: 'Oslo', nights: 2 } }],
      },
    })
    const { row } = await commitRevision(scope, { variant_id, delta })
    expect(row.message).toBe('Patched testset revision')
    expect(await rowsOf(row.data)).toEqual([
      { city: 'Paris', nights: 2, note: '' },
      { city: 'Basel' },
      {},
      { city: 'Oslo', nights: 2 },
    ])
    expect(testcaseIdsOf(row.data)[2]).toBe(empty)
    const older = deltaOf({ rows: { remove: [r3] } })
    const { row: third } = await commitRevision(scope, { delta_base_id: first.id, delta: older, message: 'm' })
    expect(third).toMatchObject({ variant_id, version: 4, message: 'm' })
    expect(await rowsOf(third.data)).toHaveLength(3)
  })

  test('what is said about rows stays with them', async () => {
    const { variant_id } = await newTestset()
    const said = { flags: { f: true }, tags: { t: 'x' }, meta: { n: null } }
    const data = validate(testsetContent.data, { testcases: [{ data: { a: 1 }, ...said }, { data: { a: 1 } }] }, 'body')
    const { row } = await commitRevision(scope, { variant_id, data })
    const delta = deltaOf({ columns: { add: ['b'] } })
    const { row: next } = await commitRevision(scope, { variant_id, delta })
    for (const one of [row, next]) {
      const ids = testcaseIdsOf(one.data)
      const rows = await readTestcases(scope, ids)
      expect(ids.map(id => rows.get(id))).toMatchObject([said, { flags: null, tags: null, meta: null }])
    }
  })

  test('too many rows or bytes are refused, and nothing is stored', async () => {
    const { variant_id } = await newTestset()
    const many = Array.from({ length: 10_001 }, (_, n) => ({ n }))
    expect(() => cases(...many)).toThrow('10001 rows')
    const unread = { testcases: many.map(data => ({ data })) }
    await expect(commitRevision(scope, { variant_id, data: unread })).rejects.toMatchObject({ status: 400 })
    const large = Array.from({ length: 11 }, (_, n) => ({ n, text: 'x'.repeat(1024 ** 2) }))
    await expect(commitRevision(scope, { variant_id, data: cases(...large) })).rejects.toMatchObject({ status: 400 })
    const { row } = await commitRevision(scope, { variant_id, data: cases({}) })
    const [id] = testcaseIdsOf(row.data) as [string]
    const tooMany = { testcase_ids: Array.from({ length: 10_001 }, () => id) }
    await expect(commitRevision(scope, { variant_id, data: tooMany })).rejects.toMatchObject({ status: 400 })
    expect(row.version).toBe(2)
  })

  test('what is nested without end is refused', async () => {
    const { variant_id } = await newTestset()
    let deep: JsonObject = {}
    for (let depth = 0; depth < 10_000; depth++) deep = { deep }
    for (const testcase of [{ data: deep }, { data: {}, meta: deep }] as JsonObject[]) {
      const data = { testcases: [testcase] }
      await expect(commitRevision(scope, { variant_id, data })).rejects.toMatchObject({ status: 400 })
    }
  })

  test('ten thousand rows are stored and read', async () => {
    const { variant_id } = await newTestset()
    const rows = Array.from({ length: 10_000 }, (_, n) => ({ n, text: 'x'.repeat(900) }))
    const { row } = await commitRevision(scope, { variant_id, data: cases(...rows) })
    expect(await rowsOf(row.data)).toEqual(rows)
  })

  test('another project has none of it', async () => {
    const { data } = await newTestset({ testcases: [{ data: { a: 1 } }] })
    const other = (await newScope(postgres()))('testset')
    expect((await readTestcases(other, testcaseIdsOf(data))).size).toBe(0)
  })
})
