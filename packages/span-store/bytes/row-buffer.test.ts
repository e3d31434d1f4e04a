import { readMoney } from '@spanhouse/query'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { KEPT_BYTES_MAX, RowBuffer } from './row-buffer.ts'
import { RowReader } from './row-reader.ts'

const int128 = fc.bigInt({ min: -(2n ** 127n), max: 2n ** 127n - 1n })
const value = fc.record({
  text: fc.oneof(fc.string(), fc.string({ unit: 'binary', maxLength: 100 })),
  hex: fc.uint8Array({ minLength: 8, maxLength: 8 }).map(bytes => Buffer.from(bytes).toString('hex')),
  bytes: fc.uint8Array({ maxLength: 16 }).map(bytes => Buffer.from(bytes).toString('latin1')),
  uuid: fc.uuid(),
  int64: fc.maxSafeInteger(),
  bigInt64: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  int128: fc.oneof(
    int128,
    int128.map(wide => wide >> 64n),
  ),
  uint32s: fc.array(fc.nat(2 ** 32 - 1)),
})

test('what is put into a row is read from it again', () => {
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 5 }), values => {
      const row = new RowBuffer(16)
      row.skip(8)
      for (const one of values) {
        row.text(one.text)
        row.hex(one.hex)
        row.bytes(one.bytes)
        row.uuid(one.uuid)
        row.int64(one.int64)
        row.int64(one.int64)
        row.bigInt64(one.bigInt64)
        row.int128(one.int128)
        row.uint32s(one.uint32s)
      }
      const { length } = row
      row.moveTo(0)
      row.int64(-1)
      row.moveTo(length)
      const reader = new RowReader(row.slice(0, row.length))
      expect(reader.int64()).toBe(-1n)
      for (const one of values) {
        expect(reader.text()).toBe(Buffer.from(one.text).toString())
        expect(reader.hex(8)).toBe(one.hex)
        expect(reader.hex(one.bytes.length)).toBe(Buffer.from(one.bytes, 'latin1').toString('hex'))
        expect(reader.uuid()).toBe(one.uuid)
        expect(reader.int64()).toBe(BigInt(one.int64))
        expect(reader.number64()).toBe(one.int64)
        expect(reader.int64()).toBe(one.bigInt64)
        expect(reader.int128()).toBe(one.int128)
        expect(reader.uint32s()).toEqual(one.uint32s)
      }
    }),
  )
})

test('money is read as the number nearest to its decimals', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 26n), max: 10n ** 26n }), fc.integer({ min: 0, max: 26 }), (wide, digits) => {
      const amount = wide / 10n ** BigInt(digits)
      const row = new RowBuffer(16)
      row.int128(amount)
      const reader = new RowReader(row.slice(0, row.length))
      expect(readMoney(reader)).toBe(Number(`${amount}e-15`))
      expect(reader.isAtEnd).toBe(true)
    }),
  )
})

test('memory of a rare large batch is given back, that of usual ones is kept', () => {
  const buffer = new RowBuffer()
  buffer.skip(KEPT_BYTES_MAX + 1)
  buffer.clear()
  expect(buffer.length).toBe(0)
  expect(buffer.capacity).toBeLessThan(2 * 1024 * 1024)
  buffer.skip(KEPT_BYTES_MAX - 1)
  buffer.clear()
  expect(buffer.capacity).toBeGreaterThan(KEPT_BYTES_MAX / 2)
})
