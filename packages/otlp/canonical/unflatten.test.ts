import type { Json, JsonObject } from '@spanhouse/model'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { attributes } from '../exports.testing.ts'
import { mergeBelow, unflatten } from './unflatten.ts'

const of = (flat: JsonObject) => unflatten(new Map(Object.entries(flat)))

describe('without conflicts', () => {
  test.each<[string, JsonObject, JsonObject]>([
    ['dots nest', { 'a.b.c': 1 }, { a: { b: { c: 1 } } }],
    ['one segment', { a: 1, b: null }, { a: 1, b: null }],
    ['digits under a new parent make a list', { 'a.0.x': 1, 'a.1.x': 2 }, { a: [{ x: 1 }, { x: 2 }] }],
    ['an inner gap is an empty container', { 'a.0.x': 1, 'a.2.x': 2 }, { a: [{ x: 1 }, {}, { x: 2 }] }],
    ['an inner gap of lists', { 'a.1.0': 1 }, { a: [[], [1]] }],
    ['a last gap is null', { 'a.0': 1, 'a.2': 3 }, { a: [1, null, 3] }],
    ['gaps are filled by what comes later', { 'a.2': 3, 'a.0': 1, 'a.1': 2 }, { a: [1, 2, 3] }],
    ['inner gaps too', { 'a.1.x': 1, 'a.0.y': 2 }, { a: [{ y: 2 }, { x: 1 }] }],
    ['lists in lists', { 'a.0.0': 1, 'a.0.1': 2 }, { a: [[1, 2]] }],
    ['digits under an object are a key', { 'a.x': 1, 'a.0': 2 }, { a: { x: 1, 0: 2 } }],
    ['digits at the top are a key', { 0: 1, '1.a': 2 }, { 0: 1, 1: { a: 2 } }],
    ['digits with a leading zero are a key', { 'a.00': 1 }, { a: { '00': 1 } }],
    ['digits without end are a key', { 'a.99999999999.b': 1 }, { a: { 99999999999: { b: 1 } } }],
    [
      'nested and dotted are merged',
      { ag: { type: { trace: 'x' } }, 'ag.type.span': 'llm' },
      { ag: { type: { trace: 'x', span: 'llm' } } },
    ],
    [
      'in either order',
      { 'ag.type.span': 'llm', ag: { type: { trace: 'x' } } },
      { ag: { type: { trace: 'x', span: 'llm' } } },
    ],
    ['nested at several levels', { 'a.b': { d: 2 }, a: { b: { c: 1 } } }, { a: { b: { c: 1, d: 2 } } }],
    ['dots inside nested values stay', { a: { 'b.c': 1 } }, { a: { 'b.c': 1 } }],
    ['a list is extended', { a: [1], 'a.1': 2 }, { a: [1, 2] }],
    ['an item is extended', { a: [{ x: 1 }], 'a.0.y': 2 }, { a: [{ x: 1, y: 2 }] }],
    ['empty segments are keys', { 'a..b': 1, '.': 2 }, { a: { '': { b: 1 } }, '': { '': 2 } }],
    ['equal values do not conflict', { a: { b: 1 }, 'a.b': 1 }, { a: { b: 1 } }],
    ['null gives way', { 'a.b': null, 'a.b.c': 1 }, { a: { b: { c: 1 } } }],
    ['null takes no place', { 'a.b.c': 1, 'a.b': null }, { a: { b: { c: 1 } } }],
    ['an empty object gives way', { 'a.b': {}, 'a.b.c': 1 }, { a: { b: { c: 1 } } }],
  ])('%s', (_, flat, tree) => {
    expect(of(flat)).toEqual({ tree, conflicts: {} })
  })
})

