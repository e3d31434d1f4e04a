import fc from 'fast-check'
import { expect, test } from 'vitest'
import { AMOUNTS, toAmount } from './amounts.ts'

const written = (value: number, index: number): bigint =>
  BigInt(value.toFixed((AMOUNTS[index] as (typeof AMOUNTS)[number]).decimals).replace('.', ''))

const picodollars = fc.integer({ min: -(10 ** 15), max: 10 ** 15 }).map(count => count / 1e12)
const dollars = fc.double({ min: -20, max: 20, noNaN: true })

test('an amount is the nearest integer of its scale, whichever way it is found', () => {
  fc.assert(
    fc.property(fc.oneof(picodollars, dollars), fc.nat(AMOUNTS.length - 1), (value, index) => {
      expect(toAmount(value, index)).toBe(written(value, index))
    }),
    { numRuns: 5_000 },
  )
})
