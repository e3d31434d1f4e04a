import { isRawJson, type Json } from '@spanhouse/model'
import { textForm } from '../text-form.ts'
import { formatNumber } from './format-number.ts'
import { formatText, invalidSpecifier, parseSpecifier } from './specifier.ts'

/**
 * A value as Python's `format` writes it. Without a specifier, all but numbers have the form that they have in all
 * templates. Throws a fault if the specifier is not one for such a value.
 */
export function formatValue(value: Json, specifier: string): string {
  if (specifier === '') return printed(value)
  if (typeof value === 'string') return formatText(value, parseSpecifier(specifier))
  if (typeof value === 'number') return formatNumber(value, parseSpecifier(specifier), `the number ${printed(value)}`)
  if (typeof value === 'boolean') return formatNumber(BigInt(value), parseSpecifier(specifier), 'true or false')
  if (isRawJson(value)) return formatNumber(BigInt(value.rawJSON), parseSpecifier(specifier), 'an integer')
  throw invalidSpecifier(specifier, value === null ? 'null' : Array.isArray(value) ? 'a list' : 'an object')
}

const NO_SPECIFIER = parseSpecifier('')

const printed = (value: Json): string =>
  typeof value === 'number' ? formatNumber(value, NO_SPECIFIER, 'a number') : textForm(value)

/** What is formatted in the place of a value, by the letter of the conversion. */
export const CONVERSIONS: ReadonlyMap<string, (value: Json) => Json> = new Map([
  ['', (value: Json) => value],
  ['s', printed],
  ['r', value => (typeof value === 'string' ? literal(value, UNPRINTABLE) : printed(value))],
  ['a', value => (typeof value === 'string' ? literal(value, UNPRINTABLE_OR_NOT_ASCII) : asciiJson(printed(value)))],
])

const asciiJson = (text: string): string =>
  text.replace(NOT_ASCII_UNIT, unit => `\\u${hexadecimal(unit.charCodeAt(0), 4)}`)

const NOT_ASCII_UNIT = /[^\0-\x7f]/g

/** Controls, unassigned characters, halves of pairs, and separators but the space. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu
const UNPRINTABLE_OR_NOT_ASCII = /[^ -~]/gu

/** A text as a literal of Python, in the quotes that need no backslash if there are such. */
function literal(text: string, escaped: RegExp): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'"
  const inside = text
    .replaceAll('\\', '\\\\')
    .replaceAll(quote, `\\${quote}`)
    .replace(escaped, sign => SHORT_ESCAPES[sign] ?? longEscape(sign.codePointAt(0) as number))
  return quote + inside + quote
}

const SHORT_ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

function longEscape(point: number): string {
  if (point <= 0xff) return `\\x${hexadecimal(point, 2)}`
  return point <= 0xffff ? `\\u${hexadecimal(point, 4)}` : `\\U${hexadecimal(point, 8)}`
}

const hexadecimal = (point: number, length: number): string => point.toString(16).padStart(length, '0')
