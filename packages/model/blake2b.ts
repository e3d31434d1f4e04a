/**
 * BLAKE2b without a key, as in RFC 7693. Node's crypto has it with digests of 64 bytes only, and a shorter one is not
 * the start of those: the length goes into the state before the first byte. 64-bit words are two 32-bit ones, the low
 * one first, in every array here.
 */

const BLOCK_BYTES = 128
const ROUNDS = 12

/** The first 64 bits of the fractional parts of the square roots of the first eight primes, as in SHA-512. */
const INITIAL = new Int32Array([
  0xf3bcc908, 0x6a09e667, 0x84caa73b, 0xbb67ae85, 0xfe94f82b, 0x3c6ef372, 0x5f1d36f1, 0xa54ff53a, 0xade682d1,
  0x510e527f, 0x2b3e6c1f, 0x9b05688c, 0xfb41bd6b, 0x1f83d9ab, 0x137e2179, 0x5be0cd19,
])

/** Which word of the message each step of each round takes; rounds 10 and 11 repeat 0 and 1. */
const SIGMA = [
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
  [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
  [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
  [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
  [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
  [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
  [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
  [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
  [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
  [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
]

/** The four words that each of a round's eight mixings works on: the columns, then the diagonals. */
const MIXINGS = [
  [0, 4, 8, 12],
  [1, 5, 9, 13],
  [2, 6, 10, 14],
  [3, 7, 11, 15],
  [0, 5, 10, 15],
  [1, 6, 11, 12],
  [2, 7, 8, 13],
  [3, 4, 9, 14],
]

/** All mixings of all rounds in order, six numbers each: four words of the state, two of the message. */
const STEPS = Uint8Array.from(
  Array.from({ length: ROUNDS }, (_, round) => SIGMA[round % SIGMA.length] as number[]).flatMap(sigma =>
    MIXINGS.flatMap((words, step) => [...words, sigma[step * 2] as number, sigma[step * 2 + 1] as number]),
  ),
)

/** The digest, `digestBytes` (1 to 64) bytes long. */
export function blake2b(message: Uint8Array, digestBytes: number): Buffer {
  const state = INITIAL.slice()
  state[0] = (state[0] as number) ^ 0x01010000 ^ digestBytes
  const blockCount = Math.max(1, Math.ceil(message.length / BLOCK_BYTES))
  const padded = Buffer.alloc(blockCount * BLOCK_BYTES)
  padded.set(message)
  for (let block = 1; block <= blockCount; block++) {
    const isLast = block === blockCount
    compress(state, wordsOf(padded, (block - 1) * BLOCK_BYTES), isLast ? message.length : block * BLOCK_BYTES, isLast)
  }
  const digest = Buffer.alloc(64)
  for (let at = 0; at < 16; at++) digest.writeInt32LE(state[at] as number, at * 4)
  return digest.subarray(0, digestBytes)
}

function wordsOf(bytes: Buffer, start: number): Int32Array {
  const words = new Int32Array(BLOCK_BYTES / 4)
  for (let at = 0; at < words.length; at++) words[at] = bytes.readInt32LE(start + at * 4)
  return words
}

function compress(state: Int32Array, message: Int32Array, bytesSoFar: number, isLast: boolean): void {
  const work = new Int32Array(32)
  work.set(state)
  work.set(INITIAL, 16)
  work[24] = (work[24] as number) ^ bytesSoFar
  if (isLast) {
    work[28] = ~(work[28] as number)
    work[29] = ~(work[29] as number)
  }
  for (let step = 0; step < STEPS.length; step += 6) mix(work, message, step)
  for (let at = 0; at < 16; at++) state[at] = (state[at] as number) ^ (work[at] as number) ^ (work[at + 16] as number)
}

/** RFC 7693's function G. */
function mix(work: Int32Array, message: Int32Array, step: number): void {
  const a = STEPS[step] as number
  const b = STEPS[step + 1] as number
  const c = STEPS[step + 2] as number
  const d = STEPS[step + 3] as number
  add(work, a, work, b)
  add(work, a, message, STEPS[step + 4] as number)
  xorThenRotate(work, d, a, 32)
  add(work, c, work, d)
  xorThenRotate(work, b, c, 24)
  add(work, a, work, b)
  add(work, a, message, STEPS[step + 5] as number)
  xorThenRotate(work, d, a, 16)
  add(work, c, work, d)
  xorThenRotate(work, b, c, 63)
}

function add(work: Int32Array, target: number, source: Int32Array, index: number): void {
  const one = work[target * 2] as number
  const low = (one + (source[index * 2] as number)) | 0
  const carry = low >>> 0 < one >>> 0 ? 1 : 0
  work[target * 2] = low
  work[target * 2 + 1] = ((work[target * 2 + 1] as number) + (source[index * 2 + 1] as number) + carry) | 0
}

/** Rotates to the right by 16, 24, 32 or 63 bits. */
function xorThenRotate(work: Int32Array, target: number, source: number, bits: number): void {
  const low = (work[target * 2] as number) ^ (work[source * 2] as number)
  const high = (work[target * 2 + 1] as number) ^ (work[source * 2 + 1] as number)
  if (bits === 32) {
    work[target * 2] = high
    work[target * 2 + 1] = low
  } else if (bits === 63) {
    work[target * 2] = (low << 1) | (high >>> 31)
    work[target * 2 + 1] = (high << 1) | (low >>> 31)
  } else {
    work[target * 2] = (low >>> bits) | (high << (32 - bits))
    work[target * 2 + 1] = (high >>> bits) | (low << (32 - bits))
  }
}
