import { NIL_UUID } from '@spanhouse/model'
import type { RowSource } from '@spanhouse/query'

/** What a Buffer's `toString` calls after checking its arguments; the checks take longer than decoding a short text. */
interface SliceableBuffer extends Buffer {
  hexSlice(start: number, end: number): string
  latin1Slice(start: number, end: number): string
  utf8Slice(start: number, end: number): string
}

/** Thrown if the bytes end within a value. */
export class EndOfBytes extends RangeError {
  constructor() {
    super('the bytes end within a row')
  }
}

/**
 * Reads values of rows in ClickHouse's RowBinary format one after another, in the order in which a RowBuffer put them.
 */
export class RowReader {
  readonly #bytes: SliceableBuffer
  #at = 0
  #uuid = { low: 0n, high: 0n, text: NIL_UUID }

  constructor(bytes: Buffer) {
    this.#bytes = bytes as SliceableBuffer
  }

  /** Sets the offset at which the next value is read. */
  moveTo(at: number): void {
    this.#at = at
  }

  /** The offset of the next value. */
  get at(): number {
    return this.#at
  }

  /** The bytes read since an offset. */
  bytesFrom(at: number): Buffer {
    return this.#bytes.subarray(at, this.#at)
  }

  /** Skips values of this many bytes. */
  skip(byteCount: number): void {
    this.#skip(byteCount)
  }

  skipText(): void {
    this.#skip(this.count())
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length
  }

  hex(byteCount: number): string {
    const from = this.#skip(byteCount)
    return this.#bytes.hexSlice(from, from + byteCount)
  }

  /** A dashed UUID. The ids of a few users recur in rows, so the last one is cached. */
  uuid(): string {
    const from = this.#skip(16)
    const low = this.#bytes.readBigUInt64LE(from)
    const high = this.#bytes.readBigUInt64LE(from + 8)
    if (low === 0n && high === 0n) return NIL_UUID
    if (low !== this.#uuid.low || high !== this.#uuid.high) {
      const digits = low.toString(16).padStart(16, '0') + high.toString(16).padStart(16, '0')
      this.#uuid = { low, high, text: digits.replace(/(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-') }
    }
    return this.#uuid.text
  }

  int8(): number {
    return this.#bytes.readInt8(this.#skip(1))
  }

  int64(): bigint {
    return this.#bytes.readBigInt64LE(this.#skip(8))
  }

  /** The same as a number, exact up to 2^53. */
  number64(): number {
    const from = this.#skip(8)
    return this.#bytes.readInt32LE(from + 4) * 0x1_0000_0000 + this.#bytes.readUInt32LE(from)
  }

  int128(): bigint {
    const from = this.#skip(16)
    if (this.#bytes.readBigInt64LE(from + 8) === 0n) return this.#bytes.readBigUInt64LE(from)
    return (this.#bytes.readBigInt64LE(from + 8) << 64n) | this.#bytes.readBigUInt64LE(from)
  }

  /** One character per byte. */
  characters(byteCount: number): string {
    const from = this.#skip(byteCount)
    return this.#bytes.latin1Slice(from, from + byteCount)
  }

  text(): string {
    const byteCount = this.count()
    const from = this.#skip(byteCount)
    return byteCount === 0 ? '' : this.#bytes.utf8Slice(from, from + byteCount)
  }

  uint32s(): number[] {
    return Array.from({ length: this.count() }, () => this.#bytes.readUInt32LE(this.#skip(4)))
  }

  /** A number of variable length, such as that of a text's bytes. */
  count(): number {
    let count = 0
    for (let shift = 0, more = true; more; shift += 7) {
      const byte = this.#bytes.readUInt8(this.#skip(1))
      count |= (byte & 0x7f) << shift
      more = byte > 0x7f
    }
    return count
  }

  #skip(byteCount: number): number {
    const from = this.#at
    this.#at += byteCount
    if (this.#at > this.#bytes.length) throw new EndOfBytes()
    return from
  }
}

/** Skips the values that a RowReader would read: its return values have no meaning. */
export class RowSkipper implements RowSource {
  readonly #row: RowReader

  constructor(row: RowReader) {
    this.#row = row
  }

  hex(byteCount: number): string {
    this.#row.skip(byteCount)
    return ''
  }

  int8(): number {
    this.#row.skip(1)
    return 0
  }

  int64(): bigint {
    this.#row.skip(8)
    return 0n
  }

  number64(): number {
    this.#row.skip(8)
    return 0
  }

  int128(): bigint {
    this.#row.skip(16)
    return 0n
  }

  uuid(): string {
    this.#row.skip(16)
    return ''
  }

  uint32s(): number[] {
    this.#row.uint32s()
    return []
  }

  text(): string {
    this.#row.skipText()
    return ''
  }
}
