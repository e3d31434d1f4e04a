import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FakeProvider, startFakeProvider } from './index.ts'

let fake: FakeProvider
beforeAll(async () => {
  fake = await startFakeProvider()
})
afterAll(() => fake.close())

const post = (path: string, body: object) =>
  fetch(fake.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
const ask = async (content: string, more: object = {}): Promise<string> => {
  const answer = await post('/v1/chat/completions', { model: 'gpt-4o', messages: [{ role: 'user', content }], ...more })
  const { choices } = (await answer.json()) as { choices: { message: { content: string } }[] }
  return choices[0]?.message.content ?? ''
}

test.each([
  ['What is the capital of Norway?', 'The capital of Norway is Oslo.'],
  ['What is 6 * 7?', '6 * 7 = 42'],
  ['Hello there', 'Hello! What can I do for you?'],
])('%s', async (question, answer) => expect(await ask(question)).toBe(answer))

test('other questions get the same answer each time, and one of their own', async () => {
  const [first, again, other] = [
    await ask('Explain photosynthesis.'),
    await ask('Explain photosynthesis.'),
    await ask('Explain gravity.'),
  ]
  expect(first).toBe(again)
  expect(first).toContain('photosynthesis')
  expect(other).not.toBe(first)
})

test('a behaviour is chosen in the last message too', async () => {
  const answer = await post('/v1/chat/completions', {
    model: 'gpt-4o',
    messages: [{ role: 'user', content: 'Hi #fake-error-503' }],
  })
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '7'])
})

test('JSON keeps to the schema, nested too', async () => {
  const schema = {
    type: 'object',
    properties: {
      city: { type: 'string' },
      level: { enum: ['low', 'high'] },
      tags: { type: 'array', items: { type: 'integer', minimum: 3, maximum: 5 } },
      ok: { type: 'boolean' },
    },
  }
  const response_format = { type: 'json_schema', json_schema: { name: 'x', schema } }
  const text = await ask('A high tower in Lisbon, 9 floors', { response_format })
  expect(JSON.parse(text)).toEqual({ city: 'Lisbon', level: 'high', tags: [5], ok: true })
})

test('what was asked can be read by other processes', async () => {
  await ask('Remember me.')
  const requests = (await (await fetch(`${fake.url}/requests`)).json()) as object[]
  expect(requests.at(-1)).toMatchObject({ path: '/v1/chat/completions', body: { model: 'gpt-4o' }, end: 'sent' })
})

test('an address that means nothing', async () => {
  expect((await post('/v1/pictures', {})).status).toBe(404)
  expect((await fetch(`${fake.url}/v1/chat/completions`, { method: 'POST', body: '{' })).status).toBe(400)
})

test('a tool without parameters is called without arguments', async () => {
  const answer = await post('/v1/chat/completions', {
    model: 'fake-tool',
    messages: [{ role: 'user', content: 'Hi' }],
    tools: [{ type: 'function', function: { name: 'ping' } }],
  })
  const { choices } = (await answer.json()) as { choices: { message: object }[] }
  expect(choices[0]?.message).toMatchObject({ tool_calls: [{ function: { name: 'ping', arguments: '{}' } }] })
})
