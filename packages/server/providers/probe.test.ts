import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type ProbeBody, probeBody } from '@spanhouse/access'
import { Problem } from '@spanhouse/model'
import { outboundFetch } from '@spanhouse/outbound'
import { validate } from '@spanhouse/validation'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { probeProvider } from './probe.ts'

/** Answers with the status and the media type that the path begins with. */
const provider = createServer((request, response) => {
  asked.push(request)
  const [, status = '200', type = 'json'] = /^\/(\d+)-(\w+)\//.exec(request.url ?? '') ?? []
  response.writeHead(Number(status), { 'content-type': `application/${type}`, location: '/elsewhere' }).end('{}')
})
const asked: IncomingMessage[] = []
let base: string

beforeAll(async () => {
  provider.listen(0, '127.0.0.1')
  await once(provider, 'listening')
  base = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`
})
afterAll(() => void provider.close())

const open = { isOpen: true }
const bodyOf = (kind: string, credentials: object): ProbeBody =>
  validate(probeBody(open), { kind, provider: credentials }, 'body')
const probe = (kind: string, credentials: object, rules = open) =>
  probeProvider(bodyOf(kind, credentials), { rules, fetch: outboundFetch(rules) })

test.each<[string, object, string, object]>([
  ['openai', { key: 'k' }, '/200-json/v1/models', { authorization: 'Bearer k' }],
  ['anthropic', { key: 'k' }, '/200-json/v1/models', { 'x-api-key': 'k', 'anthropic-version': '2023-06-01' }],
  ['gemini', { key: 'k' }, '/200-json/v1/models', { 'x-goog-api-key': 'k' }],
  ['azure', { key: 'k' }, '/200-json/v1/openai/models?api-version=2024-10-21', { 'api-key': 'k' }],
  ['azure', { key: 'k', version: '7' }, '/200-json/v1/openai/models?api-version=7', { 'api-key': 'k' }],
  ['custom', { extras: { api_key: 'k' } }, '/200-json/v1/models', { authorization: 'Bearer k' }],
  ['custom', {}, '/200-json/v1/models', {}],
])('a good credential of %s with %j is valid', async (kind, credentials, path, headers) => {
  expect(await probe(kind, { url: `${base}/200-json/v1/`, ...credentials })).toMatchObject({ kind, status: 'valid' })
  expect(asked.at(-1)).toMatchObject({ method: 'GET', url: path, headers })
})

test.each([
  ['openai', '401-json', 'invalid'],
  ['openai', '403-json', 'invalid'],
  ['openai', '400-json', 'unknown'],
  ['gemini', '400-json', 'invalid'],
  ['openai', '429-json', 'unknown'],
  ['openai', '500-json', 'unknown'],
  ['openai', '302-json', 'unknown'],
  ['openai', '200-html', 'unknown'],
])('%s answering %s: %s', async (kind, answer, status) => {
  const before = asked.length
  const found = await probe(kind, { key: 'k', url: `${base}/${answer}/` })
  expect(found.status).toBe(status)
  expect(found.message).toContain(answer.slice(0, 3))
  expect(asked.length).toBe(before + 1)
})

test('no response, a request that cannot be sent, and a credential that cannot be tested are reported as such', async () => {
  expect(await probe('custom', { url: 'http://127.0.0.1:9' })).toMatchObject({
    status: 'unknown',
    message: expect.stringContaining('ECONNREFUSED'),
  })
  expect(await probe('openai', { key: 'a\nb', url: base })).toMatchObject({ status: 'invalid' })
  expect(await probe('bedrock', { extras: {} })).toMatchObject({ kind: 'bedrock', status: 'unknown' })
})

test.each([
  ['openai', {}, 'key'],
  ['openai', { key: '' }, 'key'],
  ['custom', { key: 'k' }, 'url'],
  ['azure', { key: 'k' }, 'url'],
])('%s with %j lacks its %s', async (kind, credentials, member) => {
  const error = await probe(kind, credentials).catch((error: Problem) => error)
  expect(error).toBeInstanceOf(Problem)
  expect(error).toMatchObject({ detail: [{ type: 'missing', loc: ['body', 'provider', member] }] })
})

test('an unknown name, a private address and a closed port get the same response after the same time', async () => {
  const before = asked.length
  const told = async (url: string) => {
    const started = performance.now()
    const answer = await probe('custom', { url, key: 'k' }, { isOpen: false })
    expect(performance.now() - started).toBeGreaterThan(1_400)
    return answer
  }
  // What the body says was checked under open rules, so that these get as far as being called.
  const hosts = ['http://nobody.invalid', base.replace('127.0.0.1', 'localhost'), 'http://127.0.0.1:9']
  const [first, ...others] = await Promise.all(hosts.map(told))
  expect(first).toEqual({ kind: 'custom', status: 'unknown', message: 'The provider cannot be reached.' })
  for (const other of others) expect(other).toEqual(first)
  expect(asked.length).toBe(before)
})
