/** A trace id: 32 lower-case hex digits. */
export type TraceId = string
/** A span id: 16 lower-case hex digits. */
export type SpanId = string
/** Any other id: a lower-case dashed UUID. */
export type Uuid = string

const HEX_32 = /^[0-9a-f]{32}$/
const HEX_16 = /^[0-9a-f]{16}$/
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** The nil UUID: "nobody" in columns that hold a user's id. */
export const NIL_UUID: Uuid = '00000000-0000-0000-0000-000000000000'

/**
 * A trace id in any accepted form (32 hex digits of any case, the same after `0x`, a dashed UUID), normalised;
 * null when the text is none of these or all zero (invalid by the W3C Trace Context specification).
 */
export function parseTraceId(text: string): TraceId | null {
  const id = hexOf(text)
  return HEX_32.test(id) && !isZero(id) ? id : null
}

/**
 * A span id in any accepted form: 16 hex digits of any case, the same after `0x`, or a UUID (dashed or 32 digits) whose
 * last 16 digits are used. Null if the text is none of these or all zero.
 */
export function parseSpanId(text: string): SpanId | null {
  const id = hexOf(text)
  const last = HEX_32.test(id) ? id.slice(16) : id
  return HEX_16.test(last) && !isZero(last) ? last : null
}

/** A UUID in any accepted form (dashed, 32 hex digits, `0x` + 32 hex digits), dashed and lower-case; null otherwise. */
export function parseUuid(text: string): Uuid | null {
  const id = hexOf(text)
  if (!HEX_32.test(id)) return null
  return `${id.slice(0, 8)}-${id.slice(8, 12)}-${id.slice(12, 16)}-${id.slice(16, 20)}-${id.slice(20)}`
}

function hexOf(text: string): string {
  const lower = text.trim().toLowerCase()
  if (lower.startsWith('0x')) return lower.slice(2)
  return UUID.test(lower) ? lower.replaceAll('-', '') : lower
}

const isZero = (hex: string): boolean => /^0+$/.test(hex)
