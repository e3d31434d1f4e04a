const UUIDS_MAX = 1_000
/** A native call takes as long as writing this many characters one by one. */
const SHORT_TEXT_MAX = 40

const INITIAL_BYTES = 1024 * 1024
/** Enough for the batches of a loaded writer; larger memory is not kept between batches. */
export const KEPT_BYTES_MAX = 32 * 1024 * 1024

/**
 * Rows in ClickHouse's RowBinary format, written value by value into one growing buffer. Values are not scanned twice,
 * and only text is encoded as text: the engine reads a span in half the time that the same values take in a text
 * format.
 */
export class RowBuffer {
  #bytes: Buffer
  #view: DataView
  #length = 0
  readonly #uuids = new Map<string, Buffer>()

  constructor(bytes = INITIAL_BYTES) {
    this.#bytes = Buffer.allocUnsafe(bytes)
    this.#view = viewOf(this.#bytes)
  }

  get length(): number {
    return this.#length
  }

  /** Bytes of memory held. */
  get capacity(): number {
    return this.#bytes.length
  }

  /** The bytes between two lengths; valid until the next value is put. */
  slice(from: number, to: number): Buffer {
    return this.#bytes.subarray(from, to)
  }

  /**
   * Sets the length at which the next value is put. Everything after it is discarded, or restored once the length is
   * set back.
   */
  moveTo(length: number): void {
    this.#length = length
  }

  /** Discards all values, and releases memory that a rare large batch needed. */
  clear(): void {
    this.#length = 0
    if (this.#bytes.length > KEPT_BYTES_MAX) this.#use(Buffer.allocUnsafe(INITIAL_BYTES))
  }

  /** Reserves this many bytes and returns the new length. */
  skip(bytes: number): number {
    this.#reserve(bytes)
    this.#length += bytes
    return this.#length
  }

  /** An even number of lower-case hex digits as half as many bytes: FixedString. */
  hex(digits: string): void {
    this.#reserve(digits.length)
    for (let at = 0; at < digits.length; at += 2)
      this.#bytes[this.#length++] = (halfByte(digits, at) << 4) | halfByte(digits, at + 1)
  }

  /** One character per byte: FixedString. */
  bytes(characters: string): void {
    this.#reserve(characters.length)
    for (let at = 0; at < characters.length; at++) this.#bytes[this.#length++] = characters.charCodeAt(at)
  }

  /** Int8, Enum8, Bool. */
  int8(value: number): void {
    this.#reserve(1)
    this.#bytes[this.#length++] = value
  }

  /** DateTime64: an integer of up to 2^53. */
  int64(value: number): void {
    this.#reserve(8)
    this.#view.setInt32(this.#length, value, true)
    this.#view.setInt32(this.#length + 4, Math.floor(value / 0x1_0000_0000), true)
    this.#length += 8
  }

  /** Decimal(18, …). */
  bigInt64(value: bigint): void {
    this.#reserve(8)
    this.#view.setBigInt64(this.#length, value, true)
    this.#length += 8
  }

  /** Decimal(38, …). Nearly all amounts fit in 64 bits. */
  int128(value: bigint): void {
    this.#reserve(16)
    const low = BigInt.asIntN(64, value)
    this.#view.setBigInt64(this.#length, low, true)
    this.#view.setBigInt64(this.#length + 8, low === value ? (low < 0n ? -1n : 0n) : value >> 64n, true)
    this.#length += 16
  }

  /** A dashed UUID: two little-endian halves. The same few UUIDs recur in row after row, so their bytes are cached. */
  uuid(dashed: string): void {
    let bytes = this.#uuids.get(dashed)
    if (!bytes) {
      bytes = Buffer.from(dashed.replaceAll('-', ''), 'hex')
      bytes.subarray(0, 8).reverse()
      bytes.subarray(8).reverse()
      if (this.#uuids.size >= UUIDS_MAX) this.#uuids.clear()
      this.#uuids.set(dashed, bytes)
    }
    this.#reserve(16)
    for (let at = 0; at < 16; at++) this.#bytes[this.#length++] = bytes[at] as number
  }

  /** Array(UInt32) of at most 16,383 numbers: the count as a two-byte variable-length integer, then each number. */
  uint32s(values: readonly number[]): void {
    this.#reserve(2 + values.length * 4)
    this.#bytes[this.#length++] = (values.length & 0x7f) | 0x80
    this.#bytes[this.#length++] = values.length >> 7
    for (let at = 0; at < values.length; at++, this.#length += 4)
      this.#view.setUint32(this.#length, values[at] as number, true)
  }

  /** String, one byte per character. */
  latin1(value: string): void {
    this.#text(value, 'latin1')
  }

  /** String, preceded by its length as a variable-length integer, which here always has four bytes. */
  text(value: string): void {
    this.#text(value, 'utf8')
  }

  #text(value: string, encoding: 'utf8' | 'latin1'): void {
    if (value === '') {
      this.int8(0)
      return
    }
    this.#reserve(4 + value.length * (encoding === 'latin1' ? 1 : 3))
    const at = this.#length
    const length = this.#ascii(value, at + 4) ?? this.#bytes.write(value, at + 4, encoding)
    this.#putLength(at, length)
    this.#length = at + 4 + length
  }

  #putLength(at: number, length: number): void {
    this.#bytes[at] = (length & 0x7f) | 0x80
    this.#bytes[at + 1] = ((length >> 7) & 0x7f) | 0x80
    this.#bytes[at + 2] = ((length >> 14) & 0x7f) | 0x80
    this.#bytes[at + 3] = length >> 21
  }

  /** Writes a short ASCII text at an offset and returns its length; undefined for any other text. */
  #ascii(value: string, to: number): number | undefined {
    if (value.length > SHORT_TEXT_MAX) return undefined
    for (let at = 0; at < value.length; at++) {
      const unit = value.charCodeAt(at)
      if (unit > 127) return undefined
      this.#bytes[to + at] = unit
    }
    return value.length
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#length + bytes))
    this.#bytes.copy(larger, 0, 0, this.#length)
    this.#use(larger)
  }

  #use(bytes: Buffer): void {
    this.#bytes = bytes
    this.#view = viewOf(bytes)
  }
}

const viewOf = ({ buffer, byteOffset, length }: Buffer): DataView => new DataView(buffer, byteOffset, length)

function halfByte(digits: string, at: number): number {
  const unit = digits.charCodeAt(at)
  return unit < 58 ? unit - 48 : unit - 87
}
