import fastify from 'fastify'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Metrics } from '../metrics.ts'
import { healthRoutes } from './health.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

test('a part that fails is spared for its time, from when it was found failing', async () => {
  const failing = new Set<string>()
  const part = (name: string, spareMs: number) => ({
    check: async () => {
      if (failing.has(name)) throw new Error(`${name} is away`)
    },
    spareMs,
  })
  const app = fastify()
  const parts = { postgres: part('postgres', 1_000), stream: part('stream', 0) }
  healthRoutes(parts, new Metrics(undefined))(app)
  const ready = async () => {
    const { statusCode, body } = await app.inject('/ready')
    return [statusCode, JSON.parse(body)]
  }
  vi.advanceTimersByTime(5_000)
  expect(await ready()).toEqual([200, { status: 'ok', parts: { postgres: 'ok', stream: 'ok' } }])
  for (let outage = 0; outage < 2; outage++) {
    failing.add('postgres')
    expect(await ready()).toEqual([200, { status: 'degraded', parts: { postgres: 'failing', stream: 'ok' } }])
    vi.advanceTimersByTime(999)
    expect(await ready()).toMatchObject([200, { status: 'degraded' }])
    vi.advanceTimersByTime(1)
    expect(await ready()).toMatchObject([503, { status: 'not ready', parts: { postgres: 'failing', stream: 'ok' } }])
    failing.delete('postgres')
    expect(await ready()).toMatchObject([200, { status: 'ok' }])
  }
  failing.add('stream')
  expect(await ready()).toEqual([503, { status: 'not ready', parts: { postgres: 'ok', stream: 'failing' } }])
})
