import { expect, test } from 'vitest'
import {
  allOf,
  anyOf,
  decimal,
  float,
  int,
  join,
  printSql,
  type Sql,
  sql,
  text,
  textLists,
  texts,
  uuid,
} from './sql.ts'

test('prints literal text and named parameters', () => {
  const inner = sql`a = ${text("it's")} AND b IN ${texts(['x', 'y'])}`
  expect(printSql(sql`SELECT ${int(5)} WHERE ${inner} OR c = ${float(1e-7)}`)).toEqual({
    text: 'SELECT {p1:Int64} WHERE a = {p2:String} AND b IN {p3:Array(String)} OR c = {p4:Float64}',
    params: { p1: 5, p2: "it's", p3: ['x', 'y'], p4: '1e-7' },
  })
})

test('equal scalars of one type share a parameter', () => {
  expect(printSql(sql`${text('5')} ${text('5')} ${int(5)} ${decimal('5', 18, 6)} ${uuid('5')}`)).toEqual({
    text: '{p1:String} {p1:String} {p2:Int64} {p3:Decimal(18, 6)} {p4:UUID}',
    params: { p1: '5', p2: 5, p3: '5', p4: '5' },
  })
})

test('joins, with nothing for nothing', () => {
  const parts = [sql`a`, sql`b`, sql`c`]
  expect(printSql(join(parts)).text).toBe('a, b, c')
  expect(printSql(join([])).text).toBe('')
  expect(printSql(allOf(parts)).text).toBe('(a AND b AND c)')
  expect(printSql(anyOf(parts)).text).toBe('(a OR b OR c)')
  expect(printSql(allOf([sql`a`])).text).toBe('a')
  expect([printSql(allOf([])).text, printSql(anyOf([])).text]).toEqual(['true', 'false'])
})

test.each([
  ['a text', "'; DROP TABLE spans"],
  ['a number', 5],
  ['an object that looks like a parameter', { type: 'String', value: 'x' }],
  ['an object that looks like a fragment', { parts: ['DROP TABLE spans'] }],
  ['nothing', undefined],
])('refuses %s in a hole', (_name, hole) => {
  expect(() => sql`SELECT ${hole as unknown as Sql}`).toThrow(TypeError)
  expect(() => join([hole as unknown as Sql])).toThrow(TypeError)
})

test('cuts long lists into parameters that fit a form field', () => {
  const values = Array.from({ length: 10_000 }, (_, index) => `value ${index} é`)
  const { text: printed, params } = printSql(sql`${texts(values)}`)
  expect(printed).toMatch(
    /^arrayConcat\(\{p1:Array\(String\)\}, \{p2:Array\(String\)\}(, \{p\d+:Array\(String\)\})+\)$/,
  )
  expect(Object.values(params).flat()).toEqual(values)
  for (const chunk of Object.values(params)) expect(JSON.stringify(chunk).length).toBeLessThan(131_072)
})

test('a list may be empty and may have values longer than a field', () => {
  expect(printSql(sql`${texts([])}`)).toEqual({ text: '{p1:Array(String)}', params: { p1: [] } })
  const long = 'x'.repeat(60_000)
  expect(Object.values(printSql(sql`${texts([long, long, 'y'])}`).params)).toEqual([[long], [long], ['y']])
  expect(printSql(sql`${textLists([['a', 'b'], []])}`)).toEqual({
    text: '{p1:Array(Array(String))}',
    params: { p1: [['a', 'b'], []] },
  })
})
