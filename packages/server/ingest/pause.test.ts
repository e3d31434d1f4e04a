import { Refusal } from '@spanhouse/span-stream'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { PauseWhenFull } from './pause.ts'

let pause: PauseWhenFull
const work = vi.fn(async () => 'done')
const publishRefusedFor = (why: 'full' | 'busy' | 'project_full'): Promise<never> =>
  pause.run('a', () => Promise.reject(new Refusal(why)))

beforeEach(() => {
  vi.useFakeTimers()
  work.mockClear()
  pause = new PauseWhenFull()
})
afterEach(() => void vi.useRealTimers())

test('what comes right after the stream was full is refused unread; half a second later it is let in', async () => {
  await expect(publishRefusedFor('full')).rejects.toMatchObject({ why: 'full' })
  await expect(pause.run('a', work)).rejects.toMatchObject({ code: 'overloaded', retryAfterSeconds: 2 })
  expect(work).not.toHaveBeenCalled()
  vi.advanceTimersByTime(500)
  expect(await pause.run('a', work)).toBe('done')
})

test('that too much is on its way says nothing about the next export', async () => {
  await expect(publishRefusedFor('busy')).rejects.toMatchObject({ why: 'busy' })
  expect(await pause.run('a', work)).toBe('done')
})

test('what the stream refuses of one project says nothing about the exports of others', async () => {
  await expect(publishRefusedFor('project_full')).rejects.toMatchObject({ code: 'too_many_requests' })
  await expect(pause.run('a', work)).rejects.toMatchObject({ why: 'project_full', retryAfterSeconds: 2 })
  expect(await pause.run('b', work)).toBe('done')
  vi.advanceTimersByTime(500)
  expect(await pause.run('a', work)).toBe('done')
})
