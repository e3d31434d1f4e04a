import { expect, test } from 'vitest'
import { ALIVE_EVERY_MS, beatsMissedMax, type Sign } from './supervision.ts'

test('a program that has not sent a sign yet may load for minutes, and hangs after half a minute later on', () => {
  const secondsAfter = (...seen: Sign[]): number => (beatsMissedMax(new Set(seen)) * ALIVE_EVERY_MS) / 1000
  expect(secondsAfter()).toBe(600)
  expect(secondsAfter('alive')).toBe(30)
  expect(secondsAfter('alive', 'ready', 'stopping')).toBe(30)
})
