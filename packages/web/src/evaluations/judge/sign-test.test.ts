import { expect, test } from 'vitest'
import { signTest } from './sign-test.ts'

test.each([
  { wins: 0, losses: 0, p: 1 },
  { wins: 5, losses: 5, p: 1 },
  { wins: 5, losses: 0, p: 0.0625 },
  { wins: 8, losses: 2, p: 0.109375 },
  { wins: 2, losses: 8, p: 0.109375 },
  { wins: 60, losses: 40, p: 0.056888 },
])('$wins to $losses: p = $p', ({ wins, losses, p }) => {
  expect(signTest(wins, losses)).toBeCloseTo(p, 5)
})

test('thousands of preferences do not overflow', () => {
  expect(signTest(500, 500)).toBe(1)
  expect(signTest(600, 400)).toBeLessThan(1e-9)
  expect(signTest(1_000, 400)).toBeLessThan(1e-9)
  expect(signTest(5_100, 4_900)).toBeCloseTo(0.0466, 3)
})
