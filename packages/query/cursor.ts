import type { SpanId } from '@spanhouse/model'
import { type Sql, sql } from './sql.ts'
import type { Focus, Position } from './windowing.ts'

/*
 * A page of traces is ordered by (time, trace id). A page of spans is ordered by (time, span id), as the interface
 * says, but span ids are unique only within a trace: with nothing more, a page that ends between two spans of the same
 * time and id in different traces would lose the second. So the order goes on with a number that tells the traces
 * apart, and `next`, which has room for 128 bits, carries it in front of the span id. Clients that make `next`
 * themselves send the bare span id or the span id twice; they get what the interface promises, which is everything
 * before (time, span id).
 *
 * The number is a 64-bit mix of the trace id: different for trace ids that differ in one half only, and equal for two
 * others with a probability of 2^-64.
 */
const MIX_HIGH = 11400714819323198485n
const MIX_LOW = 14029467366897019727n

/** The number in SQL, wrapping around at 64 bits. */
export const TRACE_NUMBER: Sql = sql`(reinterpretAsUInt64(reverse(substring(trace_id, 1, 8))) * 11400714819323198485 + reinterpretAsUInt64(reverse(substring(trace_id, 9, 8))) * 14029467366897019727)`

/** The same number of a trace id in hex. */
export function traceNumber(traceId: string): bigint {
  const high = BigInt(`0x${traceId.slice(0, 16)}`)
  const low = BigInt(`0x${traceId.slice(16)}`)
  return BigInt.asUintN(64, high * MIX_HIGH + low * MIX_LOW)
}

/** `next` for the page that follows a row: a dashed UUID. */
export function positionToNext({ trace_id, span_id }: Position, focus: Focus): string {
  const hex = focus === 'trace' ? trace_id : traceNumber(trace_id).toString(16).padStart(16, '0') + span_id
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

export interface SpanCursor {
  readonly spanId: SpanId
  /** Absent when the client made the cursor from a span id. */
  readonly traceNumber?: bigint
}

/** Reads `next` of a query for spans: 16 or 32 hex digits. */
export function parseSpanCursor(next: string): SpanCursor {
  const spanId = next.slice(-16)
  const front = next.slice(0, -16)
  return front === '' || front === spanId ? { spanId } : { spanId, traceNumber: BigInt(`0x${front}`) }
}
