import { Gauge } from 'prom-client'
import { beforeEach, expect, test } from 'vitest'
import { ADMIN_SHARE, PUBLIC_SHARE, Room } from './room.ts'

const MiB = 2 ** 20
const FULL = expect.objectContaining({ code: 'overloaded', retryAfterSeconds: 1 })

let room: Room
let gauge: Gauge
beforeEach(() => {
  gauge = new Gauge({ name: 'bytes', help: 'bytes', registers: [] })
  room = new Room(gauge)
})
const shown = async (): Promise<unknown> => (await gauge.get()).values[0]?.value

test('a project may have half of the room, the public little of it', () => {
  for (const [share, max] of [
    ['a', 128 * MiB],
    [PUBLIC_SHARE, 8 * MiB],
    [ADMIN_SHARE, 120 * MiB],
  ] as const) {
    const held = room.enter(share)
    held.add(max)
    expect(() => room.enter(share).add(share === ADMIN_SHARE ? 9 * MiB : 1)).toThrow(FULL)
  }
  expect(() => room.enter('b').add(1)).toThrow(FULL)
})

test('what was held is free again, once', async () => {
  const [one, other] = [room.enter('a'), room.enter('a')]
  one.add(100 * MiB)
  expect(() => other.add(29 * MiB)).toThrow(FULL)
  expect(await shown()).toBe(100 * MiB)
  one.add(-60 * MiB)
  other.add(29 * MiB)
  one.release()
  one.release()
  expect(await shown()).toBe(29 * MiB)
  other.release()
  expect(await shown()).toBe(0)
  room.enter('a').add(128 * MiB)
})
