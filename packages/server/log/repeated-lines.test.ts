import { expect, test } from 'vitest'
import { RepeatedLines } from './repeated-lines.ts'

test('a kind of line is logged once a minute, with the number of those omitted', () => {
  let now = 0
  const lines = new RepeatedLines(() => now)
  expect([lines.note('a'), lines.note('a'), lines.note('a'), lines.note('b')]).toEqual([0, undefined, undefined, 0])
  now = 59_999
  expect(lines.note('a')).toBeUndefined()
  now = 60_000
  expect([lines.note('a'), lines.note('a')]).toEqual([3, undefined])
})

test('a thousand kinds are remembered', () => {
  const lines = new RepeatedLines(() => 0)
  for (let kind = 0; kind <= 1_000; kind++) lines.note(String(kind))
  expect([lines.note('1'), lines.note('1000')]).toEqual([undefined, undefined])
  expect(lines.note('0')).toBe(0)
})
