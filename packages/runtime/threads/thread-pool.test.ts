import { expect, test } from 'vitest'
import { ThreadPool } from './thread-pool.ts'

const pool = new ThreadPool<number, string>({
  module: new URL('./blocked.testing.ts', import.meta.url),
  threadsMax: 1,
  waitingMax: 10,
  overloaded: 'Too many questions.',
})

test('a thread that gets no processor for seconds is not taken for one that works without end', async () => {
  expect(await pool.ask(4, { owner: 'p', timeMaxMs: 1_000 })).toBe('answered')
})

test('a thread that does not answer for ten times its time is ended', async () => {
  expect(await pool.ask(10, { owner: 'p', timeMaxMs: 50 })).toMatchObject({ reason: 'time' })
})
