import { type Micros, microsToIso } from '@spanhouse/model'
import { expect, test } from 'vitest'
import { bucketStart, bucketsOf } from './buckets.ts'

const at = (time: string): Micros => Date.parse(time) * 1000
const MINUTE = 60_000_000
const NEWEST = at('2026-02-10T00:00:00Z')
const DAY = 1440

/** The buckets of the range of so many minutes that ends at {@link NEWEST}. */
const ofMinutes = (minutes: number, interval?: number) =>
  bucketsOf({ oldest: NEWEST - minutes * MINUTE, newest: NEWEST, ...(interval && { interval }) }, NEWEST)

test.each([
  ['2026-02-09T23:59:59.999Z', '2026-02-10T00:00:00Z'],
  ['2026-02-10T00:00:00Z', '2026-02-11T00:00:00Z'],
])('at %s the range ends at the next midnight, and is 30 days long', (now, newest) => {
  const buckets = bucketsOf({}, at(now))
  expect(buckets).toEqual({
    oldest: at(newest) - 30 * DAY * MINUTE,
    newest: at(newest),
    intervalMinutes: 43_200,
    count: 1,
  })
})

test.each([-1, 0])('a range of %d minutes is 30 days before its end', minutes => {
  expect(ofMinutes(minutes).oldest).toBe(NEWEST - 30 * DAY * MINUTE)
})

test('a part of a minute counts as one', () => {
  const buckets = bucketsOf({ oldest: NEWEST - MINUTE - 1, newest: NEWEST }, NEWEST)
  expect(buckets).toMatchObject({ intervalMinutes: 2, count: 1 })
  expect(bucketsOf({ oldest: NEWEST - 1, newest: NEWEST, interval: 1 }, NEWEST)).toMatchObject({ count: 1 })
})

test.each([
  [100, 7, 7, 15],
  [1024, 1, 1, 1024],
  [1025, 1, 5, 205],
  [1024 * 37, 37, 37, 1024],
  [1024 * 37 + 1, 37, 60, 632],
  [1024 * 5 + 1, 2, 15, 342],
  [1024 * 15 + 1, 2, 30, 513],
  [1024 * 30 + 1, 2, 60, 513],
  [1024 * 60 + 1, 2, 180, 342],
  [1024 * 180 + 1, 2, 360, 513],
  [1024 * 360 + 1, 2, 720, 513],
  [1024 * 720 + 1, 2, DAY, 513],
  [1024 * DAY + 1, 2, 3 * DAY, 342],
  [1024 * 3 * DAY + 1, 2, 7 * DAY, 439],
  [1024 * 7 * DAY + 1, 2, 14 * DAY, 513],
  [1024 * 14 * DAY + 1, 2, 30 * DAY, 478],
  [1024 * 30 * DAY + 1, 2, 1024 * 30 * DAY + 1, 1],
])('%d minutes by %d: buckets of %d minutes, %d of them', (minutes, interval, intervalMinutes, count) => {
  expect(ofMinutes(minutes, interval)).toMatchObject({ intervalMinutes, count })
})

test('buckets begin at the start of the range', () => {
  const buckets = bucketsOf({ oldest: at('2026-02-09T10:17:03.5Z'), newest: NEWEST, interval: 90 }, NEWEST)
  expect(microsToIso(bucketStart(buckets, 2))).toBe('2026-02-09T13:17:03.500000Z')
})
