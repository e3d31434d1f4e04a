import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkedLookup } from './checked-lookup.ts'
import { OutboundError } from './outbound-error.ts'
import { type OutboundFetch, type OutboundLimits, type OutboundRequest, outboundFetch } from './outbound-fetch.ts'

const ANSWERS: Record<string, (request: IncomingMessage, response: ServerResponse) => void> = {
  echo: async (request, response) => {
    const { method, headers } = request
    const body = Buffer.concat(await request.toArray()).toString()
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ method, headers, body }))
  },
  moved: (_, response) => response.writeHead(302, { location: '/echo' }).end(),
  empty: (_, response) => response.writeHead(204).end(),
  silent: () => {},
  stalled: (_, response) => response.write('first'),
  large: (_, response) => {
    for (let piece = 0; piece < 32; piece++) response.write('x'.repeat(1024))
    response.end()
  },
  announced: (_, response) => response.setHeader('content-length', 1_000_000).write('x'),
  cut: (_, response) => response.write('first', () => response.destroy()),
  reset: ({ socket }, response) => response.write('first', () => socket.resetAndDestroy()),
  'hung-up': ({ socket }) => socket.destroy(),
  packed: (_, response) => response.setHeader('content-encoding', 'gzip').end(gzipSync('x')),
  odd: (_, response) => response.writeHead(999).end(),
}

const arrived: IncomingMessage[] = []
const server = createServer((request, response) => {
  arrived.push(request)
  ANSWERS[request.url?.slice(1) ?? '']?.(request, response)
})
/** Answers each request with what its path is called. */
const raw = createTcpServer(socket => {
  socket.on('error', () => {})
  socket.once('data', request => socket.write(RAW[request.toString().split(' ')[1] as keyof typeof RAW]))
})
const RAW = {
  '/upgraded': 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
  '/switched': 'HTTP/1.1 101 Switching Protocols\r\n\r\n',
  '/continued': 'HTTP/1.1 100 Continue\r\n\r\n',
  '/hinted': 'HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok',
}
const garbage = createTcpServer(socket => socket.on('error', () => {}).end('SSH-2.0-nothing\r\n'))
let base: string
let rawBase: string
let garbageBase: string
const opened: OutboundFetch[] = []

beforeAll(async () => {
  for (const one of [server, raw, garbage]) await once(one.listen(0, '127.0.0.1'), 'listening')
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  rawBase = `http://127.0.0.1:${(raw.address() as AddressInfo).port}`
  garbageBase = `http://127.0.0.1:${(garbage.address() as AddressInfo).port}`
})
afterAll(async () => {
  await Promise.all(opened.map(one => one.close()))
  server.closeAllConnections()
  server.close()
  raw.close()
  garbage.close()
})

function open(limits: Partial<OutboundLimits> = {}, isOpen = true): OutboundFetch {
  const fetch = outboundFetch({ isOpen, ...limits })
  opened.push(fetch)
  return fetch
}

const failureOf = async (answer: Promise<unknown>): Promise<unknown> => {
  const error = await answer.then(
    () => expect.unreachable(),
    (error: unknown) => error,
  )
  return error instanceof OutboundError ? error.failure : error
}
const read = async (path: string, limits: Partial<OutboundLimits> = {}): Promise<string> =>
  (await open(limits)(base + path)).text()

test.each<OutboundRequest['headers']>([
  { 'content-type': 'text/plain', 'x-one': 'two' },
  [
    ['content-type', 'text/plain'],
    ['x-one', 'two'],
  ],
  new Headers({ 'content-type': 'text/plain', 'x-one': 'two' }),
])('a POST arrives with its headers and its body, and nothing of its own but what HTTP needs', async headers => {
  const answer = await open()(`${base}/echo`, { method: 'POST', headers, body: 'hello' })
  const { host } = new URL(base)
  const expected = {
    'content-type': 'text/plain',
    'x-one': 'two',
    host,
    connection: 'keep-alive',
    'content-length': '5',
  }
  expect(await answer.json()).toEqual({ method: 'POST', body: 'hello', headers: expected })
  expect([answer.status, answer.ok, answer.headers.get('content-type')]).toEqual([200, true, 'application/json'])
})

