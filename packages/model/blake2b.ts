import { blake2b as digestOf } from '@noble/hashes/blake2.js'
import { nextTurn } from './next-turn.ts'

/**
 * The BLAKE2b digest (RFC 7693) without a key, `digestBytes` (1 to 64) bytes long. A short digest is not a prefix of a
 * longer one, and Node's own crypto has only 64-byte digests.
 */
export const blake2b = (message: Uint8Array, digestBytes: number): Buffer =>
  Buffer.from(digestOf(message, { dkLen: digestBytes }))

/** The digest of a message in pieces; other work gets turns between them. A piece of 100 KB takes about 3 ms. */
export async function blake2bInTurns(pieces: Iterable<Uint8Array>, digestBytes: number): Promise<Buffer> {
  const digest = digestOf.create({ dkLen: digestBytes })
  for (const piece of pieces) {
    digest.update(piece)
    await nextTurn()
  }
  return Buffer.from(digest.digest())
}
