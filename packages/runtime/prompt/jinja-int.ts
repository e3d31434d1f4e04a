const INTEGER = /^[-+]?\d+$/
const NUMBER = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?$/i
const INT64_MIN = -(2n ** 63n)
const UINT64_MAX = 2n ** 64n - 1n

/**
 * Jinja2's filter `int`, whose default the engine's own does not take: the integer part of a number or of a number's
 * text, 1 and 0 for a boolean, and the default, 0, for anything else. It must not throw: that breaks the engine.
 */
export function jinjaInt(value: unknown, fallback: unknown = 0): unknown {
  if (fallback instanceof Map) return jinjaInt(value, fallback.get('default'))
  if (typeof value === 'boolean') return Number(value)
  const text = ['string', 'number', 'bigint'].includes(typeof value) ? String(value).trim() : ''
  if (INTEGER.test(text)) return exact(BigInt(text.replace('+', '')))
  const number = NUMBER.test(text) ? Math.trunc(Number(text)) : Number.NaN
  return Number.isFinite(number) ? exact(BigInt(number)) : fallback
}

/** The engine takes no integers of more than 64 bits from JavaScript: they become texts. */
function exact(integer: bigint): unknown {
  if (integer < INT64_MIN || integer > UINT64_MAX) return String(integer)
  const number = Number(integer)
  return Number.isSafeInteger(number) ? number : integer
}
