import { Refusal } from '@spanhouse/span-stream'
import { Gauge } from 'prom-client'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ExportRoom } from './export-room.ts'

let room: ExportRoom
let gauge: Gauge
const work = vi.fn(async () => 'done')
const publishRefusedFor = (why: 'full' | 'busy'): Promise<never> => room.run(() => Promise.reject(new Refusal(why)))

beforeEach(() => {
  vi.useFakeTimers()
  work.mockClear()
  gauge = new Gauge({ name: 'bytes', help: 'bytes', registers: [] })
  room = new ExportRoom(gauge)
})
afterEach(() => void vi.useRealTimers())

test('what comes right after the stream was full is refused unread; half a second later it is let in', async () => {
  await expect(publishRefusedFor('full')).rejects.toMatchObject({ why: 'full' })
  await expect(room.run(work)).rejects.toMatchObject({ code: 'overloaded', retryAfterSeconds: 2 })
  expect(work).not.toHaveBeenCalled()
  vi.advanceTimersByTime(500)
  expect(await room.run(work)).toBe('done')
})

test('that too much is on its way says nothing about the next export', async () => {
  await expect(publishRefusedFor('busy')).rejects.toMatchObject({ why: 'busy' })
  expect(await room.run(work)).toBe('done')
})

test('what was held is free again when the work is done or has failed', async () => {
  const MiB = 2 ** 20
  const hold = (bytes: number) => room.run(async hold => hold(bytes))
  await hold(100 * MiB)
  await expect(hold(129 * MiB)).rejects.toMatchObject({ code: 'overloaded', retryAfterSeconds: 1 })
  await hold(128 * MiB)
  expect((await gauge.get()).values[0]?.value).toBe(0)
})