test('connections are kept', async () => {
  const fetch = open()
  for (let tries = 0; tries < 8; tries++) await (await fetch(`${base}/echo`)).text()
  const ports = new Set(arrived.slice(-8).map(({ socket }) => socket.remotePort))
  // A request that follows at once may find the one before it still being put away.
  expect(ports.size).toBeLessThanOrEqual(2)
})

test('redirects are answers', async () => {
  const answer = await open()(`${base}/moved`)
  expect([answer.status, answer.headers.get('location')]).toEqual([302, '/echo'])
})

test('answers without a body', async () => {
  const answer = await open()(`${base}/empty`)
  expect([answer.status, answer.body]).toEqual([204, null])
})

test.each<[string, Partial<OutboundLimits>, string]>([
  ['/silent', { firstByteMs: 100 }, 'first_byte_timeout'],
  ['/stalled', { idleMs: 100 }, 'idle_timeout'],
  ['/silent', { totalMs: 100 }, 'total_timeout'],
  ['/stalled', { totalMs: 100 }, 'total_timeout'],
  ['/large', { responseBytesMax: 16 * 1024 }, 'too_large'],
  ['/announced', { responseBytesMax: 16 * 1024 }, 'too_large'],
  ['/cut', {}, 'broken'],
  ['/reset', {}, 'broken'],
  ['/hung-up', {}, 'broken'],
  ['/packed', {}, 'invalid_response'],
  ['/odd', {}, 'invalid_response'],
])('GET %s with %j: %s', async (path, limits, failure) => {
  expect(await failureOf(read(path, limits))).toBe(failure)
})

test('an answer of the largest size is taken', async () => {
  expect(await read('/large', { responseBytesMax: 32 * 1024 })).toHaveLength(32 * 1024)
})

test('nobody there, and somebody who speaks something else', async () => {
  expect(await failureOf(open()('http://127.0.0.1:9'))).toBe('unreachable')
  expect(await failureOf(open()(garbageBase))).toBe('invalid_response')
})

test.each([
  ['/upgraded', 101],
  ['/switched', 101],
  ['/continued', 100],
])('%s is a status, but no response', async (path, status) => {
  const error = await open()(rawBase + path, { method: 'POST', body: 'x' }).catch((error: unknown) => error)
  expect(error).toMatchObject({ failure: 'informational', status, message: `The response has the status ${status}` })
})

test('hints come before the response', async () => {
  expect(await (await open()(`${rawBase}/hinted`)).text()).toBe('ok')
})

test('headers that cannot be sent', async () => {
  expect(await failureOf(open()(`${base}/echo`, { headers: { authorization: 'a\nb' } }))).toBe('invalid_request')
})

test.each(['/silent', '/stalled'])(
  'aborting a request to %s closes its connection and rejects with the reason',
  async path => {
    const abort = new AbortController()
    const answer = open()(base + path, { signal: abort.signal }).then(answer => answer.text())
    await expect.poll(() => arrived.at(-1)?.url).toBe(path)
    const closed = once(arrived.at(-1)?.socket as NodeJS.EventEmitter, 'close')
    abort.abort(new Error('enough'))
    await expect(answer).rejects.toThrow('enough')
    await closed
  },
)

test('what is aborted already is not sent', async () => {
  const before = arrived.length
  expect(await failureOf(open()(`${base}/echo`, { signal: AbortSignal.abort() }))).toHaveProperty('name', 'AbortError')
  expect(arrived.length).toBe(before)
})

test('cancelling the body closes the connection', async () => {
  const answer = await open()(`${base}/stalled`)
  const closed = once(arrived.at(-1)?.socket as NodeJS.EventEmitter, 'close')
  await answer.body?.cancel()
  await closed
})

test('private addresses are refused before anything is sent, and plain http', async () => {
  const before = arrived.length
  const closed = open({}, false)
  const { port } = new URL(base)
  for (const url of [`${base}/echo`, `https://127.0.0.1:${port}`, `https://localhost:${port}`, 'http://example.org']) {
    expect(await failureOf(closed(url))).toBe('refused')
  }
  expect(arrived.length).toBe(before)
})

test('a name that resolves to a private address is refused when it is looked up', async () => {
  const looked = new Promise((_, reject) => checkedLookup('localhost', {}, error => reject(error)))
  expect(await failureOf(looked)).toBe('refused')
})
