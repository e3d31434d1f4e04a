import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { JsonObject } from '@spanhouse/model'
import { outboundFetch } from '@spanhouse/outbound'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Message } from './message.ts'
import { send } from './send.ts'

const SECRET = 'the-secret-of-the-receiver-é'
const START = 'x'.repeat(1_990)

const ANSWERS: Record<string, string | string[]> = {
  '/whole': `${SECRET} and ${SECRET}`,
  '/over-the-cut': `${START}${SECRET}yyy`,
  // What is read ends within the secret, at a letter of it and in the middle of its last.
  '/over-the-end': ['y'.repeat(1_000), SECRET.repeat(300)],
}

/** The last request. */
let received: { headers: IncomingHttpHeaders; body: Promise<string> }

const server = createServer((request, response) => {
  received = { headers: request.headers, body: text(request) }
  if (request.url === '/switched')
    return void response.socket?.end('HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n')
  if (request.url === '/broken')
    return void response.writeHead(500).write(`no: ${SECRET.slice(0, 12)}`, () => response.destroy())
  for (const piece of [ANSWERS[request.url ?? ''] ?? 'ok'].flat()) response.write(piece)
  response.end()
})
const fetch = outboundFetch({ isOpen: true })
let base: string

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(async () => {
  await fetch.close()
  server.close()
})

const messageTo = (url: string, secret = SECRET): Message => ({
  id: '01890000-0000-7000-8000-000000000001',
  event: {
    id: '01890000-0000-7000-8000-000000000002',
    project_id: '01890000-0000-7000-8000-000000000003',
    type: 'webhooks.subscriptions.tested',
    timestamp: '2026-11-23T00:00:00.000Z',
    created_at: '2026-11-23T00:00:00.000Z',
    actor: null,
    attributes: {},
  } as Message['event'],
  subscription: { id: 'draft', name: null, tags: null, meta: null, created_at: '', updated_at: null } as never,
  data: { url, auth_mode: 'signature' } as Message['data'],
  secret,
})

test.each([
  ['/whole', '[REDACTED] and [REDACTED]'],
  ['/over-the-cut', `${START}[REDACTED]`],
])('a secret that a receiver repeats at %s is removed before its answer is cut', async (path, body) => {
  const { data } = await send(fetch, messageTo(base + path))
  expect(data.response).toEqual({ status_code: 200, body: body })
})

test('a secret across the end of what is read is removed too', async () => {
  // Longer than what is read at once.
  const long = `${'s'.repeat(3)}${'e'.repeat(8_000)}`
  ANSWERS['/long'] = long
  for (const [path, secret] of [
    ['/over-the-end', SECRET],
    ['/long', long],
  ] as const) {
    const { data } = await send(fetch, messageTo(base + path, secret))
    const { body } = data.response as { body: string }
    expect(body.replaceAll('[REDACTED]', '').replace(/^y*/, '')).not.toMatch(/se|the/)
  }
  const broken = await send(fetch, messageTo(`${base}/broken`))
  expect(broken).toMatchObject({ mayRetry: true, data: { response: { body: 'no: [REDACTED]' } } })
})

test('a receiver that changes the protocol has not taken the event, and never will', async () => {
  expect(await send(fetch, messageTo(`${base}/switched`))).toMatchObject({
    mayRetry: false,
    status: { code: '101', message: 'failed' },
    data: { error: 'The response has the status 101' },
  })
})

test('a receiver that cannot be reached is tried again; what is refused or cannot be sent is not', async () => {
  const away = await send(fetch, messageTo('http://127.0.0.1:1/'))
  expect(away).toMatchObject({ mayRetry: true, status: { code: '0', message: 'failed' } })
  const strict = outboundFetch({ isOpen: false })
  const refused = await send(strict, messageTo(base))
  await strict.close()
  expect(refused).toMatchObject({ mayRetry: false, status: { code: '400', message: 'failed' } })
  const message = messageTo(base, 'a\nb')
  const broken = await send(fetch, { ...message, data: { ...message.data, auth_mode: 'authorization' } })
  expect(broken).toMatchObject({ mayRetry: false, status: { code: '0', message: 'failed' } })
})

