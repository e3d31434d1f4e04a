import { randomFillSync } from 'node:crypto'
import type { Uuid } from '@spanhouse/model'

/** The counter has 12 bits and starts each millisecond in its lower half, so that at least 2,048 ids fit. */
const COUNTER_MAX = 0xfff
const COUNTER_START_MAX = 0x7ff

const ID_BYTES = 16
/** Randomness is drawn for many ids at once: a call of its own for each takes most of their time. */
const RANDOM_BYTES = 256 * ID_BYTES

/**
 * Generates UUIDs of version 7 (RFC 9562, section 5.7) that ascend strictly: within a millisecond by a counter in
 * `rand_a` (section 6.2, method 1); if the clock steps back or the counter is exhausted, by staying at the last
 * millisecond or advancing past it.
 */
export class IdSource {
  #ms = 0
  #counter = 0
  readonly #random = Buffer.alloc(RANDOM_BYTES)
  #used = RANDOM_BYTES

  next(nowMs: number = Date.now()): Uuid {
    const bytes = this.#randomBytes()
    if (nowMs > this.#ms) this.#startMillisecond(nowMs, bytes)
    else if (++this.#counter > COUNTER_MAX) this.#startMillisecond(this.#ms + 1, bytes)
    bytes.writeUIntBE(this.#ms, 0, 6)
    bytes.writeUInt16BE(0x7000 | this.#counter, 6)
    bytes[8] = 0x80 | ((bytes[8] as number) & 0x3f)
    const hex = bytes.toString('hex')
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
  }

  /** Sixteen bytes to write an id over, valid until the next call. */
  #randomBytes(): Buffer {
    if (this.#used === RANDOM_BYTES) {
      randomFillSync(this.#random)
      this.#used = 0
    }
    this.#used += ID_BYTES
    return this.#random.subarray(this.#used - ID_BYTES, this.#used)
  }

  #startMillisecond(ms: number, random: Buffer): void {
    this.#ms = ms
    this.#counter = random.readUInt16BE(6) & COUNTER_START_MAX
  }
}

const ids = new IdSource()

/** A new id. The ids of one process ascend, both as text and in Postgres' order of UUIDs. */
export const newId = (): Uuid => ids.next()

const LAST_MS = 2 ** 48 - 1

/** No id that was made at this time or later is below it, and none that was made earlier is above it. */
export function lowestIdAt(ms: number): Uuid {
  const hex = Math.min(Math.max(Math.floor(ms), 0), LAST_MS)
    .toString(16)
    .padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}
