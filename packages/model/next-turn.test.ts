import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { nextTurn } from './next-turn.ts'

const STEP_MS = 4

/** Occupies the thread. */
function work(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

test('while many works are under way, timers wait for one of them and not for all', async () => {
  let lateMs = 0
  let dueAt = performance.now() + 1
  const timer = setInterval(() => {
    lateMs = Math.max(lateMs, performance.now() - dueAt)
    dueAt = performance.now() + 1
  }, 1)
  await Promise.all(
    Array.from({ length: 50 }, async () => {
      for (let step = 0; step < 6; step++) {
        await nextTurn()
        work(STEP_MS)
      }
    }),
  )
  clearInterval(timer)
  // One step of each in a row would take 200 ms already.
  expect(lateMs).toBeLessThan(150)
})

test('every waiter gets a turn, even if others arrive meanwhile', async () => {
  const order: string[] = []
  const one = async (name: string): Promise<void> => {
    work(12)
    await nextTurn()
    order.push(name)
  }
  await Promise.all([one('a'), one('b'), one('c').then(() => one('d'))])
  expect(order.toSorted()).toEqual(['a', 'b', 'c', 'd'])
})

test('works that wait for each other take many short steps in a turn', async () => {
  const steps = 20_000
  let isDone = false
  const works = Promise.all(
    Array.from({ length: 3 }, async () => {
      for (let step = 0; step < steps; step++) await nextTurn()
    }),
  ).finally(() => {
    isDone = true
  })
  let polls = 0
  for (; !isDone; polls++) await setImmediate()
  await works
  expect(polls).toBeLessThan(steps / 100)
})
