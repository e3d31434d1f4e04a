import type { Json } from '@spanhouse/model'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isSameContent, isSameJson } from './equality.ts'

test.each<[Json | undefined, Json | undefined, boolean, boolean]>([
  [{ a: 1, b: 2 }, { b: 2, a: 1 }, true, true],
  [{ a: 1 }, { a: 1, b: null }, false, true],
  [{ a: { b: { c: ' ' } } }, {}, false, true],
  [{ a: { b: [] } }, {}, false, false],
  [undefined, { a: {} }, false, true],
  [null, undefined, false, true],
  [[null], [{}], false, true],
  [[], {}, false, false],
  [[1], [1, 2], false, false],
  [{ ['__proto__']: 1 }, {}, false, false],
])('%j and %j', (a, b, isJson, isContent) => {
  expect([isSameJson(a, b), isSameJson(b, a)]).toEqual([isJson, isJson])
  expect([isSameContent(a, b), isSameContent(b, a)]).toEqual([isContent, isContent])
})

test('a value is the same as itself, and whatever is the same as JSON is the same as content', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
      expect(isSameJson(a as Json, structuredClone(a) as Json)).toBe(true)
      if (isSameJson(a as Json, b as Json)) expect(isSameContent(a as Json, b as Json)).toBe(true)
    }),
  )
})

test('what is not set is looked through once, however deep it stands', () => {
  const make = (): Json => {
    const members = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`n${at}`, null]))
    let value: Json = { ...members, set: 1 }
    for (let depth = 0; depth < 200; depth++) value = { a: value }
    return value
  }
  const [one, other] = [make(), make()]
  const start = process.cpuUsage()
  expect(isSameContent(one, other)).toBe(true)
  expect(process.cpuUsage(start).user / 1_000).toBeLessThan(1_000)
})
