import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { onEachDatabase } from './database.testing.ts'
import { toJsonb, toJsonbInTurns, withoutNuls } from './values.ts'

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

test.each<[object, object]>([
  [{ a: 'ü' }, { a: 'ü' }],
  [{ 'k\0': ['\0x', '\\u0000', 1] }, { 'k\ufffd': ['\ufffdx', '\\u0000', 1] }],
])('%j without NULs is %j', (value, expected) => {
  expect(withoutNuls(value)).toEqual(expected)
})

onEachDatabase('jsonb', postgres => {
  test('takes any text that JavaScript has, but for NUL', async () => {
    const stored = toJsonb({ text: 'a\ud800b\udfff', escape: '\\ud800' })
    const { rows } = await sql<{ value: unknown }>`select ${stored}::jsonb as value`.execute(postgres().db)
    expect(rows).toEqual([{ value: { text: 'a\ufffdb\ufffd', escape: '\\ud800' } }])
  })
})

onEachDatabase('parameters', postgres => {
  test('of every kind arrive as the type that the statement gives them', async () => {
    const texts = ['a"b', '\\', 'c,d', null]
    const { rows } =
      await sql`select ${texts}::text[] as texts, ${[]}::int[] as none, ${{ a: [1, 'x'] }}::jsonb as json,
      ${true}::bool as yes, ${7}::text as digits, ${2 ** 40}::int8 as long, ${1.5}::float8 as half, ${null}::uuid as nil,
      encode(${Buffer.from([0, 255, 39])}::bytea, 'hex') as bytes, ${'😀'} || ${undefined}::text is null as unknown`.execute(
        postgres().db,
      )
    const json = { a: [1, 'x'] }
    const numbers = { digits: '7', long: 2 ** 40, half: 1.5 }
    expect(rows).toEqual([{ texts, none: [], json, yes: true, ...numbers, nil: null, bytes: '00ff27', unknown: true }])
  })

  test('of the wrong type fail their statement alone', async () => {
    const { db } = postgres()
    await expect(sql`select ${'x'}::int`.execute(db)).rejects.toMatchObject({ code: '22P02' })
    const inTransaction = db.transaction().execute(async trx => {
      await sql`select ${'y'}::uuid`.execute(trx)
    })
    await expect(inTransaction).rejects.toMatchObject({ code: '22P02' })
    const { rows } = await sql`select ${1}::int + ${2}::int as sum`.execute(db)
    expect(rows).toEqual([{ sum: 3 }])
  })
})
