/** Names of RFC 9110: a token. */
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
/** One byte for each character, and of control characters only the tab. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

/** Headers about the connection, which the HTTP client alone sets. */
const OF_CONNECTION = new Set([
  'connection',
  'expect',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Headers that follow from the address and the body. */
const OF_MESSAGE = new Set(['host', 'content-length'])

/**
 * The headers that a caller chose, without those that follow from the request and those that the sender sets itself:
 * `reserved`, in lower case.
 */
export const chosenHeaders = (headers: Readonly<Record<string, string>>, reserved: ReadonlySet<string>) =>
  Object.entries(headers).filter(([name]) => !OF_MESSAGE.has(name.toLowerCase()) && !reserved.has(name.toLowerCase()))

/** Why a header cannot be sent, as in "is not a header name"; null if it can. The answer never contains the value. */
export function headerMistakeIn(name: string, value: string): string | null {
  if (!NAME.test(name)) return 'is not a header name'
  if (OF_CONNECTION.has(name.toLowerCase())) return 'is set by the connection and cannot be chosen'
  return VALUE.test(value) ? null : 'has a value with characters that a header cannot contain'
}
