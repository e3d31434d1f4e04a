import fc from 'fast-check'
import { expect, test } from 'vitest'
import { pageOfIds } from './id-page.ts'

const idOf = (n: number): string => `0000000${n}-0000-5000-8000-000000000000`

test('pages visit every place of a list once, whatever is in it twice', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 12 }),
      fc.integer({ min: 1, max: 5 }),
      fc.constantFrom('ascending' as const, 'descending' as const, undefined),
      (numbers, limit, order) => {
        const ids = numbers.map(idOf)
        const visited: string[] = []
        let next: string | undefined
        do {
          const page = pageOfIds(ids, { limit, order, ...(next !== undefined && { next }) })
          visited.push(...page.ids)
          next = page.next
        } while (next !== undefined)
        expect(visited).toEqual(order === 'descending' ? ids.toReversed() : ids)
      },
    ),
  )
})

test.each<[string, number[], object, number[], string | undefined]>([
  ['everything', [1, 2, 3], {}, [1, 2, 3], undefined],
  ['a page', [1, 2, 3], { limit: 2 }, [1, 2], idOf(2)],
  ['a full last page', [1, 2], { limit: 2 }, [1, 2], undefined],
  ['after an id', [1, 2, 3], { next: idOf(1) }, [2, 3], undefined],
  ['after an id, backwards', [1, 2, 3], { next: idOf(2), order: 'descending' }, [1], undefined],
  ['after what is not there', [1, 2, 3], { next: idOf(9) }, [], undefined],
  ['past the end', [1], { next: '00000000-0000-8000-8000-0000000000ff' }, [], undefined],
])('%s', (_name, ids, windowing, expected, next) => {
  expect(pageOfIds(ids.map(idOf), windowing)).toEqual({ ids: expected.map(idOf), ...(next && { next }) })
})

test('a page that is full of bytes ends early, and has one row at least', () => {
  const fits = (id: string): boolean => id === idOf(1)
  expect(pageOfIds([1, 2, 3].map(idOf), {}, fits)).toEqual({ ids: [idOf(1)], next: idOf(1) })
  expect(pageOfIds([2, 3].map(idOf), {}, fits)).toEqual({ ids: [idOf(2)], next: idOf(2) })
})
