/** Takes the values that a RowBuffer has put apart again, in the same order. */
export class RowReader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  hex(byteCount: number): string {
    return this.#take(byteCount).toString('hex')
  }

  /** Dashed. */
  uuid(): string {
    const bytes = Buffer.from(this.#take(16))
    bytes.subarray(0, 8).reverse()
    bytes.subarray(8).reverse()
    return bytes.toString('hex').replace(/(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  }

  int8(): number {
    return this.#take(1).readInt8()
  }

  int64(): bigint {
    return this.#take(8).readBigInt64LE()
  }

  int128(): bigint {
    const bytes = this.#take(16)
    return (bytes.readBigInt64LE(8) << 64n) | bytes.readBigUInt64LE()
  }

  text(): string {
    return this.#take(this.#count()).toString('utf8')
  }

  uint32s(): number[] {
    return Array.from({ length: this.#count() }, () => this.#take(4).readUInt32LE())
  }

  #count(): number {
    let count = 0
    for (let shift = 0, more = true; more; shift += 7) {
      const byte = this.#take(1).readUInt8()
      count |= (byte & 0x7f) << shift
      more = byte > 0x7f
    }
    return count
  }

  #take(byteCount: number): Buffer {
    const from = this.#at
    this.#at += byteCount
    return this.#bytes.subarray(from, this.#at)
  }
}
