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
  const parts = { postgres: part('postgres', 5_000), stream: part('stream', 0) }
  healthRoutes(parts, new Metrics(undefined))(app)
  const ready = async () => {
    // Beyond the time for which an answer stands.
    vi.advanceTimersByTime(1_000)
    const { statusCode, body } = await app.inject('/ready')
    return [statusCode, JSON.parse(body)]
  }
  vi.advanceTimersByTime(5_000)
  expect(await ready()).toEqual([200, { status: 'ok', parts: { postgres: 'ok', stream: 'ok' } }])
  for (let outage = 0; outage < 2; outage++) {
    failing.add('postgres')
    expect(await ready()).toEqual([200, { status: 'degraded', parts: { postgres: 'failing', stream: 'ok' } }])
    vi.advanceTimersByTime(3_999)
    expect(await ready()).toMatchObject([200, { status: 'degraded' }])
    expect(await ready()).toMatchObject([503, { status: 'not ready', parts: { postgres: 'failing', stream: 'ok' } }])
    failing.delete('postgres')
    expect(await ready()).toMatchObject([200, { status: 'ok' }])
  }
  failing.add('stream')
  expect(await ready()).toEqual([503, { status: 'not ready', parts: { postgres: 'ok', stream: 'failing' } }])
})

test('however often it is asked, the parts are asked once a second', async () => {
  let asked = 0
  const check = async () => {
    asked++
  }
  const app = fastify()
  healthRoutes({ stream: { check, spareMs: 0 } }, new Metrics(undefined))(app)
  const flood = () => Promise.all(Array.from({ length: 50 }, () => app.inject('/ready')))
  for (const { statusCode } of await flood()) expect(statusCode).toBe(200)
  expect(asked).toBe(1)
  vi.advanceTimersByTime(1_000)
  await flood()
  expect(asked).toBe(2)
})

test('the log has the reason, the public answer has not', async () => {
  const lines: string[] = []
  const app = fastify({ logger: { stream: { write: line => void lines.push(line) } } })
  const check = () => Promise.reject(new Error('The stream cannot write', { cause: new Error('no space left') }))
  healthRoutes({ stream: { check, spareMs: 0 } }, new Metrics(undefined))(app)
  expect((await app.inject('/ready')).body).not.toContain('no space')
  const line = lines.find(one => one.includes('"not ready"'))
  expect(JSON.parse(line ?? '{}').reasons).toEqual({ stream: 'The stream cannot write: no space left' })
})
