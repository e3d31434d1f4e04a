import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Uuid } from '@spanhouse/model'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { PriceCache } from './price-cache.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

const [one, two, three] = [randomUUID(), randomUUID(), randomUUID()] as [Uuid, Uuid, Uuid]
const price = { m: { input: 1, output: 2 } }

function cacheOf(owners: Uuid[]): { cache: PriceCache; asked: Uuid[][] } {
  const asked: Uuid[][] = []
  const cache = new PriceCache(async project_ids => {
    asked.push(project_ids)
    return new Map(project_ids.filter(id => owners.includes(id)).map(id => [id, price]))
  })
  return { cache, asked }
}

test('projects are asked for together, and waited for when they were not for two seconds', async () => {
  const { cache, asked } = cacheOf([one])
  const prices = await cache.of(new Set([one, two]))
  expect(prices.get(one)?.ratesOf(undefined, 'm')).toBeDefined()
  expect(prices.get(two)).toBeUndefined()
  await cache.of(new Set([two, one, three]))
  expect(asked).toEqual([[one, two], [three]])
  vi.advanceTimersByTime(999)
  await cache.of(new Set([one, two, three]))
  expect(asked.length).toBe(2)
  vi.advanceTimersByTime(1_001)
  await cache.of(new Set([one]))
  expect(asked[2]).toEqual([one])
})

test('after a second they are asked for while they are used on', async () => {
  const asked = Promise.withResolvers<Map<Uuid, typeof price>>()
  const load = vi.fn(() => asked.promise).mockResolvedValueOnce(new Map([[one, price]]))
  const cache = new PriceCache(load)
  const first = (await cache.of(new Set([one]))).get(one)
  expect(first).toBeDefined()
  vi.advanceTimersByTime(1_000)
  for (let use = 0; use < 3; use++) expect((await cache.of(new Set([one]))).get(one)).toBe(first)
  expect(load).toHaveBeenCalledTimes(2)
  asked.resolve(new Map())
  await nextTurn()
  expect((await cache.of(new Set([one]))).get(one)).toBeUndefined()
  vi.advanceTimersByTime(999)
  await cache.of(new Set([one]))
  expect(load).toHaveBeenCalledTimes(2)
})

test('prices that cannot be read are not taken for none, nor for those of before', async () => {
  let isAway = false
  const cache = new PriceCache(async () => {
    if (isAway) throw new Error('away')
    return new Map([[one, price]])
  })
  await cache.of(new Set([one]))
  isAway = true
  vi.advanceTimersByTime(1_000)
  expect((await cache.of(new Set([one]))).get(one)).toBeDefined()
  vi.advanceTimersByTime(1_000)
  await expect(cache.of(new Set([one]))).rejects.toThrow('away')
  isAway = false
  expect((await cache.of(new Set([one]))).get(one)).toBeDefined()
})

test('of any number of projects all are answered, and the latest thousand remembered', async () => {
  const projects = Array.from({ length: 1_100 }, () => randomUUID() as Uuid)
  const { cache, asked } = cacheOf(projects)
  expect((await cache.of(new Set(projects))).size).toBe(1_100)
  expect(asked.map(ids => ids.length)).toEqual([200, 200, 200, 200, 200, 100])
  await cache.of(new Set([projects.at(-1_000), projects.at(-1_001)] as Uuid[]))
  expect(asked[6]).toEqual([projects.at(-1_001)])
})
