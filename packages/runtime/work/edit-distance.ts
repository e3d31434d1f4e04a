import { distance } from 'fastest-levenshtein'

/** Characters that the library tells apart. */
const UNITS_MAX = 0x10000
const ONLY_IN_A = 0
const ONLY_IN_B = 1
const FIRST_SHARED = 2

/**
 * How many characters must be inserted, removed or replaced to make one text of the other (Levenshtein). Characters are
 * Unicode code points. Takes time in proportion to the product of both lengths, 32 characters at a time (Myers' bit
 * vectors).
 *
 * Throws a RangeError when the texts share more than 65,534 different characters.
 */
export function editDistance(a: string, b: string): number {
  return isBasic(a) && isBasic(b) ? distance(a, b) : distance(...asUnits(a, b))
}

/** Whether every character is a single UTF-16 unit, which is what the library compares. */
const isBasic = (text: string): boolean => !/[\ud800-\udfff]/.test(text)

/**
 * Both texts with a single unit for each character. All that stands in one of them alone is equal to nothing in the
 * other.
 */
function asUnits(a: string, b: string): [string, string] {
  const inB = new Set(b)
  const units = new Map<string, number>()
  for (const character of a)
    if (inB.has(character) && !units.has(character)) units.set(character, FIRST_SHARED + units.size)
  if (FIRST_SHARED + units.size > UNITS_MAX) throw new RangeError('too many different characters')
  const rewrite = (text: string, other: number): string => {
    let written = ''
    for (const character of text) written += String.fromCharCode(units.get(character) ?? other)
    return written
  }
  return [rewrite(a, ONLY_IN_A), rewrite(b, ONLY_IN_B)]
}
