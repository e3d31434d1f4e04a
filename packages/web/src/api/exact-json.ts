/** A value that `JSON.stringify` writes as it is. TypeScript's library does not declare it yet. */
interface JsonWithSource {
  rawJSON?(text: string): unknown
  isRawJSON?(value: unknown): boolean
  parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown
}
const json = JSON as unknown as JsonWithSource

/** Where an integer with as many digits as the first one that is not exact may begin. */
const MAYBE_ROUNDED = /(?:^|[\s:,[])-?\d{16}/
const INTEGER = /^-?\d+$/

/**
 * `JSON.parse` for what is stored again: integers that a number would round are raw JSON values, which are written with
 * the same digits. A browser that has no such values rounds them.
 */
export function parseExact<Value>(text: string): Value {
  const { rawJSON } = json
  if (rawJSON === undefined || !MAYBE_ROUNDED.test(text)) return JSON.parse(text) as Value
  return json.parse(text, (_key, value, { source = '' }) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && INTEGER.test(source) ? rawJSON(source) : value,
  ) as Value
}

/** The number that a text is, with all digits of an integer; NaN if it is none. */
export function parseNumber(text: string): number {
  const number = Number(text)
  return Number.isSafeInteger(number) || !/^-?[1-9]\d*$/.test(text) ? number : parseExact<number>(text)
}

/** Whether a value is an integer that {@link parseExact} has kept. */
export const isExactInteger = (value: unknown): boolean => json.isRawJSON?.(value) ?? false
