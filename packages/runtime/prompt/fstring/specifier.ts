import { beginningOf, codePointLength } from '../../code-points.ts'
import { TemplateFault } from '../template.ts'

/** Of a width, and of the precision of a number. */
const LENGTH_MAX = 10_000

/** A format specifier of Python, as in `{name:specifier}`. */
export interface Specifier {
  readonly text: string
  readonly fill: string
  readonly align: '<' | '>' | '=' | '^' | undefined
  readonly sign: '+' | '-' | ' ' | undefined
  /** Whether a negative number that is rounded to zero loses its sign. */
  readonly isZeroUnsigned: boolean
  readonly isAlternate: boolean
  readonly width: number
  readonly grouping: ',' | '_' | undefined
  readonly precision: number | undefined
  /** Empty if there is none. */
  readonly type: string
}

const SPECIFIER =
  /^(?:(?<fill>.)?(?<align>[<>=^]))?(?<sign>[-+ ])?(?<z>z)?(?<alternate>#)?(?<zero>0)?(?<width>\d+)?(?<grouping>[,_])?(?:\.(?<precision>\d+))?(?<type>.)?$/su

/**
 * Reads `[[fill]align][sign][z][#][0][width][grouping][.precision][type]`. Throws a fault for any other text, or if the
 * width is too large.
 *
 * See https://docs.python.org/3/library/string.html#format-specification-mini-language.
 */
export function parseSpecifier(text: string): Specifier {
  const parts = SPECIFIER.exec(text)?.groups
  if (!parts) throw invalidSpecifier(text)
  const { fill = parts.zero ?? ' ', align, sign, width = '0', grouping, precision, type = '' } = parts
  if (Number(width) > LENGTH_MAX) throw new TemplateFault(`A field is wider than ${LENGTH_MAX} characters`)
  return {
    text,
    fill,
    align: align as Specifier['align'],
    sign: sign as Specifier['sign'],
    isZeroUnsigned: parts.z !== undefined,
    isAlternate: parts.alternate !== undefined,
    width: Number(width),
    grouping: grouping as Specifier['grouping'],
    precision: precision === undefined ? undefined : Number(precision),
    type,
  }
}

/** The fault of a specifier; `kind` tells for which values it is invalid, as in `a text`. */
export function invalidSpecifier(text: string, kind?: string): TemplateFault {
  const shown = text.length > 100 ? `${text.slice(0, 100)}…` : text
  return new TemplateFault(`Invalid format specifier ':${shown}'${kind === undefined ? '' : ` for ${kind}`}`)
}

/** The number of digits that a number is formatted with. Throws a fault if it is too large. */
export function digitsOf({ precision = 6 }: Specifier): number {
  if (precision > LENGTH_MAX) throw new TemplateFault(`A number has a precision of more than ${LENGTH_MAX} digits`)
  return precision
}

/** A text as Python's `format` writes it: its precision is its greatest length. */
export function formatText(text: string, specifier: Specifier): string {
  const { type, sign, isZeroUnsigned, isAlternate, grouping, align = '<', precision } = specifier
  const isForNumbers = sign !== undefined || isZeroUnsigned || isAlternate || grouping !== undefined || align === '='
  if (isForNumbers || !['', 's'].includes(type)) throw invalidSpecifier(specifier.text, 'a string')
  return padded(precision === undefined ? text : beginningOf(text, precision), { ...specifier, align })
}

/** A text filled up to the width; with the alignment `=` between `before`, a sign, and the text. */
export function padded(text: string, { fill, align, width }: Specifier, before = ''): string {
  const padding = Math.max(0, width - codePointLength(before) - codePointLength(text))
  if (align === '=') return before + fill.repeat(padding) + text
  const left = align === '<' ? 0 : align === '^' ? Math.floor(padding / 2) : padding
  return fill.repeat(left) + before + text + fill.repeat(padding - left)
}
