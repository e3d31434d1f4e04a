import { once } from 'node:events'
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2'
import { connect, type Socket } from 'node:net'
import type { Authenticator } from '@spanhouse/access'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { afterEach, expect, test } from 'vitest'
import { listenGrpc } from '../grpc/grpc-server.ts'
import { AnswerRoom } from '../http/answer/answer-room.ts'
import { buildApp } from '../http/app.ts'
import { addPublicEndpoint } from '../http/endpoint.ts'
import { Metrics } from '../metrics.ts'
import { Quotas } from '../shares/quotas.ts'
import { Shares } from '../shares/shares.ts'
import { Connections, type ConnectionsOptions } from './connections.ts'
import { Room } from './room.ts'

const MAX = 10
const undo: (() => unknown)[] = []
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
})

function bound(listener: ConnectionsOptions['listener']) {
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: line => lines.push(line) })
  const metrics = new Metrics(undefined)
  return { listener, max: MAX, metrics, log, lines }
}

/** Answers `/api/auth/slow` when it is told to. */
async function serve() {
  const options = bound('http')
  const { metrics, log, lines } = options
  const gate = Promise.withResolvers<void>()
  let asked = 0
  const app = await buildApp({
    logger: log,
    // Nobody is asked who they are below a public path.
    authenticator: {} as Authenticator,
    connections: new Connections(options),
    room: new Room(metrics.bytesHeld),
    answerRoom: new AnswerRoom(metrics.answerBytes),
    shares: new Shares(new Registry()),
    quotas: new Quotas(new Registry()),
    recordChange: async () => {},
    routes: [
      added => {
        const handle = () => ({ text: 'hello' })
        addPublicEndpoint(added, { method: 'GET', path: '/auth/now', tag: 'test', summary: 'now', handle })
        const late = async () => {
          asked++
          await gate.promise
          return handle()
        }
        addPublicEndpoint(added, { method: 'GET', path: '/auth/late', tag: 'test', summary: 'late', handle: late })
      },
    ],
  })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  undo.push(() => app.close())
  const ask = async (path: string) =>
    (await fetch(`${url}/api/auth/${path}`, { headers: { connection: 'close' } })).status
  return { port: Number(new URL(url).port), ask, asked: () => asked, answer: gate.resolve, lines, metrics }
}

/** A client that sends this and nothing else. */
async function client(port: number, text: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined)
  undo.push(() => socket.destroy())
  await once(socket, 'connect')
  if (text !== '') socket.write(text)
  return socket.resume()
}

const clients = (port: number, text: string, count: number): Promise<Socket[]> =>
  Promise.all(Array.from({ length: count }, () => client(port, text)))

const BODY = 'POST /api/auth/now HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n'

test.each([
  ['nothing', ''],
  ['half a head', 'GET /api/auth/now HTTP/1.1\r\nHost'],
  ['a head without its body', BODY],
])('clients that send %s keep nobody out, and the operator is told', async (_, text) => {
  const { port, ask, lines, metrics } = await serve()
  await clients(port, text, 5 * MAX)
  expect(await ask('now')).toBe(200)
  expect(lines.filter(line => line.includes('too many connections'))).toHaveLength(1)
  expect(JSON.parse(lines[0] as string)).toMatchObject({ level: 40, listener: 'http', max: MAX })
  const { values } = await metrics.connectionsClosed.get()
  expect(values[0]?.value).toBeGreaterThanOrEqual(4 * MAX)
})

test('requests that are being processed are not interrupted', async () => {
  const { port, ask, asked, answer } = await serve()
  const late = Array.from({ length: MAX }, () => ask('late'))
  await expect.poll(asked).toBe(MAX)
  await expect(ask('now')).rejects.toThrow('fetch failed')
  answer()
  expect(await Promise.all(late)).toEqual(late.map(() => 200))
  await clients(port, '', MAX)
  expect(await ask('now')).toBe(200)
})

test('over HTTP/2, too', async () => {
  const options = bound('grpc')
  const gate = Promise.withResolvers<Uint8Array>()
  const connections = new Connections<any>(options)
  const methods = { '/late': () => gate.promise, '/now': async () => new Uint8Array() }
  const server = await listenGrpc({ host: '127.0.0.1', port: 0, connections, methods, onDefect: () => {} })
  undo.push(() => server.stop())
  const open = (): ClientHttp2Session => {
    const session = connectHttp2(`http://127.0.0.1:${server.port}`).on('error', () => undefined)
    undo.push(() => session.destroy())
    return session
  }
  const call = async (session: ClientHttp2Session, path: string) => {
    const headers = { ':method': 'POST', ':path': path, 'content-type': 'application/grpc' }
    const stream = session.request(headers).on('error', () => undefined)
    stream.end(Buffer.alloc(5))
    const [trailers] = await once(stream.resume(), 'trailers')
    return trailers['grpc-status']
  }
  const late = call(open(), '/late')
  await clients(server.port, '', 5 * MAX)
  expect(await call(open(), '/now')).toBe('0')
  gate.resolve(new Uint8Array())
  expect(await late).toBe('0')
  expect(options.lines.filter(line => line.includes('too many connections'))).toHaveLength(1)
})
