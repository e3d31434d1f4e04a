import { blake2b as digestOf } from '@noble/hashes/blake2.js'

/**
 * The digest of BLAKE2b (RFC 7693) without a key, `digestBytes` (1 to 64) bytes long. A short digest is not the start of
 * a longer one, and Node's own crypto has those of 64 bytes only.
 */
export const blake2b = (message: Uint8Array, digestBytes: number): Buffer =>
  Buffer.from(digestOf(message, { dkLen: digestBytes }))
