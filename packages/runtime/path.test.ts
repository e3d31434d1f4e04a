import type { Json } from '@spanhouse/model'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { valueAtPath } from './index.ts'
import { mistakeInPath } from './path.ts'

const DOCUMENT: Json = {
  'a.b': 'literal',
  'n.b': null,
  a: { b: 'inner', list: [{ t: 1 }, { t: 2 }, { t: 3 }], 'x y': null, 'it/s~': true },
  list: [10, 20, 30, 40],
}

test.each<[string, Json | undefined]>([
  ['', DOCUMENT],
  ['a.b', 'literal'],
  ['n.b', null],
  ['a.list.1.t', 2],
  ['a.list.01', undefined],
  ['a.list.t', undefined],
  ['a.x y', null],
  ['a.nope.b', undefined],
  ['constructor', undefined],
  ['list.length', undefined],
  ['/a/b', 'inner'],
  ['/a/list/0/t', 1],
  ['/a/it~1s~0', true],
  ['/a.b', 'literal'],
  ['/nope', undefined],
  ['$', DOCUMENT],
  ['$.a.b', 'inner'],
  ["$['a.b']", 'literal'],
  ['$["a"]["x y"]', null],
  ['$.list[1]', 20],
  ['$.list[-1]', 40],
  ['$.list[9]', undefined],
  ['$.list[*]', [10, 20, 30, 40]],
  ['$.list[1:3]', [20, 30]],
  ['$.list[:1]', 10],
  ['$.list[::2]', [10, 30]],
  ['$.list[::-1]', [40, 30, 20, 10]],
  ['$.list[-2:]', [30, 40]],
  ['$..t', [1, 2, 3]],
  ['$..list[0]', [10, { t: 1 }]],
  ['$.a.list[*].t', [1, 2, 3]],
  ['$.a.*', ['inner', [{ t: 1 }, { t: 2 }, { t: 3 }], null, true]],
  ['$.nope', undefined],
  ['$x', undefined],
  ['$.', undefined],
  ['$..', undefined],
  ['$[?(@.t)]', undefined],
])('%s', (path, value) => {
  expect(valueAtPath(DOCUMENT, path)).toEqual(value)
})

test('a slice selects what RFC 9535 says, whatever its bounds and its step', () => {
  const bound = fc.option(fc.integer({ min: -7, max: 7 }))
  fc.assert(
    fc.property(fc.nat(5), bound, bound, bound, (length, from, to, step) => {
      const list = Array.from({ length }, (_, at) => at)
      const path = `$[${from ?? ''}:${to ?? ''}${step === null ? '' : `:${step}`}]`
      const hits = sliced(length, [from, to, step ?? 1])
      expect(valueAtPath(list, path)).toEqual(hits.length > 1 ? hits : hits[0])
    }),
    { numRuns: 1_000 },
  )
})

/** The indexes in a slice, as section 2.3.4.2 defines them. */
function sliced(length: number, [from, to, step]: [number | null, number | null, number]): number[] {
  const normal = (index: number): number => (index >= 0 ? index : length + index)
  const within = (index: number, low: number, high: number): number => Math.min(Math.max(normal(index), low), high)
  const hits: number[] = []
  if (step > 0) {
    const end = within(to ?? length, 0, length)
    for (let at = within(from ?? 0, 0, length); at < end; at += step) hits.push(at)
  } else if (step < 0) {
    const end = within(to ?? -length - 1, -1, length - 1)
    for (let at = within(from ?? length - 1, -1, length - 1); at > end; at += step) hits.push(at)
  }
  return hits
}

test.each([
  ['$[?(@.t)]', 'has a filter, and filters are not supported'],
  ["$.a[?(@.x=='1')].x", 'has a filter, and filters are not supported'],
  ['$x', 'cannot be read as a JSONPath'],
  ['$.a[', 'cannot be read as a JSONPath'],
  ["$['a', 'list']", 'cannot be read as a JSONPath'],
  ['$.list[0,1]', 'cannot be read as a JSONPath'],
  ['$..', 'cannot be read as a JSONPath'],
  ['$.nope', null],
  ['$', null],
  ['/nope', null],
  ['a[', null],
])('%s: %s', (path, mistake) => expect(mistakeInPath(path)).toBe(mistake))
