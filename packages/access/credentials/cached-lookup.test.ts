import { describe, expect, test, vi } from 'vitest'
import { CachedLookup } from './cached-lookup.ts'

const lengths = (keys: string[]) => new Map(keys.filter(key => key.startsWith('k')).map(key => [key, key.length]))

function lookupOf(options: Partial<ConstructorParameters<typeof CachedLookup<number>>[0]> = {}) {
  const load = vi.fn(async (keys: string[]) => lengths(keys))
  return { load, lookup: new CachedLookup<number>({ load, ttlMs: 60_000, ...options }) }
}

test('what exists and what does not is asked for once', async () => {
  const { load, lookup } = lookupOf()
  for (const _again of [1, 2, 3]) {
    expect(await lookup.get('key')).toBe(3)
    expect(await lookup.get('nothing')).toBeNull()
  }
  expect(load.mock.calls).toEqual([[['key']], [['nothing']]])
})

test('an answer is asked for again when its time is over, or when everything was forgotten', async () => {
  const { load, lookup } = lookupOf({ ttlMs: 20 })
  await lookup.get('key')
  await expect
    .poll(async () => {
      await lookup.get('key')
      return load.mock.calls.length
    })
    .toBe(2)
  lookup.forget()
  await lookup.get('key')
  expect(load).toHaveBeenCalledTimes(3)
})

test('what is asked while a statement runs waits for the next one, all in one, each key once', async () => {
  const { load, lookup } = lookupOf({ batchMax: 3 })
  const keys = ['k0', 'k1', 'k2', 'k1', 'k3', 'k4', 'x']
  expect(await Promise.all(keys.map(key => lookup.get(key)))).toEqual([2, 2, 2, 2, 2, 2, null])
  expect(load.mock.calls).toEqual([[['k0']], [['k1', 'k2', 'k3']], [['k4', 'x']]])
})

test('what was forgotten while it was being read is answered and not remembered', async () => {
  const reading = Promise.withResolvers<Map<string, number>>()
  const load = vi.fn().mockReturnValueOnce(reading.promise).mockResolvedValue(new Map())
  const lookup = new CachedLookup<number>({ load, ttlMs: 60_000 })
  const before = lookup.get('key')
  lookup.forget()
  reading.resolve(new Map([['key', 1]]))
  expect(await before).toBe(1)
  expect(await lookup.get('key')).toBeNull()
})

test('what was answered in time does not go on as known when time has passed', async () => {
  vi.useFakeTimers()
  try {
    const { load, lookup } = lookupOf({ ttlMs: 1_000 })
    expect(await lookup.get('key')).toBe(3)
    vi.advanceTimersByTime(60_000)
    load.mockResolvedValue(new Map())
    expect(await lookup.get('key')).toBeNull()
  } finally {
    vi.useRealTimers()
  }
})

describe('strangers', () => {
  test('cannot push out what is known', async () => {
    const { load, lookup } = lookupOf({ entriesMax: 10 })
    await lookup.get('key')
    await Promise.all(Array.from({ length: 1_000 }, (_, index) => lookup.get(`x${index}`)))
    load.mockClear()
    expect(await lookup.get('key')).toBe(3)
    expect(load).not.toHaveBeenCalled()
    // Only the last ten missing keys are cached.
    await lookup.get('x999')
    expect(load).not.toHaveBeenCalled()
    await lookup.get('x0')
    expect(load).toHaveBeenCalledOnce()
  })

  test('beyond a bound are told to come back, and those who wait are still answered', async () => {
    const { lookup } = lookupOf({ waitingMax: 2 })
    const first = ['k0', 'k1', 'k2', 'k1'].map(key => lookup.get(key))
    await expect(lookup.get('k3')).rejects.toMatchObject({ code: 'overloaded', retryAfterSeconds: 1 })
    expect(await Promise.all(first)).toEqual([2, 2, 2, 2])
    expect(await lookup.get('k3')).toBe(2)
  })
})

