import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { blake2b } from './blake2b.ts'

/** The bytes 0, 31, 62, … modulo 256. */
const message = (length: number): Buffer => Buffer.from(Array.from({ length }, (_, at) => (at * 31) & 255))

test('64-byte digests are those of OpenSSL, at every block boundary', () => {
  for (const length of [0, 1, 3, 127, 128, 129, 255, 256, 257, 1000])
    expect(blake2b(message(length), 64).toString('hex')).toBe(
      createHash('blake2b512').update(message(length)).digest('hex'),
    )
})

// Made with Python's hashlib.blake2b(message, digest_size=n), the reference implementation.
test.each([
  [16, Buffer.from('abc'), 'cf4ab791c62b8d2b2109c90275287816'],
  [16, Buffer.alloc(0), 'cae66941d9efbd404e4d88758ea67670'],
  [16, message(128), '7230730104395dee302019e3e4f16c46'],
  [16, message(129), 'c8b20ca4def638d8e9a7d7ae50d7f741'],
  [16, message(300), '0b8d2a7e37672c606f9f3b5f68578c94'],
  [16, message(100_000), '1a0fdefca9ac7f654e242e82ab2d35e5'],
  [6, message(3), '95c4fb50c045'],
  [6, message(45), '12a6adbb5f9d'],
  [6, message(300), 'b2f195a4cc89'],
])('%i-byte digests are no cut-off 64-byte ones', (length, bytes, digest) => {
  expect(blake2b(bytes, length).toString('hex')).toBe(digest)
})
