import { expect, test } from 'vitest'
import { mutated } from './mutate.ts'
import { randomOf } from './random.ts'
import { raw, toJsonText } from './raw-json.ts'

test('copies of what is large still fit into one text', () => {
  const value = { text: 'x'.repeat(200_000), raw: raw('letters', 200_000), list: [raw('ones', 100_000)] }
  // Without the bound of all copies, the 163rd of these is longer than a string can be.
  const lengths = Array.from({ length: 170 }, (_, play) => toJsonText(mutated(value, randomOf(5, play))).length)
  expect(Math.max(...lengths)).toBeGreaterThan(2_000_000)
  expect(Math.max(...lengths)).toBeLessThan(100_000_000)
})

test('many large values together fit into one text', () => {
  const value = Array.from({ length: 1_000 }, () => raw('members', 1_000_000))
  expect(toJsonText(value).length).toBeLessThan(2 ** 28)
})
