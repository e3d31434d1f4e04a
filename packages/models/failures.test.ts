import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type FakeProvider, startFakeProvider } from '@spanhouse/fake-provider'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ChatEvent } from './chat-reply.ts'
import { mockRoute } from './mock.ts'
import { ModelError } from './model-error.ts'
import { type Models, openModels } from './models.ts'
import type { ProviderRoute } from './route.ts'

let fake: FakeProvider
let models: Models
let impatient: Models
beforeAll(async () => {
  fake = await startFakeProvider()
  models = openModels({ isOpen: true })
  impatient = openModels({ isOpen: true, firstByteMs: 200, idleMs: 200 })
})
afterAll(async () => {
  await Promise.all([models.close(), impatient.close()])
  await fake.close()
})

const KEY = 'sk-very-secret'
const routeTo = (provider: string, model: string, url = `${fake.url}/v1`): ProviderRoute => ({
  kind: 'provider',
  provider,
  model,
  requested: model,
  key: KEY,
  url,
  extras: {},
  options: {},
})
const request = { messages: [{ role: 'user', content: 'Tell me a long story about a city, please.' }] }
const failure = async (call: Promise<unknown>): Promise<ModelError> => {
  const error = await call.then(
    () => expect.unreachable(),
    (error: unknown) => error,
  )
  expect(error).toBeInstanceOf(ModelError)
  return error as ModelError
}

const WITHOUT_CHOICES = {
  id: 'x',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [],
  usage: { prompt_tokens: 1, completion_tokens: 0, total_tokens: 1 },
}
const PROVIDERS = ['openai', 'anthropic', 'custom', 'groq', 'mistral']
const STATUSES: [number, string][] = [
  [400, 'other'],
  [401, 'access'],
  [403, 'access'],
  [404, 'other'],
  [408, 'availability'],
  [409, 'transient'],
  [418, 'other'],
  [422, 'other'],
  [423, 'transient'],
  [429, 'capacity'],
  [500, 'availability'],
  [503, 'availability'],
  [529, 'availability'],
]

test.each(STATUSES)('HTTP %i is %s', async (status, category) => {
  for (const provider of PROVIDERS) {
    for (const onEvent of [undefined, () => {}]) {
      const error = await failure(models.callChat(routeTo(provider, `fake-error-${status}`), request, onEvent))
      expect(error).toMatchObject({ status, category, isPartial: false })
      expect(error.message).toBe(`The fake provider responds with ${status}.`)
      expect(error.retryAfterSeconds).toBe(status === 429 || status === 503 ? 7 : undefined)
    }
  }
})

test('an error is asked for once', async () => {
  const before = fake.requests.length
  await failure(models.callChat(routeTo('openai', 'fake-error-500'), request))
  expect(fake.requests.length).toBe(before + 1)
})

test('messages that are too long for the model', async () => {
  for (const provider of PROVIDERS) {
    expect(await failure(models.callChat(routeTo(provider, 'fake-context'), request))).toMatchObject({
      category: 'context',
      status: 400,
    })
  }
})

test('embedding models fail in the same way', async () => {
  const error = await failure(models.callEmbedding(routeTo('openai', 'fake-error-429'), { values: ['x'] }))
  expect(error).toMatchObject({ status: 429, category: 'capacity', retryAfterSeconds: 7 })
})

test.each([
  [[[1, 0]], "The provider's response has 1 vector for 2 texts."],
  [[], "The provider's response has 0 vectors for 2 texts."],
  [[[1], [1], [1]], "The provider's response has 3 vectors for 2 texts."],
  [[[1, 0], [1]], "The provider's response has vectors of 2 and 1 numbers."],
  [[[], []], "The provider's response has a vector without numbers."],
])('the vectors %j for two texts', async (vectors, message) => {
  const server = createServer((_request, response) => {
    const data = vectors.map((embedding, index) => ({ object: 'embedding', index, embedding }))
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ object: 'list', data, model: 'm' }))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  for (const provider of ['openai', 'custom'])
    expect(await failure(models.callEmbedding(routeTo(provider, 'm', url), { values: ['a', 'b'] }))).toMatchObject({
      category: 'availability',
      message,
    })
  server.close()
})

test.each(PROVIDERS)('an answer of %s that is no JSON', async provider => {
  expect(await failure(models.callChat(routeTo(provider, 'fake-invalid-json'), request))).toMatchObject({
    category: 'availability',
    message: expect.stringContaining("The provider's response cannot be read: "),
  })
})