test('a failure reaches everybody who waited and is not remembered', async () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
  const load = vi
    .fn()
    .mockRejectedValueOnce(refused)
    .mockRejectedValueOnce(refused)
    .mockResolvedValue(lengths(['k']))
  const lookup = new CachedLookup<number>({ load, ttlMs: 60_000 })
  const results = await Promise.allSettled([lookup.get('k'), lookup.get('x'), lookup.get('k')])
  for (const result of results) expect(result).toMatchObject({ reason: { code: 'overloaded' } })
  expect(await lookup.get('k')).toBe(1)
})

describe('while the database is away', () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })

  test.each([
    ['refuses', () => Promise.reject(refused)],
    ['says nothing', () => new Promise<never>(() => {})],
  ])('and %s, what it said to exist goes on, for a bounded while, and nothing else is known', async (_, away) => {
    const load = vi.fn(async (keys: string[]) => lengths(keys))
    const lookup = new CachedLookup<number>({ load, ttlMs: 0, lateMs: 20, loadMs: 40 })
    await lookup.get('key')
    await lookup.get('nothing')
    load.mockImplementation(away)
    expect(await lookup.get('key')).toBe(3)
    for (const other of ['nothing', 'k'])
      await expect(lookup.get(other)).rejects.toMatchObject({ code: 'overloaded', retryAfterSeconds: 5 })
    const asked = load.mock.calls.length
    expect(await lookup.get('key')).toBe(3)
    expect(load).toHaveBeenCalledTimes(asked)
    const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 15 * 60_000)
    try {
      await expect(lookup.get('key')).rejects.toMatchObject({ code: 'overloaded' })
    } finally {
      clock.mockRestore()
    }
  })

  test('and is only late, what is known goes on and the rest waits for the answer', async () => {
    const answer = Promise.withResolvers<Map<string, number>>()
    const load = vi.fn(async (keys: string[]) => lengths(keys))
    const lookup = new CachedLookup<number>({ load, ttlMs: 0, lateMs: 20 })
    await lookup.get('key')
    load.mockImplementationOnce(() => answer.promise)
    const stranger = lookup.get('k')
    // Waits behind a statement that is late.
    expect(await lookup.get('key')).toBe(3)
    const asked = vi.fn()
    void stranger.then(asked)
    await lookup.get('key')
    expect(asked).not.toHaveBeenCalled()
    answer.resolve(lengths(['k']))
    expect(await stranger).toBe(1)
  })

  test('and is only late, what goes on as known can be forgotten', async () => {
    const answer = Promise.withResolvers<Map<string, number>>()
    const load = vi.fn(async (keys: string[]) => lengths(keys))
    const lookup = new CachedLookup<number>({ load, ttlMs: 0, lateMs: 20 })
    await lookup.get('key')
    load.mockImplementationOnce(() => answer.promise).mockResolvedValue(new Map())
    const stranger = lookup.get('k')
    expect(await lookup.get('key')).toBe(3)
    lookup.forget()
    const afterwards = lookup.get('key')
    answer.resolve(lengths(['k']))
    expect([await stranger, await afterwards]).toEqual([1, null])
  })

  test('nobody who is known waits a second time, and a sign of life is noticed', async () => {
    const load = vi.fn(async (keys: string[]) => lengths(keys))
    const lookup = new CachedLookup<number>({ load, ttlMs: 0, lateMs: 20, loadMs: 40 })
    await lookup.get('key')
    load.mockImplementation(() => new Promise<never>(() => {}))
    await lookup.get('key')
    const later = performance.now() + 6_000
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => later)
    try {
      const asked = load.mock.calls.length
      load.mockImplementation(async () => new Map([['key', 4]]))
      expect(await lookup.get('key')).toBe(3)
      await expect.poll(() => load).toHaveBeenCalledTimes(asked + 1)
      await expect.poll(() => lookup.get('key')).toBe(4)
    } finally {
      clock.mockRestore()
    }
  })

  test('what was forgotten does not come back', async () => {
    const { load, lookup } = lookupOf({ ttlMs: 0 })
    await lookup.get('key')
    lookup.forget()
    load.mockRejectedValue(refused)
    await expect(lookup.get('key')).rejects.toMatchObject({ code: 'overloaded' })
  })
})
