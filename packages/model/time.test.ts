import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { parseSpanId, parseTraceId, parseUuid } from './identifiers.ts'
import { integerToJson, parseJson } from './json/json.ts'
import { acceptedAgo, acceptedNow, MICROS_MAX, microsNow, microsToIso, parseNearestTime, parseTime } from './time.ts'

const AT = 1_770_110_100_250_000

test.each([
  ['2026-02-03T09:15:00.250000Z', AT],
  ['2026-02-03T09:15:00.25', AT],
  ['2026-02-03 10:15:00.2500009+01:00', AT],
  ['2026-02-03T09:15:00,25+0000', AT],
  ['2026-02-03', 1_770_076_800_000_000],
  [1_770_110_100, 1_770_110_100_000_000],
  ['1770110100250', AT],
  [AT, AT],
  [1_770_110_100_250_000_999n, AT],
  ['1770110100250000999', AT],
  ['2026-02-30T00:00:00Z', null],
  ['2026-13-01', null],
  ['yesterday', null],
  [12345, null],
  [1.5, null],
  [null, null],
  ['2400-01-01T00:00:00Z', null],
])('the time %s', (text, micros) => {
  expect(parseTime(text)).toBe(micros)
})

test.each([
  ['9999-12-31T23:59:59Z', MICROS_MAX],
  ['1900-01-01', 0],
  [AT, AT],
  [12345, null],
  ['soon', null],
])('the nearest time to %s', (text, micros) => {
  expect(parseNearestTime(text)).toBe(micros)
})

test('a time printed is the time read', () => {
  fc.assert(fc.property(fc.integer({ min: 0, max: MICROS_MAX }), micros => parseTime(microsToIso(micros)) === micros))
  expect(microsToIso(1_770_110_100_000_000)).toBe('2026-02-03T09:15:00Z')
})

test('the present is finer than a millisecond, and stays that of the machine when its clock is set', () => {
  const AN_HOUR = 3_600_000
  vi.useFakeTimers({ toFake: ['Date'] })
  try {
    for (const set of [0, AN_HOUR, -AN_HOUR]) {
      vi.setSystemTime(Date.now() + set)
      expect(Math.abs(microsNow() / 1000 - Date.now())).toBeLessThan(1_000)
    }
  } finally {
    vi.useRealTimers()
  }
  const times = Array.from({ length: 10_000 }, microsNow)
  expect(times.every((time, at) => at === 0 || time >= (times[at - 1] as number))).toBe(true)
  expect(times.some(time => time % 1000 !== (times[0] as number) % 1000)).toBe(true)
})

test('what is accepted later has a later time, and its age, also after the clock was set back', () => {
  const SECOND = 1_000_000
  vi.useFakeTimers({ toFake: ['Date', 'performance'] })
  try {
    const first = acceptedNow()
    expect(Math.abs(first - microsNow())).toBeLessThan(SECOND)
    vi.setSystemTime(Date.now() - 3_600_000)
    const times = [first, ...Array.from({ length: 1_000 }, acceptedNow)]
    expect(times.every((time, at) => at === 0 || time > (times[at - 1] as number))).toBe(true)
    vi.advanceTimersByTime(60_000)
    const second = acceptedNow()
    expect(second - first).toBeLessThan(31 * SECOND)
    expect(acceptedAgo(first)).toBeGreaterThanOrEqual(60 * SECOND)
    vi.advanceTimersByTime(3 * 3_600_000)
    expect(Math.abs(acceptedNow() - microsNow())).toBeLessThan(SECOND)
    expect(acceptedAgo(second)).toBeGreaterThanOrEqual(3 * 3_600 * SECOND)
    vi.advanceTimersByTime(60_000)
    expect(Math.abs(acceptedAgo(acceptedNow()))).toBeLessThan(SECOND)
  } finally {
    vi.useRealTimers()
  }
})

test.each([
  [parseTraceId, '7C1E9A0B52D84F6EA3B0C4D5E6F70811', '7c1e9a0b52d84f6ea3b0c4d5e6f70811'],
  [parseTraceId, '0x7c1e9a0b52d84f6ea3b0c4d5e6f70811', '7c1e9a0b52d84f6ea3b0c4d5e6f70811'],
  [parseTraceId, '7c1e9a0b-52d8-4f6e-a3b0-c4d5e6f70811', '7c1e9a0b52d84f6ea3b0c4d5e6f70811'],
  [parseTraceId, '7c1e9a0b52d84f6e', null],
  [parseTraceId, '0'.repeat(32), null],
  [parseSpanId, 'A1B2C3D4E5F60718', 'a1b2c3d4e5f60718'],
  [parseSpanId, '0xa1b2c3d4e5f60718', 'a1b2c3d4e5f60718'],
  [parseSpanId, 'a1b2c3d4-e5f6-0718-a1b2-c3d4e5f60718', 'a1b2c3d4e5f60718'],
  [parseSpanId, 'a1b2', null],
  [parseUuid, '0x0D9F8E7C111142228333944455556666', '0d9f8e7c-1111-4222-8333-944455556666'],
  [parseUuid, 'nobody', null],
])('%o of %s', (parse, text, id) => {
  expect(parse(text)).toBe(id)
})

test('integers past 2^53 keep their digits', () => {
  const text = '{"a":9007199254740993,"b":[-9223372036854775808,1.5,12345678901234567.5],"c":"9007199254740993"}'
  expect(JSON.stringify(parseJson(text))).toBe(text.replace('12345678901234567.5', '12345678901234568'))
  expect(JSON.stringify(integerToJson(2n ** 63n - 1n))).toBe('9223372036854775807')
})
