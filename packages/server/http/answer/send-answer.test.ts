import { once } from 'node:events'
import { createConnection } from 'node:net'
import type { Authenticator } from '@spanhouse/access'
import { JsonList, JsonText, Problem } from '@spanhouse/model'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { pino } from 'pino'
import { Gauge, Registry } from 'prom-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Connections } from '../../budget/connections.ts'
import { Room } from '../../budget/room.ts'
import { Metrics } from '../../metrics.ts'
import { Quotas } from '../../shares/quotas.ts'
import { Shares } from '../../shares/shares.ts'
import { buildApp } from '../app.ts'
import { addPublicEndpoint } from '../endpoint.ts'
import { AnswerRoom } from './answer-room.ts'

const MIB = 1024 * 1024
const held = new Gauge({ name: 'held', help: 'Bytes.', registers: [new Registry()] })
let app: FastifyInstance
let url: string
/** Called when a request is being authenticated; it goes on once that resolves. */
let whileAuthenticated: (request: FastifyRequest) => Promise<void> = async () => {}

/** What the log says of errors. */
const logged: string[] = []
/** Answers once its caller has left. */
let whenLeft: Promise<unknown>

/** What is answered, by the name of the path. */
const ANSWERS: Record<string, (hold: (bytes: number) => void) => unknown> = {
  small: () => ({ small: true }),
  list: () => new JsonList(Array.from({ length: 1000 }, () => new JsonText(JSON.stringify('é'.repeat(1000))))),
  early: () => ({ items: new JsonList(failing(0)) }),
  late: () => ({ items: new JsonList(failing(4 * MIB)) }),
  left: () => whenLeft.then(() => ({ items: new JsonList(endless()) })),
  held: hold => {
    hold(5 * MIB)
    return { items: new JsonList(endless()) }
  },
}

async function* failing(length: number): AsyncGenerator<unknown> {
  for (let sent = 0; sent < length; sent += 65_536) yield 'x'.repeat(65_536)
  throw new Problem('query_limit', 'too much')
}

let endlessEnded = 0
function* endless(): Generator<unknown> {
  try {
    for (;;) yield 'x'.repeat(1000)
  } finally {
    endlessEnded++
  }
}

beforeAll(async () => {
  const log = pino({ level: 'error' }, { write: line => logged.push(line) })
  app = await buildApp({
    logger: log,
    connections: new Connections({ listener: 'http', max: 100, metrics: new Metrics(undefined), log }),
    // Nobody is asked who they are below a public path.
    authenticator: {} as Authenticator,
    room: new Room(new Gauge({ name: 'bodies', help: 'Bytes.', registers: [] })),
    answerRoom: new AnswerRoom(held),
    shares: new Shares(new Registry()),
    quotas: new Quotas(new Registry()),
    recordChange: async () => {},
    routes: [
      added => {
        added.addHook('onRequest', request => whileAuthenticated(request))
        for (const [name, answer] of Object.entries(ANSWERS))
          addPublicEndpoint(added, {
            method: 'GET',
            path: `/auth/${name}`,
            tag: 'test',
            summary: 'Answers.',
            handle: ({ holder }) => answer(holder.hold),
          })
      },
    ],
  })
  url = await app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(() => app.close())

const get = (name: string, encoding: string): Promise<Response> =>
  fetch(`${url}/auth/${name}`, { headers: { 'accept-encoding': encoding } })

test.each(['identity', 'gzip'])('small answers have a length, large ones come in parts: %s', async encoding => {
  const small = await get('small', encoding)
  expect(small.headers.get('content-length')).toBe('14')
  expect(await small.json()).toEqual({ small: true })
  const list = await get('list', encoding)
  expect(list.headers.get('content-length')).toBeNull()
  expect(list.headers.get('content-encoding')).toBe(encoding === 'gzip' ? 'gzip' : null)
  expect(await list.json()).toEqual(Array.from({ length: 1000 }, () => 'é'.repeat(1000)))
})

test.each(['identity', 'gzip'])('what fails at first is a problem, what fails later breaks off: %s', async encoding => {
  const early = await get('early', encoding)
  expect([early.status, await early.json()]).toEqual([400, { detail: 'too much' }])
  const late = await get('late', encoding)
    .then(response => response.text())
    .then(
      () => 'whole',
      () => 'broken off',
    )
  expect(late).toBe('broken off')
})

test('what an answer holds is given back when its reader goes', async () => {
  const socket = createConnection({ host: '127.0.0.1', port: Number(new URL(url).port) })
  socket.write('GET /auth/held HTTP/1.1\r\nhost: a\r\n\r\n')
  await new Promise(resolve => socket.once('data', resolve))
  const now = async (): Promise<number | undefined> => (await held.get()).values[0]?.value
  expect(await now()).toBe(5 * MIB)
  socket.destroy()
  await expect.poll(now).toBe(0)
})

test.each(['identity', 'gzip'])('a caller who leaves before the answer is no failure: %s', async encoding => {
  logged.length = 0
  endlessEnded = 0
  const socket = createConnection({ host: '127.0.0.1', port: Number(new URL(url).port) })
  whenLeft = new Promise(resolve => {
    whileAuthenticated = async ({ raw }) => {
      whileAuthenticated = async () => {}
      raw.socket.once('close', () => setTimeout(resolve, 10))
      setImmediate(() => socket.destroy())
    }
  })
  socket.write(`GET /auth/left HTTP/1.1\r\nhost: a\r\naccept-encoding: ${encoding}\r\n\r\n`)
  await expect.poll(() => endlessEnded).toBe(1)
  expect((await get('small', 'identity')).status).toBe(200)
  expect(logged).toEqual([])
})

test('nothing is held for a caller who has gone before it is known who they are', async () => {
  const socket = createConnection({ host: '127.0.0.1', port: Number(new URL(url).port) })
  const gone = new Promise<void>(resolve => {
    whileAuthenticated = async ({ raw }) => {
      whileAuthenticated = async () => {}
      socket.destroy()
      await once(raw.socket, 'close')
      // The next turn begins after the request has gone on.
      setImmediate(resolve)
    }
  })
  socket.write('GET /auth/held HTTP/1.1\r\nhost: a\r\n\r\n')
  await gone
  expect((await get('small', 'identity')).status).toBe(200)
  expect((await held.get()).values[0]?.value).toBe(0)
})

test('the head of a large answer is sent without reading the rest of it', async () => {
  endlessEnded = 0
  const head = await fetch(`${url}/auth/held`, { method: 'HEAD' })
  expect([head.status, head.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
  expect(head.headers.get('content-length')).toBeNull()
  await expect.poll(() => endlessEnded).toBe(1)
  await expect.poll(async () => (await held.get()).values[0]?.value).toBe(0)
})
