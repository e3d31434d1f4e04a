import { Exception } from './exception.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Decodes text without ever changing it: bytes that are not UTF-8 are an {@link Exception}. */
export function toText(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new Exception(36, 'BAD_ARGUMENTS', 'The text of a query and of its parameters must be UTF-8.')
  }
}