describe('conflicts', () => {
  test.each<[string, JsonObject, JsonObject, JsonObject]>([
    ['a plain value, then a deeper key', { 'a.b': 1, 'a.b.c': 2 }, { a: { b: 1 } }, { 'a.b.c': 2 }],
    ['a deeper key, then a plain value', { 'a.b.c': 2, 'a.b': 1 }, { a: { b: 1 } }, { 'a.b': { c: 2 } }],
    ['a name under a list', { 'a.0': 1, 'a.b.c': 2 }, { a: [1] }, { 'a.b.c': 2 }],
    ['two plain values: the longer key stays', { a: { b: 1 }, 'a.b': 2 }, { a: { b: 2 } }, { 'a.b': 1 }],
    ['in either order', { 'a.b': 2, a: { b: 1 } }, { a: { b: 2 } }, { 'a.b': 1 }],
    ['a plain value and an object', { a: { b: 1 }, 'a.b': { c: 2 } }, { a: { b: 1 } }, { 'a.b': { c: 2 } }],
    [
      'objects that share members',
      { a: { b: { c: 1, d: 1 } }, 'a.b': { c: 2 } },
      { a: { b: { c: 2, d: 1 } } },
      { 'a.b': { c: 1 } },
    ],
    ['a list and an object', { a: { b: [1] }, 'a.b': { c: 2 } }, { a: { b: { c: 2 } } }, { 'a.b': [1] }],
    ['too many gaps', { 'a.0': 1, 'a.2000': 2 }, { a: [1] }, { 'a.2000': 2 }],
    ['too many gaps in the middle', { 'a.5000.x.y': 2 }, { a: [] }, { 'a.5000.x.y': 2 }],
  ])('%s', (_, flat, tree, conflicts) => {
    expect(of(flat)).toEqual({ tree, conflicts })
  })

  test('the gaps of all lists are limited together', () => {
    const { tree, conflicts } = of(Object.fromEntries(['a', 'b', 'c'].map(key => [`${key}.400`, 1])))
    expect([tree.a, tree.b, tree.c].map(list => (list as Json[]).length)).toEqual([401, 401, 0])
    expect(conflicts).toEqual({ 'c.400': 1 })
  })

  test('a key of too many segments stays in one piece', () => {
    const key = Array(101).fill('a').join('.')
    expect(of({ [key]: 1 })).toEqual({ tree: { [key]: 1 }, conflicts: {} })
  })
})

describe('any attributes', () => {
  const leaves = (value: Json): string[] =>
    typeof value === 'object' && value !== null && !JSON.stringify(value).startsWith('"')
      ? Object.values(value).flatMap(one => leaves(one as Json))
      : [JSON.stringify(value)]
  const isVoid = (leaf: string) => leaf === 'null'

  test('no value is lost, made up or doubled', () => {
    fc.assert(
      fc.property(attributes, flat => {
        const sent = leaves(flat).filter(leaf => !isVoid(leaf))
        const { tree, conflicts } = unflatten(new Map(Object.entries(structuredClone(flat))))
        const kept = [...leaves(tree), ...leaves(conflicts)].filter(leaf => !isVoid(leaf))
        // Equal values in the same place become one.
        expect(new Set(kept)).toEqual(new Set(sent))
        expect(kept.length).toBeLessThanOrEqual(sent.length)
      }),
      { numRuns: 500 },
    )
  })

  test('the same attributes in another order make the same tree, lists aside', () => {
    const noDigits = attributes.map(flat =>
      Object.fromEntries(Object.entries(flat).filter(([key]) => !/(^|\.)\d+(\.|$)/.test(key))),
    )
    fc.assert(
      fc.property(noDigits, flat => {
        const there = unflatten(new Map(Object.entries(structuredClone(flat))))
        const back = unflatten(new Map(Object.entries(structuredClone(flat)).reverse()))
        expect(back.tree).toEqual(there.tree)
      }),
      { numRuns: 300 },
    )
  })

  test('no prototype is touched', () => {
    const { tree } = of(
      JSON.parse('{"__proto__.polluted":1,"a.__proto__":{"polluted":1},"constructor.prototype.polluted":1}'),
    )
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
    expect(JSON.parse(JSON.stringify(tree))).toEqual(
      JSON.parse(
        '{"__proto__":{"polluted":1},"a":{"__proto__":{"polluted":1}},"constructor":{"prototype":{"polluted":1}}}',
      ),
    )
  })
})

test.each<[JsonObject, JsonObject, JsonObject, JsonObject | undefined]>([
  [{ a: 1 }, { b: 2 }, { a: 1, b: 2 }, undefined],
  [{ a: 1 }, { a: 2 }, { a: 1 }, { a: 2 }],
  [{ a: null }, { a: 2 }, { a: 2 }, undefined],
  [{ a: { b: 1 } }, { a: { b: 2, c: 3 } }, { a: { b: 1, c: 3 } }, { a: { b: 2 } }],
  [{ a: 1 }, { a: { b: 2 } }, { a: 1 }, { a: { b: 2 } }],
  [{ a: 1 }, { a: 1 }, { a: 1 }, undefined],
])('mergeBelow %j %j', (upper, lower, merged, losers) => {
  expect(mergeBelow(upper, lower)).toEqual(losers)
  expect(upper).toEqual(merged)
})
