/** Characters allowed in an unquoted file name in a header: RFC 7230's token. */
const NO_TOKEN = /[^\w!#$%&'*+.^`|~-]+/g
const NAME_LENGTH_MAX = 200

/**
 * The header that makes a client save a response as a file (RFC 6266). Path separators and control characters are
 * removed; a name that cannot be written literally is also given in encoded form (RFC 5987).
 */
export function attachment(name: string, extension: string): string {
  // A cut may leave half of a character, which cannot be encoded.
  const clean = name
    .replaceAll(/[\p{Cc}\p{Cf}/\\]+/gu, '_')
    .slice(0, NAME_LENGTH_MAX)
    .toWellFormed()
  const plain = `${clean.replaceAll(NO_TOKEN, '_')}.${extension}`
  const full = `${clean}.${extension}`
  return plain === full
    ? `attachment; filename=${plain}`
    : `attachment; filename=${plain}; filename*=UTF-8''${encoded(full)}`
}

/** `encodeURIComponent` leaves some characters unescaped that are special in the header's grammar. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replaceAll(/['()*]/g, sign => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
