/** Since Node 22; TypeScript's library does not declare it yet. */
interface JsonWithSource {
  parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown
  rawJSON(text: string): unknown
  isRawJSON(value: unknown): boolean
}
const json = JSON as unknown as JsonWithSource

/**
 * `JSON.parse` that keeps every digit of a number: those that may not be exact become what `JSON.stringify` prints as
 * they are written. An id of twenty digits would otherwise be rounded, and be equal to others.
 */
export const parseExactJson = (text: string): unknown =>
  json.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && source !== undefined ? json.rawJSON(source) : value,
  )

export const isJsonObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !json.isRawJSON(value)
