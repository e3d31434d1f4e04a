import type { Micros, SpanId, TraceId } from '@spanhouse/model'
import type { Focus, Position } from '../position.ts'
import { type Sql, sql } from '../sql.ts'

/*
 * A page of traces is ordered by (time, trace id). A page of spans is ordered by (time, span id), as the interface
 * requires, but span ids are unique only within a trace: if a page ended between two spans of the same time and id in
 * different traces, the second would be lost. So the order has a third component, a number that distinguishes the
 * traces, and `next`, which has room for 128 bits, contains it before the span id. Clients that build `next` themselves
 * send the plain span id or the span id twice; they get what the interface specifies: everything before (time, span
 * id).
 *
 * The number is the trace id, read as an integer with its first byte last, modulo the largest prime of 64 bits. It is
 * short in SQL, where every function costs 0.05 ms to analyse, and equal for two trace ids with a probability of 2^-64.
 */
const PRIME = 18446744073709551557n

/** The number in SQL. */
export const TRACE_NUMBER: Sql = sql`(reinterpretAsUInt128(trace_id) % 18446744073709551557)`

/** The same number for a trace id in hex. */
export const traceNumber = (traceId: string): bigint =>
  BigInt(`0x${Buffer.from(traceId, 'hex').reverse().toString('hex')}`) % PRIME

/** Compares spans by time, span id and that number; negative if the first precedes the second in ascending order. */
export const compareSpans = (one: SpanKey, other: SpanKey): number =>
  one.start_time - other.start_time ||
  compare(one.span_id, other.span_id) ||
  compare(traceNumber(one.trace_id), traceNumber(other.trace_id))

interface SpanKey {
  readonly start_time: Micros
  readonly span_id: SpanId
  readonly trace_id: TraceId
}

/** Compares positions in ascending order: of traces by time and id, of spans as {@link compareSpans} does. */
export const comparePositions =
  (focus: Focus) =>
  (one: Position, other: Position): number =>
    one.time - other.time ||
    (focus === 'trace'
      ? compare(one.trace_id, other.trace_id)
      : compare(one.span_id ?? '', other.span_id ?? '') ||
        compare(traceNumber(one.trace_id), traceNumber(other.trace_id)))

export const compare = <T extends string | bigint>(one: T, other: T): number => (one < other ? -1 : one > other ? 1 : 0)

/** `next` for the page after a row: a dashed UUID. */
export function positionToNext({ trace_id, span_id }: Position, focus: Focus): string {
  const hex = focus === 'trace' ? trace_id : traceNumber(trace_id).toString(16).padStart(16, '0') + span_id
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

export interface SpanCursor {
  readonly spanId: SpanId
  /** Absent if the client built the cursor from a span id. */
  readonly traceNumber?: bigint
}

/** Parses `next` of a query for spans: 16 or 32 hex digits. */
export function parseSpanCursor(next: string): SpanCursor {
  const spanId = next.slice(-16)
  const front = next.slice(0, -16)
  return front === '' || front === spanId ? { spanId } : { spanId, traceNumber: BigInt(`0x${front}`) }
}
