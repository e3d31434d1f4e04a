import { expect, test } from 'vitest'
import { FairQueue } from './fair-queue.ts'

/** Lets those that wait have their turns; each owner keeps what it gets for so long. */
function turnsOf(
  queue: FairQueue,
  waiting: [owner: string | undefined, name: string][],
  keptMs: Record<string, number>,
) {
  const turns: string[] = []
  for (const [owner, name] of waiting)
    queue.add(owner, () => {
      turns.push(name)
      queue.charge(owner, keptMs[owner ?? ''] ?? 0)
    })
  while (queue.next());
  return turns
}

const many = (owner: string, count: number): [string, string][] =>
  Array.from({ length: count }, (_, n) => [owner, `${owner}${n}`])

test('owners that keep it equally long take turns, whoever has more callers', () => {
  const turns = turnsOf(new FairQueue(), [...many('a', 5), ...many('b', 2)], { a: 1, b: 1 })
  expect(turns).toEqual(['a0', 'b0', 'a1', 'b1', 'a2', 'a3', 'a4'])
})

test('who keeps it long waits until the others have had it as long', () => {
  const turns = turnsOf(new FairQueue(), [...many('a', 3), ...many('b', 9)], { a: 4, b: 1 })
  expect(turns.join(' ')).toBe('a0 b0 b1 b2 b3 a1 b4 b5 b6 b7 a2 b8')
})

test('nobody saves up time while idle', () => {
  const queue = new FairQueue()
  const turns: string[] = []
  const wait = (owner: string): void => {
    queue.add(owner, () => {
      turns.push(owner)
      queue.charge(owner, 1)
    })
  }
  for (let n = 0; n < 10; n++) wait('a')
  for (let n = 0; n < 6; n++) queue.next()
  for (let n = 0; n < 4; n++) wait('late')
  while (queue.next());
  expect(turns.slice(6).join(' ')).toMatch(/^(late a|a late) (late a|a late) (late a|a late) (late a|a late)$/)
})

test('callers without an owner come first, and one that leaves is passed over', () => {
  const queue = new FairQueue()
  const turns: string[] = []
  const leave = queue.add('a', () => turns.push('gone'))
  queue.add('b', () => turns.push('b'))
  queue.add(undefined, () => turns.push('nobody'))
  leave()
  leave()
  expect(queue.size).toBe(2)
  while (queue.next());
  expect(turns).toEqual(['nobody', 'b'])
  expect(queue.size).toBe(0)
})
