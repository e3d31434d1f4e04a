import { expect, test } from 'vitest'
import { ALL, asking, events, failureOf, models, routeTo, serving } from './calls.testing.ts'

/** The failure of a call that is answered so. */
async function failing(provider: string, status: number, body = '', headers: Record<string, string> = {}) {
  const url = await serving((_, response) => response.writeHead(status, headers).end(body))
  return failureOf(models.callChat(routeTo(provider, 'm', { url }), asking('x')))
}

test.each([...ALL, 'gemini', 'vertex_ai', 'cohere', 'bedrock'])('%s redirects', async provider => {
  const location = 'https://ada:secret@elsewhere.test/v1/secret?key=secret'
  expect(await failing(provider, 307, '', { location })).toMatchObject({
    status: 307,
    category: 'other',
    message: 'The provider redirects to https://elsewhere.test, and redirects are not followed.',
  })
})

test('a redirect to another path, and one to nowhere', async () => {
  const url = await serving((_, response) => response.writeHead(308, { location: '/v2/chat' }).end())
  const { message } = await failureOf(models.callChat(routeTo('custom', 'm', { url }), asking('x')))
  expect(message).toBe(`The provider redirects to ${url}, and redirects are not followed.`)
  expect((await failing('custom', 302)).message).toBe('The provider responded with HTTP 302 and gave no reason')
})

test.each([
  ['custom', 500, '', 'The provider responded with HTTP 500 and gave no reason'],
  ['custom', 502, '<h1>Bad Gateway</h1>', '<h1>Bad Gateway</h1>'],
  ['custom', 429, '{"error":{"message":"Slow do', '{"error":{"message":"Slow do'],
  ['custom', 400, '{"error":"Bad Request","message":"The model is missing."}', 'The model is missing.'],
  ['gemini', 400, '[{"error":{"code":400,"message":"Request is invalid."}}]', 'Request is invalid.'],
  ['bedrock', 403, '{"Message":"You are not authorized."}', 'You are not authorized.'],
  ['deepinfra', 401, '{"detail":{"error":"Who are you?"}}', 'Who are you?'],
  ['custom', 404, '{"detail":"Not Found"}', 'Not Found'],
  ['custom', 422, '{"detail":[{"loc":["body"],"msg":"missing"}]}', '{"detail":[{"loc":["body"],"msg":"missing"}]}'],
])('%s responds with %i and %j', async (provider, status, body, message) => {
  expect(await failing(provider, status, body)).toMatchObject({ status, message })
})

test('an answer in another form: the place is named, whole and in a stream', async () => {
  const answer = (said: object) => ({
    id: 'x',
    created: 1,
    model: 'm',
    choices: [{ index: 0, finish_reason: null, ...said }],
  })
  const calls = (index: unknown) => ({
    role: 'assistant',
    tool_calls: [{ index, id: 'a', function: { name: 'f', arguments: {} } }],
  })
  expect((await failing('custom', 200, JSON.stringify(answer({ message: calls(0) })))).message).toBe(
    "The provider's response cannot be read: choices.0.message.tool_calls.0.function.arguments: " +
      'Invalid input: expected string, received object',
  )
  const url = await serving((_, response) => response.end(events([answer({ delta: calls(0) })])))
  expect((await failureOf(models.callChat(routeTo('openai', 'm', { url }), asking('x'), () => {}))).message).toBe(
    "The provider's response cannot be read: choices.0.delta.tool_calls.0.function.arguments: " +
      'Invalid input: expected string, received object',
  )
  expect((await failing('custom', 200, '7')).message).toMatch(/cannot be read: the whole: /)
})

test('a message is cut within its last character', async () => {
  const { message } = await failing('custom', 400, JSON.stringify({ error: `${'x'.repeat(2047)}🎉` }))
  expect(message).toBe(`${'x'.repeat(2047)}\ufffd`)
})

test("Amazon's words for a prompt that is too long", async () => {
  const error = await failing('bedrock', 400, '{"message":"Input is too long for requested model."}')
  expect(error).toMatchObject({ category: 'context' })
})

test("Gemini's status for a wrong key is 400", async () => {
  const error = { code: 400, message: 'API key not valid.', details: [{ reason: 'API_KEY_INVALID' }] }
  expect(await failing('gemini', 400, JSON.stringify({ error }))).toMatchObject({ status: 400, category: 'access' })
})

const RETRY_INFO = JSON.stringify({
  error: {
    message: 'Slow down.',
    details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '6.2s' }],
  },
})

test.each([
  [{ 'retry-after': '7' }, '', 7],
  [{ 'retry-after': '6.2' }, '', 7],
  [{ 'retry-after-ms': '6200' }, '', 7],
  [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:00 GMT' }, '', 0],
  [{ 'retry-after': 'soon' }, '', undefined],
  [{}, RETRY_INFO, 7],
])('a provider is to be asked again after %j %s', async (headers, body, retryAfterSeconds) => {
  expect(await failing('custom', 429, body, headers)).toMatchObject({ retryAfterSeconds })
})
