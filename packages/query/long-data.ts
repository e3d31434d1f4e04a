import { sql } from './sql.ts'

/*
 * The data of a span is in one of two columns, and the other one is empty: in `data`, or in `long_data` if it is long.
 * They differ in their compressed blocks. Those of `data` are small, so that few spans are decompressed to read one.
 * Those of `long_data` are large: calls of an agent repeat what was said before, and only within a block is it stored
 * once.
 */

/** Bytes of JSON text. Data with more is stored in `long_data`. */
export const SHORT_DATA_MAX = 32 * 1024

/** The data in SQL: a column that the engine computes (clickhouse/, 007). */
export const SPAN_DATA = sql`span_data`
