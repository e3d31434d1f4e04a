/** The decimal digits of a number that is not negative, without a point; the first counts `10 ** exponent`. */
export interface DecimalDigits {
  digits: string
  exponent: number
}

/** All digits of a double: 0.1 has 55. */
export function exactDigits(value: number): DecimalDigits {
  let whole = value
  let halves = 0
  // Twice a double with a fraction is exact.
  for (; !Number.isInteger(whole); halves++) whole *= 2
  const digits = String(BigInt(whole) * 5n ** BigInt(halves))
  return { digits, exponent: digits.length - 1 - halves }
}

/** The fewest digits that are read as the same double. */
export function shortestDigits(value: number): DecimalDigits {
  const [mantissa = '', exponent] = value.toExponential().split('e')
  return { digits: mantissa.replace('.', ''), exponent: Number(exponent) }
}

/**
 * The first `count` digits, rounded; of two equally near the even one. They are one more if rounding carries into a new
 * digit, as 9.9 to 10, and none if `count` is negative.
 */
export function roundedDigits({ digits, exponent }: DecimalDigits, count: number): DecimalDigits {
  if (count >= digits.length) return { digits: digits.padEnd(count, '0'), exponent }
  if (count < 0) return { digits: '', exponent }
  const kept = digits.slice(0, count)
  const dropped = digits.slice(count)
  const isOdd = Number(kept.at(-1) ?? 0) % 2 === 1
  const isUp = /^50*$/.test(dropped) ? isOdd : dropped >= '5'
  const next = isUp ? String(BigInt(kept) + 1n) : kept
  return { digits: next, exponent: exponent + next.length - count }
}
