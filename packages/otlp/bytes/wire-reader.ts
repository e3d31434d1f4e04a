import { integerToJson, type Json } from '@spanhouse/model'
import { DELIMITED, FIXED_32, FIXED_64, VARINT } from '../canonical/messages.ts'

/** The position after malformed bytes: beyond any end. */
const BROKEN = 0x7fffffff

/** Nanoseconds per high word: 2^32 ns are 4,294,967 µs and 296 ns. */
const MICROS_PER_HIGH_WORD = 4_294_967
const NANOS_LEFT_PER_HIGH_WORD = 296

/**
 * What a Buffer's `toString` calls after checking its arguments, which takes as long again for a short text. Not
 * documented, but protobufjs calls it too.
 */
interface SliceableBuffer extends Buffer {
  utf8Slice(start: number, end: number): string
  hexSlice(start: number, end: number): string
}

const NAMES_MAX = 4_096
const NAME_BYTES_MAX = 100

/**
 * A cache by the hash of the bytes; a new entry replaces an old one with the same hash. Spans have the same few keys,
 * and lookups by key are faster with the identical string.
 */
const names: ({ text: string; bytes: Uint8Array } | undefined)[] = Array.from({ length: NAMES_MAX })

/** Whether exactly these bytes are at that position. */
function isAt(bytes: Uint8Array, start: number, end: number, name: Uint8Array): boolean {
  if (name.length !== end - start) return false
  for (let at = 0; at < name.length; at++) if (bytes[start + at] !== name[at]) return false
  return true
}

/**
 * Reads protobuf's wire format. Nothing here throws, because a hostile export of a million broken spans must not cost a
 * million stack traces: malformed bytes move the position beyond every end instead. To read a message, read fields
 * while `pos < end`; the message was well formed if `pos === end` afterwards.
 */
export class WireReader {
  readonly bytes: SliceableBuffer
  pos = 0

  constructor(bytes: Uint8Array) {
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length) as SliceableBuffer
  }

  /** A field's number and wire type, `number << 3 | type`. */
  tag(): number {
    const first = this.bytes[this.pos] as number
    if (first < 128 && first > 7) {
      this.pos++
      return first
    }
    const tag = this.#word()
    if (tag < 8) this.pos = BROKEN
    return tag
  }

  /** The end of a length-delimited value that starts here; `end` is the end of its parent. */
  delimited(end: number): number {
    const length = this.#word()
    const stop = this.pos + length
    if (stop <= end) return stop
    this.pos = BROKEN
    return BROKEN
  }

  /** The low 32 bits of a varint, unsigned. */
  uint32(): number {
    const low = this.bytes[this.pos] as number
    if (low < 128) {
      this.pos++
      return low
    }
    return Number(BigInt.asUintN(32, BigInt(this.#varint())))
  }

  int64(): Json {
    const value = this.#varint()
    return typeof value === 'number' ? value : integerToJson(BigInt.asIntN(64, value))
  }

  bool(): boolean {
    return this.int64() !== 0
  }

  double(): number {
    const at = this.pos
    this.pos += 8
    return this.pos <= this.bytes.length ? this.bytes.readDoubleLE(at) : 0
  }

  fixed32(): number {
    const { bytes, pos } = this
    this.pos += 4
    return (
      ((bytes[pos] as number) |
        ((bytes[pos + 1] as number) << 8) |
        ((bytes[pos + 2] as number) << 16) |
        ((bytes[pos + 3] as number) << 24)) >>>
      0
    )
  }

  /** An unsigned time in nanoseconds, rounded to microseconds; exact below 2^53 microseconds. */
  micros(): number {
    const low = this.fixed32()
    const high = this.fixed32()
    return high * MICROS_PER_HIGH_WORD + Math.round((high * NANOS_LEFT_PER_HIGH_WORD + low) / 1000)
  }

  /** The text of a length-delimited value; bytes that are not UTF-8 become U+FFFD. */
  string(end: number): string {
    const start = this.pos
    this.pos = end
    return end <= this.bytes.length ? this.bytes.utf8Slice(start, end) : ''
  }

  /** As {@link string}, for texts that recur, such as keys: they are cached by their bytes. */
  name(end: number): string {
    const { bytes, pos } = this
    if (end > bytes.length || end - pos > NAME_BYTES_MAX) return this.string(end)
    let hash = 0
    for (let at = pos; at < end; at++) hash = (Math.imul(hash, 31) + (bytes[at] as number)) | 0
    const slot = (hash ^ (hash >>> 15)) & (NAMES_MAX - 1)
    const known = names[slot]
    if (known && isAt(bytes, pos, end, known.bytes)) {
      this.pos = end
      return known.text
    }
    const text = this.string(end)
    names[slot] = { text, bytes: Uint8Array.prototype.slice.call(bytes, pos, end) }
    return text
  }

  /** The bytes of a length-delimited value, not copied. */
  raw(end: number): Buffer {
    const start = this.pos
    this.pos = end
    return this.bytes.subarray(start, end)
  }

  /** The bytes of a length-delimited value in hexadecimal. */
  hex(end: number): string {
    const start = this.pos
    this.pos = end
    return end <= this.bytes.length ? this.bytes.hexSlice(start, end) : ''
  }

  /** Skips the value that follows `tag`. */
  skip(tag: number, end: number): void {
    switch (tag & 7) {
      case VARINT:
        this.#skipVarint()
        break
      case FIXED_64:
        this.pos += 8
        break
      case DELIMITED:
        this.pos = this.delimited(end)
        break
      case FIXED_32:
        this.pos += 4
        break
      default:
        this.pos = BROKEN
    }
  }

  /** A varint of at most 32 bits and five bytes: tags and lengths. */
  #word(): number {
    const { bytes } = this
    let value = 0
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = bytes[this.pos++] as number
      value |= (byte & 127) << shift
      if (byte < 128) return value
    }
    const last = bytes[this.pos++] as number
    if (last < 8) return value | (last << 28)
    this.pos = BROKEN
    return 0
  }

  #skipVarint(): void {
    const { bytes } = this
    for (let left = 10; left > 0; left--) if ((bytes[this.pos++] as number) < 128) return
    this.pos = BROKEN
  }

  /**
   * Up to seven bytes are exact as a number; longer varints, including all negative integers, are returned as a bigint.
   */
  #varint(): number | bigint {
    let value = 0
    for (let scale = 1; scale < 2 ** 49; scale *= 128) {
      const byte = this.bytes[this.pos++] as number
      value += (byte & 127) * scale
      if (byte < 128) return value
    }
    return this.#varintAbove(BigInt(value))
  }

  #varintAbove(low: bigint): bigint {
    let value = low
    for (let shift = 49n; shift < 70n; shift += 7n) {
      const byte = this.bytes[this.pos++] as number
      value |= BigInt(byte & 127) << shift
      if (byte < 128) return value
    }
    this.pos = BROKEN
    return 0n
  }
}