test('an answer of mistral without choices', async () => {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(WITHOUT_CHOICES))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  expect(await failure(models.callChat(routeTo('mistral', 'm', url), request))).toMatchObject({
    category: 'availability',
    message: expect.stringContaining("The provider's response cannot be read: "),
  })
  server.close()
})

test.each(PROVIDERS)('%s falls silent', async provider => {
  const call = (model: string, onEvent?: () => void) =>
    failure(impatient.callChat(routeTo(provider, model), request, onEvent))
  const errors = await Promise.all([
    call('fake-stall-before'),
    call('fake-stall-middle'),
    call('fake-stall-before', () => {}),
    call('fake-stall-middle', () => {}),
  ])
  for (const error of errors) expect(error).toMatchObject({ category: 'availability', status: undefined })
  expect(errors.map(({ isPartial }) => isPartial)).toEqual([false, false, false, true])
})

test.each(PROVIDERS)('the connection of %s breaks', async provider => {
  for (const onEvent of [undefined, () => {}]) {
    const error = await failure(models.callChat(routeTo(provider, 'fake-cut'), request, onEvent))
    expect(error).toMatchObject({ category: 'availability', isPartial: onEvent !== undefined })
    expect(error.message).toMatch(/^The connection broke before the response was complete/)
  }
})

test.each(PROVIDERS)('a stream of %s that ends in the middle, and one that is none', async provider => {
  const call = (model: string) => failure(models.callChat(routeTo(provider, model), request, () => {}))
  const half = await call('fake-half')
  expect(half).toMatchObject({ category: 'availability', isPartial: true })
  expect(half.message).toMatch(/ended without a finish reason/)
  expect(await call('fake-invalid-json')).toMatchObject({ category: 'availability', isPartial: false })
})

test.each(['openai', 'custom', 'anthropic'])('an error in the middle of a stream of %s', async provider => {
  const events: ChatEvent[] = []
  const call = models.callChat(routeTo(provider, 'fake-error-middle'), request, event => events.push(event))
  const error = await failure(call)
  expect(error).toMatchObject({ category: 'availability', isPartial: true })
  expect(error.message).toBe('The fake provider is overloaded.')
  expect(events.length).toBeGreaterThan(2)
})

test('nobody there', async () => {
  expect(await failure(models.callChat(routeTo('custom', 'x', 'http://127.0.0.1:9'), request))).toMatchObject({
    category: 'availability',
    status: undefined,
  })
})

test.each(['custom', 'anthropic'])('an answer of %s that is too large is given up', async provider => {
  for (const onEvent of [undefined, () => {}]) {
    const error = await failure(models.callChat(routeTo(provider, 'fake-huge-20'), request, onEvent))
    expect(error).toMatchObject({ category: 'other' })
    expect(error.message).toContain(String(16 * 1024 * 1024))
  }
})

test.each(['openai', 'anthropic', 'custom'])('cancelling a call of %s closes its connection', async provider => {
  for (const [model, onEvent] of [
    ['fake-stall-before', undefined],
    ['fake-stall-middle', () => {}],
  ] as const) {
    const before = fake.requests.length
    const abort = new AbortController()
    let isStarted = false
    const events =
      onEvent &&
      (() => {
        isStarted = true
      })
    const call = models.callChat(routeTo(provider, model), { ...request, signal: abort.signal }, events)
    await expect.poll(() => fake.requests.length === before + 1 && (onEvent === undefined || isStarted)).toBe(true)
    abort.abort(new Error('enough'))
    await expect(call).rejects.toThrow('enough')
    await expect.poll(() => fake.requests.at(-1)?.end).toBe('aborted')
  }
})

test('the key is in no message', async () => {
  const error = await failure(
    models.callChat(routeTo('custom', 'fake-error-400', `${fake.url}/${KEY}/nowhere`), request),
  )
  expect(JSON.stringify({ ...error, message: error.message, stack: error.stack, cause: error.cause })).not.toContain(
    KEY,
  )
})

test('a key that is only a filler leaves the message as it is', async () => {
  const error = await failure(models.callChat({ ...routeTo('custom', 'fake-error-400'), key: 'k' }, request))
  expect(error.message).toBe('The fake provider responds with 400.')
})

