import { TemplateFault } from '../template.ts'
import { type DecimalDigits, exactDigits, roundedDigits, shortestDigits } from './decimal-digits.ts'
import { digitsOf, invalidSpecifier, padded, type Specifier } from './specifier.ts'

const FLOAT_TYPES = [...'eEfFgG%']

/**
 * A number as Python's `format` writes it. A bigint is an `int`, a number with a fraction or past 2^53 a `float`. Other
 * numbers may be either, since JSON's `1.0` is read as 1: they take the specifiers of both. `kind` names the value in
 * faults.
 */
export function formatNumber(value: number | bigint, specifier: Specifier, kind: string): string {
  const { type, precision, isZeroUnsigned } = specifier
  if (FLOAT_TYPES.includes(type)) return formatFloat(Number(value), specifier)
  const isWhole = typeof value === 'bigint' || Number.isSafeInteger(value)
  const isForFloats = precision !== undefined || isZeroUnsigned
  if (isWhole && !isForFloats) return formatInteger(BigInt(value), specifier, kind)
  if (typeof value === 'bigint' || !['', 'n'].includes(type)) throw invalidSpecifier(specifier.text, kind)
  return formatFloat(value, specifier)
}

const BASES: Partial<Record<string, number>> = { '': 10, d: 10, n: 10, b: 2, o: 8, x: 16, X: 16 }

function formatInteger(value: bigint, specifier: Specifier, kind: string): string {
  const { type, isAlternate, grouping } = specifier
  if (type === 'c') return formatCharacter(value, specifier, kind)
  const base = BASES[type]
  if (base === undefined || (grouping && type === 'n') || (grouping === ',' && base !== 10))
    throw invalidSpecifier(specifier.text, kind)
  const digits = (value < 0n ? -value : value).toString(base)
  const prefix = isAlternate && base !== 10 ? `0${type}` : ''
  const whole = type === 'X' ? digits.toUpperCase() : digits
  return laidOut({ isNegative: value < 0n, prefix, whole, groupLength: base === 10 ? 3 : 4 }, specifier)
}

function formatCharacter(value: bigint, specifier: Specifier, kind: string): string {
  const { sign, isAlternate, grouping } = specifier
  if (sign !== undefined || isAlternate || grouping) throw invalidSpecifier(specifier.text, kind)
  if (value < 0n || value > 0x10ffffn) throw new TemplateFault("The type 'c' needs a number from 0 to 1114111")
  return laidOut({ rest: String.fromCodePoint(Number(value)) }, specifier)
}

function formatFloat(value: number, specifier: Specifier): string {
  const { type, isZeroUnsigned, grouping, text } = specifier
  if (grouping && type === 'n') throw invalidSpecifier(text, 'a number')
  if (!Number.isFinite(value)) throw new TemplateFault(`An integer is too large for ':${text}'`)
  const size = Math.abs(type === '%' ? value * 100 : value)
  const { whole, rest } = Number.isFinite(size) ? digitsAndRest(size, specifier) : { whole: '', rest: 'inf' }
  const isZero = !/^[.0]*[1-9i]/.test(whole + rest)
  const isNegative = value < 0 && !(isZero && isZeroUnsigned)
  return laidOut({ isNegative, whole, rest: type === '%' ? `${rest}%` : rest }, specifier)
}

/** The digits before the point, and what follows them. */
interface Decimal {
  whole: string
  rest: string
}

function digitsAndRest(value: number, specifier: Specifier): Decimal {
  const { type, precision, isAlternate } = specifier
  if (type === '' && precision === undefined) return general(shortestDigits(value), 17, specifier)
  const count = digitsOf(specifier)
  const exact = exactDigits(value)
  switch (type.toLowerCase()) {
    case 'e':
      return scientific(significant(exact, count + 1), specifier)
    case 'f':
    case '%':
      return fixedPoint(exact, count, isAlternate)
    default: {
      const digits = significant(exact, Math.max(count, 1))
      return general(isAlternate ? digits : withoutZeros(digits), Math.max(count, 1), specifier)
    }
  }
}

function significant(exact: DecimalDigits, count: number): DecimalDigits {
  const { digits, exponent } = roundedDigits(exact, count)
  return { digits: digits.slice(0, count), exponent }
}

function withoutZeros({ digits, exponent }: DecimalDigits): DecimalDigits {
  let end = digits.length
  while (end > 1 && digits[end - 1] === '0') end--
  return { digits: digits.slice(0, end), exponent }
}

function fixedPoint(exact: DecimalDigits, places: number, isAlternate: boolean): Decimal {
  const { digits } = roundedDigits(exact, exact.exponent + 1 + places)
  const units = digits.padStart(places + 1, '0')
  const point = units.length - places
  return { whole: units.slice(0, point), rest: pointed(units.slice(point), isAlternate) }
}

const pointed = (fraction: string, isAlternate: boolean): string =>
  fraction === '' && !isAlternate ? '' : `.${fraction}`

function scientific({ digits, exponent }: DecimalDigits, { type, isAlternate }: Specifier): Decimal {
  const letter = type === 'E' || type === 'G' ? 'E' : 'e'
  const power = `${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`
  return { whole: digits[0] as string, rest: `${pointed(digits.slice(1), isAlternate)}${letter}${power}` }
}

/** Without a type, a number has a digit behind its point at least, and `precision` counts it. */
function general(decimal: DecimalDigits, precision: number, specifier: Specifier): Decimal {
  const { digits, exponent } = decimal
  const isTyped = specifier.type !== ''
  if (exponent < -4 || exponent >= (isTyped ? precision : precision - 1)) return scientific(decimal, specifier)
  if (exponent < 0) return { whole: '0', rest: `.${'0'.repeat(-exponent - 1)}${digits}` }
  const fraction = digits.slice(exponent + 1)
  return {
    whole: digits.slice(0, exponent + 1).padEnd(exponent + 1, '0'),
    rest: pointed(fraction === '' && !isTyped ? '0' : fraction, specifier.isAlternate),
  }
}

interface Layout {
  isNegative?: boolean
  prefix?: string
  /** The digits that are grouped, and before which zeros are filled in. */
  whole?: string
  groupLength?: number
  rest?: string
}

function laidOut(parts: Layout, specifier: Specifier): string {
  const { isNegative = false, prefix = '', whole = '', groupLength = 3, rest = '' } = parts
  const { sign = '-', fill, width, grouping = '' } = specifier
  const align = specifier.align ?? (fill === '0' ? '=' : '>')
  const before = (isNegative ? '-' : sign === '-' ? '' : sign) + prefix
  const room = fill === '0' && align === '=' ? width - before.length - rest.length : 0
  const digits = whole === '' ? '' : grouped(whole, { grouping, groupLength, room })
  return padded(digits + rest, { ...specifier, align }, before)
}

/** Digits in groups, with zeros before them up to the length `room`, or one more where a separator would be first. */
function grouped(digits: string, how: { grouping: string; groupLength: number; room: number }): string {
  const { grouping, groupLength, room } = how
  if (grouping === '') return digits.padStart(room, '0')
  const all = digits.padStart(room - Math.floor((room - 1) / (groupLength + 1)), '0')
  const first = all.length % groupLength || groupLength
  const groups = [all.slice(0, first)]
  for (let at = first; at < all.length; at += groupLength) groups.push(all.slice(at, at + groupLength))
  return groups.join(grouping)
}
