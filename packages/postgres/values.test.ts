import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { onEachDatabase } from './database.testing.ts'
import { toJsonb } from './values.ts'

test.each<[unknown, string | null]>([
  [undefined, null],
  [null, null],
  [{ a: 'ü😀' }, '{"a":"ü😀"}'],
  [{ 'k\ud800': ['\udc00x'] }, '{"k\\ufffd":["\\ufffdx"]}'],
  ['\\ud800', '"\\\\ud800"'],
  ['\\\ud800\ud83d\ude00', '"\\\\\\ufffd😀"'],
])('%j is stored as %s', (value, text) => {
  expect(toJsonb(value as string)).toBe(text)
})

onEachDatabase('jsonb', postgres => {
  test('takes any text that JavaScript has, but for NUL', async () => {
    const stored = toJsonb({ text: 'a\ud800b\udfff', escape: '\\ud800' })
    const { rows } = await sql<{ value: unknown }>`select ${stored}::jsonb as value`.execute(postgres().db)
    expect(rows).toEqual([{ value: { text: 'a\ufffdb\ufffd', escape: '\\ud800' } }])
  })
})
