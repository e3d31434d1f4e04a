import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { onEachDatabase } from './database.testing.ts'
import { toJsonb, toJsonbInTurns } from './values.ts'

test.each<[unknown, string | null]>([
  [undefined, null],
  [null, null],
  [{ a: 'ü😀' }, '{"a":"ü😀"}'],
  [{ 'k\ud800': ['\udc00x'] }, '{"k\\ufffd":["\\ufffdx"]}'],
  ['\\ud800', '"\\\\ud800"'],
  ['\\\ud800\ud83d\ude00', '"\\\\\\ufffd😀"'],
])('%j is stored as %s', async (value, text) => {
  expect(toJsonb(value as string)).toBe(text)
  expect(await toJsonbInTurns(value as string)).toBe(text)
})

test('a long value is written in turns as it is in one go', async () => {
  const value = { text: 'é"\\\ud800'.repeat(100_000), list: Array.from({ length: 50_000 }, (_, at) => ({ at })) }
  expect(await toJsonbInTurns(value)).toBe(toJsonb(value))
})

onEachDatabase('jsonb', postgres => {
  test('takes any text that JavaScript has, but for NUL', async () => {
    const stored = toJsonb({ text: 'a\ud800b\udfff', escape: '\\ud800' })
    const { rows } = await sql<{ value: unknown }>`select ${stored}::jsonb as value`.execute(postgres().db)
    expect(rows).toEqual([{ value: { text: 'a\ufffdb\ufffd', escape: '\\ud800' } }])
  })
})
