const UUIDS_MAX = 1_000

/**
 * Rows in ClickHouse's RowBinary format, put value after value into one growing buffer. Nothing is looked at twice and
 * nothing becomes text that is not text: the engine takes a span in half the time that it takes for the same values in
 * a text format.
 */
export class RowBuffer {
  #bytes: Buffer
  #length = 0
  readonly #uuids = new Map<string, Buffer>()

  constructor(bytes = 1024 * 1024) {
    this.#bytes = Buffer.allocUnsafe(bytes)
  }

  get length(): number {
    return this.#length
  }

  /** The bytes between two lengths; valid until the next value is put. */
  slice(from: number, to: number): Buffer {
    return this.#bytes.subarray(from, to)
  }

  /** Takes back everything put since `length`. */
  truncate(length: number): void {
    this.#length = length
  }

  append(bytes: Buffer): void {
    this.#reserve(bytes.length)
    bytes.copy(this.#bytes, this.#length)
    this.#length += bytes.length
  }

  /** Hex digits as that many half bytes: FixedString. */
  hex(digits: string): void {
    this.#reserve(digits.length)
    this.#length += this.#bytes.write(digits, this.#length, 'hex')
  }

  /** A character for each byte: FixedString. */
  bytes(characters: string): void {
    this.#reserve(characters.length)
    this.#length += this.#bytes.write(characters, this.#length, 'latin1')
  }

  /** Int8, Enum8, Bool. */
  int8(value: number): void {
    this.#reserve(1)
    this.#bytes[this.#length++] = value
  }

  /** DateTime64: an integer of up to 2^53. */
  int64(value: number): void {
    this.#reserve(8)
    this.#bytes.writeInt32LE(value | 0, this.#length)
    this.#bytes.writeInt32LE(Math.floor(value / 0x1_0000_0000) | 0, this.#length + 4)
    this.#length += 8
  }

  /** Decimal(18, …). */
  bigInt64(value: bigint): void {
    if (value === 0n) {
      this.int64(0)
      return
    }
    this.#reserve(8)
    this.#bytes.writeBigInt64LE(value, this.#length)
    this.#length += 8
  }

  /** Decimal(38, …). */
  int128(value: bigint): void {
    this.#reserve(16)
    if (value === 0n) this.#bytes.fill(0, this.#length, this.#length + 16)
    else {
      this.#bytes.writeBigUInt64LE(BigInt.asUintN(64, value), this.#length)
      this.#bytes.writeBigInt64LE(BigInt.asIntN(64, value >> 64n), this.#length + 8)
    }
    this.#length += 16
  }

  /** A dashed UUID: two little-endian halves. The same few stand in row after row, so their bytes are kept. */
  uuid(dashed: string): void {
    let bytes = this.#uuids.get(dashed)
    if (!bytes) {
      bytes = Buffer.from(dashed.replaceAll('-', ''), 'hex')
      bytes.subarray(0, 8).reverse()
      bytes.subarray(8).reverse()
      if (this.#uuids.size >= UUIDS_MAX) this.#uuids.clear()
      this.#uuids.set(dashed, bytes)
    }
    this.append(bytes)
  }

  /** Array(UInt32) of at most 16,383 numbers: their count as a variable-length integer of two bytes, then each. */
  uint32s(values: readonly number[]): void {
    this.#reserve(2 + values.length * 4)
    this.#bytes[this.#length++] = (values.length & 0x7f) | 0x80
    this.#bytes[this.#length++] = values.length >> 7
    for (const value of values) this.#length = this.#bytes.writeUInt32LE(value, this.#length)
  }

  /** String. The length stands before it as a variable-length integer, here always of four bytes. */
  text(value: string): void {
    if (value === '') {
      this.int8(0)
      return
    }
    this.#reserve(4 + value.length * 3)
    const at = this.#length
    const length = this.#bytes.write(value, at + 4, 'utf8')
    this.#bytes[at] = (length & 0x7f) | 0x80
    this.#bytes[at + 1] = ((length >> 7) & 0x7f) | 0x80
    this.#bytes[at + 2] = ((length >> 14) & 0x7f) | 0x80
    this.#bytes[at + 3] = length >> 21
    this.#length = at + 4 + length
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#length + bytes))
    this.#bytes.copy(larger, 0, 0, this.#length)
    this.#bytes = larger
  }
}