test.each<[string, Partial<ProviderRoute>, string]>([
  ['custom', { key: 'sk-1\nsk-2' }, 'The key of the connection has a character that cannot be sent'],
  ['gemini', { key: 'sk-\u2026' }, 'The key of the connection has a character that cannot be sent'],
  [
    'vertex_ai',
    { key: '', extras: { vertex_ai_credentials: { client_email: 'a', private_key: 'sk-1' } } },
    'The private_key of the service account in provider.extras cannot be read',
  ],
])('a credential of %s that cannot be used: %j', async (provider, more, message) => {
  const before = fake.requests.length
  const error = await failure(models.callChat({ ...routeTo(provider, 'fake-echo'), ...more }, request))
  expect(error).toMatchObject({ category: 'access', message })
  expect(fake.requests.length).toBe(before)
})

test('private addresses are not called', async () => {
  const closed = openModels({ isOpen: false })
  const before = fake.requests.length
  expect(await failure(closed.callChat(routeTo('custom', 'x'), request))).toMatchObject({
    category: 'other',
    message: 'The address must be an https address',
  })
  expect(fake.requests.length).toBe(before)
  await closed.close()
})

test('files at private addresses are not fetched', async () => {
  const closed = openModels({ isOpen: false })
  const before = fake.requests.length
  const image = { type: 'image_url', image_url: { url: `${fake.url}/models` } }
  const call = closed.callChat(routeTo('gemini', 'gemini-2.5-flash', 'https://example.org'), {
    messages: [{ role: 'user', content: [image] }],
  })
  expect(await failure(call)).toMatchObject({
    category: 'other',
    status: 400,
    message: `The file at ${fake.url} cannot be fetched: The address must be an https address`,
  })
  expect(fake.requests.length).toBe(before)
  await closed.close()
})

test.each([
  [
    'http://ada:secret@127.0.0.1:9/secret.png',
    /^The file at http:\/\/127\.0\.0\.1:9 cannot be fetched: The address must /,
  ],
  [
    'http://127.0.0.1:9/secret.png?key=secret',
    /^The file at http:\/\/127\.0\.0\.1:9 cannot be fetched: The address cannot/,
  ],
  ['file:///etc/hosts', /^The file at file: cannot be fetched: The address must be an https address/],
])('%s is no file, which is no trouble of the provider', async (url, message) => {
  const content = [{ type: 'image_url', image_url: { url } }]
  const error = await failure(models.callChat(routeTo('gemini', 'm'), { messages: [{ role: 'user', content }] }))
  expect(error).toMatchObject({ category: 'other', status: 400, message: expect.stringMatching(message) })
})

test('files that are too large together are given up, and one that is refused is not waited for', async () => {
  let served = 0
  let isClosed = false
  const server = createServer((request, response) => {
    if (request.url === '/refused') {
      response.on('close', () => {
        isClosed = true
      })
      response.writeHead(403).write('never ends')
    } else {
      // Other processes may look for a server of theirs at this port.
      if (request.url === '/large') served++
      response.end(Buffer.alloc(10 * 1024 * 1024))
    }
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const ask = (paths: string[]) => {
    const content = paths.map(path => ({
      type: 'image_url',
      image_url: { url: `http://127.0.0.1:${port}${path}` },
    }))
    return failure(models.callChat(routeTo('gemini', 'm'), { messages: [{ role: 'user', content }] }))
  }
  expect(await ask(Array(30).fill('/large'))).toMatchObject({
    category: 'other',
    status: 400,
    message: `The files of the messages are larger than ${64 * 1024 * 1024} bytes together`,
  })
  expect(served).toBeLessThanOrEqual(8)
  expect(await ask(['/refused'])).toMatchObject({ message: expect.stringContaining('HTTP 403 instead of the file') })
  await expect.poll(() => isClosed).toBe(true)
  server.close()
})

test('canned replies', async () => {
  const ask = async (name: string, onEvent?: (event: ChatEvent) => void) => {
    const route = mockRoute(name)
    return (
      route &&
      (await models.callChat(route, { messages: [{ role: 'user', content: 'The capital of Peru?' }] }, onEvent))
    )
  }
  expect((await ask('hello'))?.message.content).toContain('Hello')
  expect((await ask('capital'))?.message.content).toContain('Peru')
  const events: ChatEvent[] = []
  expect(await ask('echo', event => events.push(event))).toMatchObject({
    message: { role: 'assistant', content: 'The capital of Peru?' },
  })
  expect(events).toEqual([{ type: 'text', delta: 'The capital of Peru?' }])
  expect(await failure(ask('error'))).toMatchObject({ status: 500 })
  expect([mockRoute('other'), mockRoute('toString')]).toEqual([undefined, undefined])
})
