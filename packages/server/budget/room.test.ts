import { Gauge } from 'prom-client'
import { beforeEach, expect, test } from 'vitest'
import { ADMINISTRATION, PUBLIC } from '../shares/pool.ts'
import { Room } from './room.ts'

const [A, B] = ['a', 'b'].map(project_id => ({ project_id })) as [{ project_id: string }, { project_id: string }]

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
  for (const [tenant, max] of [
    [A, 128 * MiB],
    [PUBLIC, 8 * MiB],
    [ADMINISTRATION, 120 * MiB],
  ] as const) {
    const held = room.enter(tenant)
    held.add(max)
    expect(() => room.enter(tenant).add(tenant === ADMINISTRATION ? 9 * MiB : 1)).toThrow(FULL)
  }
  expect(() => room.enter(B).add(1)).toThrow(FULL)
})

test('what one request alone may never hold is not worth another attempt', () => {
  const held = room.enter(A)
  held.add(100 * MiB)
  expect(() => held.add(29 * MiB)).toThrow(expect.objectContaining({ code: 'too_large', retryAfterSeconds: undefined }))
  held.add(28 * MiB)
  expect(() => room.enter(PUBLIC).add(9 * MiB)).toThrow(expect.objectContaining({ code: 'too_large' }))
})

test('what was held is free again, once', async () => {
  const [one, other] = [room.enter(A), room.enter(A)]
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
  room.enter(A).add(128 * MiB)
})
