import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Authenticator } from '@spanhouse/access'
import { type Engine, openEngine } from '@spanhouse/span-store'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { Gauge, Registry } from 'prom-client'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Connections } from '../budget/connections.ts'
import { REQUEST_MS_MAX } from '../budget/limits.ts'
import { Room } from '../budget/room.ts'
import { Metrics } from '../metrics.ts'
import { Quotas } from '../shares/quotas.ts'
import { type ShareName, Shares } from '../shares/shares.ts'
import { AnswerRoom } from './answer/answer-room.ts'
import { JsonLines } from './answer/send-answer.ts'
import { buildApp } from './app.ts'
import { addPublicEndpoint } from './endpoint.ts'

/** In ClickHouse's place: takes statements and answers them when it is told to. */
let store: Server
let waiting: (() => void)[]
let engine: Engine
let app: FastifyInstance

beforeEach(async () => {
  waiting = []
  store = createServer((_request, response) => {
    waiting.push(() => response.end())
  }).listen(0, '127.0.0.1')
  await once(store, 'listening')
  engine = openEngine(`http://127.0.0.1:${(store.address() as AddressInfo).port}`, { connections: 4 })
  const gauge = () => new Gauge({ name: 'bytes', help: 'Bytes.', registers: [] })
  const log = pino({ level: 'silent' })
  app = await buildApp({
    logger: log,
    connections: new Connections({ listener: 'http', max: 100, metrics: new Metrics(undefined), log }),
    // Nobody is asked who they are below a public path.
    authenticator: {} as Authenticator,
    room: new Room(gauge()),
    answerRoom: new AnswerRoom(gauge()),
    shares: new Shares(new Registry()),
    quotas: new Quotas(new Registry()),
    recordChange: async () => {},
    routes: [
      added => {
        for (const share of ['call', 'heavy', 'read', 'run'] as const satisfies ShareName[])
          addPublicEndpoint(added, {
            method: 'GET',
            path: `/auth/${share}`,
            tag: 'test',
            summary: share,
            share,
            handle: () => engine.rows({ text: 'SELECT 1', params: {} }),
          })
        addPublicEndpoint(added, {
          method: 'GET',
          path: '/auth/lines',
          tag: 'test',
          summary: 'lines',
          share: 'heavy',
          handle: () => new JsonLines(lines()),
        })
      },
    ],
  })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})

/** Of one statement each. */
async function* lines(): AsyncGenerator<string> {
  for (let count = 1; count <= 4; count++) {
    await engine.rows({ text: 'SELECT 1', params: {} })
    yield `${count}\n`
  }
}

afterEach(async () => {
  vi.useRealTimers()
  await app.close()
  await engine.close()
  store.closeAllConnections()
  store.close()
})

/** Sends a request and resolves when its statement is under way, with its answer to come. */
async function askIn(share: ShareName | 'lines') {
  const answer = app.inject({ url: `/api/auth/${share}` }).then(({ statusCode, body }) => ({ statusCode, body }))
  await vi.waitUntil(() => waiting.length === 1, { timeout: 60_000 })
  return { answer }
}

test.each([
  ['call', 503],
  ['heavy', 503],
  ['read', 504],
] as const)('what a %s waits for ends with its time, and it is answered with %d', async (share, status) => {
  const { answer } = await askIn(share)
  await vi.advanceTimersByTimeAsync(REQUEST_MS_MAX)
  const { statusCode, body } = await answer
  expect([statusCode, JSON.parse(body).detail]).toEqual([status, expect.stringContaining('took longer than 25 s')])
})

test('a run takes as long as its handler', async () => {
  const { answer } = await askIn('run')
  await vi.advanceTimersByTimeAsync(4 * REQUEST_MS_MAX)
  for (const end of waiting) end()
  expect((await answer).statusCode).toBe(200)
})

test('lines are sent for as long as there are any', async () => {
  const { answer } = await askIn('lines')
  for (let count = 1; count <= 4; count++) {
    await vi.waitUntil(() => waiting.length === count, { timeout: 60_000 })
    await vi.advanceTimersByTimeAsync(REQUEST_MS_MAX - 1)
    waiting.at(-1)?.()
  }
  expect(await answer).toEqual({ statusCode: 200, body: '1\n2\n3\n4\n' })
})