test('the time in which others are busy is not that of a body', async () => {
  const message = messageTo(`${base}/whole`)
  const payload_fields = { kind: '$.event.event_type', scope: '$.scope.project_id' }
  setImmediate(() => {
    const until = performance.now() + 1_100
    while (performance.now() < until);
  })
  expect(await send(fetch, { ...message, data: { ...message.data, payload_fields } })).toMatchObject({
    status: { message: 'success' },
  })
})

const templated = (message: Message, payload_fields: JsonObject, more: object = {}): Message => ({
  ...message,
  data: { ...message.data, payload_fields, ...more },
})

test('the body is the context, the signature that of the body at a time, and no header of the caller replaces ours', async () => {
  const message = messageTo(`${base}/whole`)
  const subscription = { id: 'draft', name: 'n', tags: { a: true }, created_at: '2026-11-22T00:00:00.000Z' }
  const headers = { 'X-Own': 'own', 'user-agent': 'own', 'X-AGENTA-EVENT-ID': 'own', 'idempotency-key': 'own' }
  const outcome = await send(fetch, {
    ...message,
    subscription: { ...message.subscription, ...subscription },
    data: { ...message.data, headers },
  })
  const body = await received.body
  expect(body).toBe(
    JSON.stringify({
      event: {
        attributes: {},
        created_at: message.event.created_at,
        event_id: message.event.id,
        event_type: 'webhooks.subscriptions.tested',
        timestamp: message.event.timestamp,
      },
      scope: { project_id: message.event.project_id },
      subscription: { created_at: subscription.created_at, id: 'draft', name: 'n', tags: { a: true } },
    }),
  )
  expect(received.headers).toMatchObject({
    'content-type': 'application/json',
    'user-agent': 'Spanhouse',
    'idempotency-key': message.id,
    'x-agenta-delivery-id': message.id,
    'x-agenta-event-id': message.event.id,
    'x-agenta-event-type': 'webhooks.subscriptions.tested',
    'x-own': 'own',
  })
  const [, time, hex] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(received.headers['x-agenta-signature'])) ?? []
  expect(Math.abs(Number(time) - Date.now() / 1000)).toBeLessThan(60)
  expect(hex).toBe(createHmac('sha256', SECRET).update(`${time}.${body}`).digest('hex'))
  expect(outcome).toMatchObject({
    data: {
      event_type: 'webhooks.subscriptions.tested',
      url: `${base}/whole`,
      headers: { 'X-Agenta-Signature': '[REDACTED]', 'X-Own': 'own' },
      payload: JSON.parse(body),
    },
  })

  const authorized = { ...message, data: { ...message.data, auth_mode: 'authorization' } } as Message
  const { data } = await send(fetch, { ...authorized, secret: 'Bearer abc' })
  expect(received.headers.authorization).toBe('Bearer abc')
  expect(received.headers).not.toHaveProperty('x-agenta-signature')
  expect(data.headers).toMatchObject({ Authorization: '[REDACTED]' })
})

test('of a template, paths are replaced by what they select, and by null where that is nothing', async () => {
  const payload_fields = {
    z: ['/event/event_type', '$.scope.project_id', 'text', 1, null, true],
    a: { '$.no': { b: '/scope' } },
    none: ['/event/none', '$.none', '$[', '/~9'],
    several: '$..created_at',
  }
  await send(fetch, templated(messageTo(`${base}/whole`), payload_fields))
  const { event } = messageTo('')
  expect(await received.body).toBe(
    JSON.stringify({
      a: { '$.no': { b: { project_id: event.project_id } } },
      none: [null, null, null, null],
      several: [event.created_at, ''],
      z: [event.type, event.project_id, 'text', 1, null, true],
    }),
  )
})

test.each([
  [undefined, 'The secret of the subscription was deleted'],
  [SECRET, 'The body is larger than 1048576 bytes'],
])('what cannot be sent is not tried again: %s', async (secret, error) => {
  const message = templated(messageTo(`${base}/whole`), { text: 'x'.repeat(1024 * 1024) })
  expect(await send(fetch, { ...message, secret })).toMatchObject({
    mayRetry: false,
    status: { code: '0', message: 'failed' },
    data: { error },
  })
})
