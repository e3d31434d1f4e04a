import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { nextTurn } from './next-turn.ts'

const STEP_MS = 4

/** Occupies the thread. */
function work(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

test('while many works are under way, timers wait for a few steps and not for one of each', async () => {
  let [inARow, most] = [0, 0]
  const timer = setInterval(() => {
    inARow = 0
  }, 1)
  await Promise.all(
    Array.from({ length: 50 }, async () => {
      for (let step = 0; step < 6; step++) {
        await nextTurn()
        work(STEP_MS)
        most = Math.max(most, ++inARow)
      }
    }),
  )
  clearInterval(timer)
  // A turn of 10 ms and one step.
  expect(most).toBeLessThanOrEqual(4)
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
