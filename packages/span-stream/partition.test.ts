import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { partitionOf } from './partition.ts'

const sequential = (number: number): Uint8Array => {
  const id = Buffer.alloc(16)
  id.writeUInt32BE(number, 12)
  return id
}
const timed = (number: number): Uint8Array => {
  const id = randomBytes(16)
  id.writeUInt32BE(1_795_000_000 + Math.floor(number / 500), 0)
  return id
}

describe('partitionOf', () => {
  // From another implementation of MurmurHash3; that these never change is part of the contract.
  it.each([
    ['00000000000000000000000000000000', 2167721464],
    ['000102030405060708090a0b0c0d0e0f', 420836317],
    ['ffffffffffffffffffffffffffffffff', 3843634286],
  ])('hashes %s to %d', (hex, hash) => {
    expect(partitionOf(Buffer.from(hex, 'hex'), 2 ** 32)).toBe(hash)
  })

  it.each([
    ['random', () => randomBytes(16)],
    ['sequential', sequential],
    ['time-prefixed', timed],
    ['padded with zeros on the right', (number: number) => Uint8Array.from(sequential(number)).reverse()],
  ])('spreads %s ids evenly', (_kind, idOf) => {
    for (const partitions of [2, 3, 8, 16]) {
      const counts = new Array<number>(partitions).fill(0)
      for (let number = 0; number < 16_000; number++) {
        const partition = partitionOf(idOf(number), partitions)
        counts[partition] = (counts[partition] ?? 0) + 1
      }
      const mean = 16_000 / partitions
      for (const count of counts) expect(Math.abs(count - mean)).toBeLessThan(5 * Math.sqrt(mean))
    }
  })

  it('looks only at the 16 bytes of the view it is given', () => {
    const buffer = randomBytes(48)
    expect(partitionOf(buffer.subarray(16, 32), 997)).toBe(partitionOf(Uint8Array.from(buffer.subarray(16, 32)), 997))
    expect(() => partitionOf(buffer, 8)).toThrow('16 bytes')
  })
})
