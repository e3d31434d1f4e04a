const rotate = (word: number, bits: number): number => (word << bits) | (word >>> (32 - bits))

/** The 32-bit word at `at`, least significant byte first. */
const wordAt = (bytes: Uint8Array, at: number): number =>
  (bytes[at] as number) |
  ((bytes[at + 1] as number) << 8) |
  ((bytes[at + 2] as number) << 16) |
  ((bytes[at + 3] as number) << 24)

/** MurmurHash3 (x86, 32 bits, seed 0) of the 16 bytes of a trace id, unsigned: ClickHouse's `murmurHash3_32`. */
export function hashOfTraceId(traceId: Uint8Array): number {
  if (traceId.length !== 16) throw new Error(`A trace id has 16 bytes, not ${traceId.length}`)
  let hash = 0
  for (let at = 0; at < 16; at += 4) {
    const word = Math.imul(rotate(Math.imul(wordAt(traceId, at), 0xcc9e2d51), 15), 0x1b873593)
    hash = Math.imul(rotate(hash ^ word, 13), 5) + 0xe6546b64
  }
  return mixed(hash ^ 16)
}

function mixed(hash: number): number {
  const first = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  const second = Math.imul(first ^ (first >>> 13), 0xc2b2ae35)
  return (second ^ (second >>> 16)) >>> 0
}
