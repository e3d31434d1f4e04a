import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { isSampled, sampleOf } from './sample.ts'

const idOf = (number: number): string => number.toString(16).padStart(8, '0') + randomBytes(12).toString('hex')

test('whole percents keep what the first 32 bits modulo 100 say', () => {
  for (let n = 0; n < 2_000; n++) {
    const number = randomBytes(4).readUInt32BE()
    const percent = n % 101
    expect(isSampled(idOf(number), percent / 100), `${number} at ${percent} %`).toBe(number % 100 < percent)
  }
})

const ids = Array.from({ length: 200_000 }, (_, n) => idOf(Math.floor((n * 2 ** 32) / 200_000)))

test.each([0.0005, 0.001, 0.005, 0.0125, 0.333])('a rate of %d keeps this share', rate => {
  const kept = ids.filter(id => isSampled(id, rate)).length
  expect(Math.abs(kept - rate * 200_000)).toBeLessThan(4 * Math.sqrt(rate * 200_000))
})

test('nothing at 0, everything without a rate and at 1, and the ends stay between 0 and 1', () => {
  for (const number of [0, 99, 100, 2 ** 32 - 1, 2 ** 32 - 97]) {
    expect(sampleOf(idOf(number))).toBeGreaterThanOrEqual(0)
    expect(sampleOf(idOf(number))).toBeLessThan(1)
    expect([0, 1, undefined].map(rate => isSampled(idOf(number), rate))).toEqual([false, true, true])
  }
})
