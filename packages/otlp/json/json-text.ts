import { hasDigitRun, isJsonObject, type Json, type JsonObject, parseJson } from '@spanhouse/model'

/** Maximum nesting of values inside an attribute; deeper values are kept as JSON text. */
const NESTING_MAX = 100

const DIGITS_MAX = 1_000

/**
 * A surrogate pair, half of one, or any other escape: an escaped backslash must not be mistaken for the start of one.
 */
const ESCAPES = /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u[dD][89a-fA-F][\da-fA-F]{2}|\\./g
const MAY_HAVE_SURROGATES = /\\u[dD][89a-fA-F]/
const HALF_PAIR_LENGTH = 6

/**
 * Parses JSON text inside an attribute. Undefined if it is not valid JSON, is nested deeper than {@link NESTING_MAX},
 * has a number that is too large for a double, or more than a thousand digits in a row, since such a number would be
 * slow to parse and to compare. Half surrogate pairs become U+FFFD, since no database accepts them.
 */
export function parseText(text: string): Json | undefined {
  if (hasDigitRun(text, DIGITS_MAX + 1)) return undefined
  const source =
    text.includes('\\u') && MAY_HAVE_SURROGATES.test(text)
      ? text.replace(ESCAPES, found => (found.length === HALF_PAIR_LENGTH ? '\\ufffd' : found))
      : text
  try {
    const value = parseJson(source)
    return isWithinLimits(value, NESTING_MAX) ? value : undefined
  } catch {
    // Not JSON, or nested too deeply for the parser: the caller keeps the text.
    return undefined
  }
}

/** As {@link parseText}, for texts that are only meaningful as an object. */
export function parseObjectText(text: string): JsonObject | undefined {
  const start = text.trimStart()
  if (!start.startsWith('{')) return undefined
  const value = parseText(text)
  return isJsonObject(value) ? value : undefined
}

/** The value with everything below {@link NESTING_MAX} levels as JSON text. Changed in place. */
export function withBoundedNesting(value: Json): Json {
  return isWithinLimits(value, NESTING_MAX) ? value : flattenBelow(value, NESTING_MAX)
}

/** The parser reads a number that is too large as infinity, which no JSON can express. */
function isWithinLimits(value: Json, levels: number): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  const isList = Array.isArray(value)
  if (!isList && !isJsonObject(value)) return true
  if (levels === 0) return false
  // No closure and no list of the members: this is called for every attribute.
  if (isList) {
    for (const one of value) if (!isWithinLimits(one, levels - 1)) return false
  } else for (const key in value) if (!isWithinLimits(value[key] as Json, levels - 1)) return false
  return true
}

function flattenBelow(value: Json, levels: number): Json {
  if (!Array.isArray(value) && !isJsonObject(value)) return value
  if (levels === 0) return JSON.stringify(value)
  for (const [key, one] of Object.entries(value)) {
    const flat = flattenBelow(one, levels - 1)
    if (flat !== one)
      Object.defineProperty(value, key, { value: flat, enumerable: true, configurable: true, writable: true })
  }
  return value
}
