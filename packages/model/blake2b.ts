import { blake2b as digestOf } from '@noble/hashes/blake2.js'

/**
 * The BLAKE2b digest (RFC 7693) without a key, `digestBytes` (1 to 64) bytes long. A short digest is not a prefix of a
 * longer one, and Node's own crypto has only 64-byte digests.
 */
export const blake2b = (message: Uint8Array, digestBytes: number): Buffer =>
  Buffer.from(digestOf(message, { dkLen: digestBytes }))
