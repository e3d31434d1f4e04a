/** Characters that a file name may have in a header without quotes: RFC 7230's token. */
const NO_TOKEN = /[^\w!#$%&'*+.^`|~-]+/g
const NAME_LENGTH_MAX = 200

/**
 * The header that makes a client save an answer as a file (RFC 6266). Characters that separate folders or steer a
 * terminal are taken out; a name that a header cannot say plainly is also given in full, encoded (RFC 5987).
 */
export function attachment(name: string, extension: string): string {
  const clean = name
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}/\\]+/gu, '_')
    .slice(0, NAME_LENGTH_MAX)
  const plain = `${clean.replaceAll(NO_TOKEN, '_')}.${extension}`
  const full = `${clean}.${extension}`
  return plain === full
    ? `attachment; filename=${plain}`
    : `attachment; filename=${plain}; filename*=UTF-8''${encoded(full)}`
}

/** `encodeURIComponent` leaves some characters that the header's grammar has other uses for. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replaceAll(/['()*]/g, sign => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
