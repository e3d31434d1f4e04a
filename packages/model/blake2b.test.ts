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

// Made with Python's hashlib.blake2b(message, digest_size=16), the reference implementation.
test.each([
  [Buffer.from('abc'), 'cf4ab791c62b8d2b2109c90275287816'],
  [Buffer.alloc(0), 'cae66941d9efbd404e4d88758ea67670'],
  [message(300), '0b8d2a7e37672c606f9f3b5f68578c94'],
])('16-byte digests are no cut-off 64-byte ones', (bytes, digest) => {
  expect(blake2b(bytes, 16).toString('hex')).toBe(digest)
})
