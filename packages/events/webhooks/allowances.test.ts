import { expect, test } from 'vitest'
import { Allowances } from './allowances.ts'

test('few subscriptions are remembered, those that have answered last and those with attempts under way', () => {
  const allowances = new Allowances()
  const attempt = (id: string, isSuccess: boolean): void => {
    allowances.started(id, 1)
    allowances.ended(id, 1, isSuccess)
  }
  attempt('slow', false)
  allowances.started('slow', 1)
  attempt('used again and again', false)
  for (let n = 0; n < 20_000; n++) {
    attempt(`gone ${n}`, n % 2 === 0)
    if (n % 5_000 === 0) attempt('used again and again', false)
  }
  const held = new Map(allowances.held().map(({ id, room }) => [id, room]))
  expect(held.size).toBe(10_000)
  expect([held.get('slow'), held.get('used again and again')]).toEqual([0, 1])
  expect([held.has('gone 0'), held.get('gone 19998'), held.get('gone 19999')]).toEqual([false, 5, 1])
  allowances.ended('slow', 1, true)
  expect([allowances.underWay, allowances.held().length]).toEqual([0, 10_000])
})

test('large events take the room of many, of failing subscriptions at most half of it', () => {
  const allowances = new Allowances()
  allowances.started('failing', 1)
  allowances.ended('failing', 1, false)
  allowances.started('failing', 600)
  allowances.started('another', 1)
  allowances.ended('another', 1, false)
  expect(allowances.room).toBe(400)
  expect(allowances.held()).toContainEqual({ id: 'another', room: 0 })
  allowances.started('large', 700)
  expect([allowances.room, allowances.underWay]).toEqual([0, 2])
  allowances.ended('failing', 600, true)
  expect(allowances.room).toBe(300)
  expect(allowances.held()).toContainEqual({ id: 'another', room: 1 })
})
