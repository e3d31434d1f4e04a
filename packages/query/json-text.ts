import { isRawJson, type Json } from '@spanhouse/model'
import { type Sql, sql, text, texts } from './sql.ts'

/**
 * Attributes are JSON text, and the engine's `JSONExtractRaw` writes every value in one form: no blanks, `5.0` as
 * `5`, always the same escapes. So two scalars are equal as JSON (5 equals 5.0, "5" does not) when their texts are.
 * The operand goes through the same function instead of being written in that form here. Absent is the empty text.
 */
export const canonical = (value: Json): Sql => sql`JSONExtractRaw(${text(scalarText(value))})`

/** Several scalars as an array. */
export const canonicalList = (values: readonly Json[]): Sql =>
  sql`arrayMap(y -> JSONExtractRaw(y), ${texts(values.map(scalarText))})`

/** Several scalars as the right side of IN. */
export const canonicalSet = (values: readonly Json[]): Sql =>
  sql`(SELECT JSONExtractRaw(arrayJoin(${texts(values.map(scalarText))})))`

export const isScalar = (value: Json): boolean => typeof value !== 'object' || value === null || isRawJson(value)

const INT64_MIN = -(2n ** 63n)
const UINT64_MAX = 2n ** 64n - 1n

/**
 * A scalar as JSON text that the engine can read. Its parser refuses integers beyond 64 bits, which JavaScript writes
 * up to 1e21: these get an exponent and count as floating-point numbers.
 */
export function scalarText(value: Json): string {
  if (isRawJson(value)) return integerText(value.rawJSON)
  if (typeof value !== 'number' || !Number.isInteger(value) || Number.isSafeInteger(value)) return JSON.stringify(value)
  return integerText(BigInt(value).toString())
}

function integerText(digits: string): string {
  const integer = BigInt(digits)
  return integer >= INT64_MIN && integer <= UINT64_MAX ? digits : Number(digits).toExponential()
}
