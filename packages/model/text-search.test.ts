import fc from 'fast-check'
import { expect, test } from 'vitest'
import { indexOfText, SequenceSearch, withoutTrailing } from './index.ts'

const letters = (max: number) => fc.string({ unit: fc.constantFrom('a', 'b', 'é'), minLength: 1, maxLength: max })

test('a sequence is found wherever it ends', () => {
  fc.assert(
    fc.property(letters(60), letters(5), (text, sought) => {
      const search = new SequenceSearch(sought)
      const ends = [...text].flatMap((unit, at) => (search.next(unit) ? [at + 1] : []))
      expect(ends).toEqual([...text].flatMap((_, at) => (text.slice(0, at + 1).endsWith(sought) ? [at + 1] : [])))
    }),
  )
})

test('long texts are found where short ones are', () => {
  fc.assert(
    fc.property(letters(400), letters(3), fc.nat(500), (text, part, from) => {
      const sought = part.repeat(300)
      for (const all of [text, text + sought, text + part + sought + text])
        expect(indexOfText(all, sought, from)).toBe(all.indexOf(sought, from))
    }),
  )
})

test('what repeats itself is searched in linear time', () => {
  const sought = `${'a'.repeat(100_000)}b${'a'.repeat(100_000)}`
  const begin = performance.now()
  expect(indexOfText('a'.repeat(4_000_000), sought)).toBe(-1)
  // In quadratic time it would take minutes, on a busy machine this takes seconds.
  expect(performance.now() - begin).toBeLessThan(20_000)
})

test.each([
  ['a/b//', 'a/b'],
  ['//', ''],
  ['', ''],
  ['/a', '/a'],
])('%j without what is at its end is %j', (text, kept) => {
  expect(withoutTrailing(text, '/')).toBe(kept)
})
