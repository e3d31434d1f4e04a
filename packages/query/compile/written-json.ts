import { type Sql, sql, text } from '../sql.ts'

/*
 * The engine does not read all JSON that it writes: of a double below 1e21 it writes every digit, and it reads no document
 * with an integer beyond 64 bits. So what it has written is read by these: a number as text, a text only if it has quotes,
 * and a list or an object after such integers have an exponent again, as `engineJson` writes them.
 */

/** The number; null if it is another value or absent. */
export const numberIn = (json: Sql): Sql => sql`toFloat64OrNull(${json})`

/** A string without its quotes; anything else as JSON. Empty if absent. */
export const textIn = (json: Sql): Sql =>
  sql`arrayMap(raw -> if(startsWith(raw, '"'), JSONExtractString(raw), raw), [${json}])[1]`

/** The items of a list, as JSON. */
export const itemsIn = (json: Sql): Sql =>
  sql`arrayMap(raw -> JSONExtractArrayRaw(${readable(sql`raw`)}), [${json}])[1]`

/** The list or object in a variable, for functions that read JSON. */
export const readable = (variable: Sql): Sql =>
  sql`if(match(${variable}, ${MAYBE_LONG}), arrayStringConcat(arrayMap(part -> ${readablePart}, extractAll(${variable}, ${PARTS}))), ${variable})`

/**
 * Of a double the engine writes at most 17 digits, then zeros. It looks for two zeros first, so the test takes a tenth of
 * the time of reading JSON.
 */
const MAYBE_LONG = text('\\d{17}00')

/** Strings, integers (also those in other numbers), and all that is between them. */
const PARTS = text('"(?:[^"\\\\]|\\\\.)*"|-?\\d+|[^"\\d-]+|-')

const readablePart = sql`if(toInt128OrZero(part) BETWEEN -9223372036854775808 AND 18446744073709551615, part, concat(part, 'e0'))`
