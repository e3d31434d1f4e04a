import { expect, test } from 'vitest'
import { ALL, asking, events, failureOf, models, routeTo, serving } from './calls.testing.ts'
import type { ChatRequest } from './chat-request.ts'

const NATIVE = ['gemini', 'vertex_ai', 'cohere', 'bedrock']
const ignore = (): void => {}

/** The failure of a call that is answered with this body and the status 200. */
async function failing(provider: string, body: string, more: Partial<ChatRequest> & { isStreamed?: boolean } = {}) {
  const { isStreamed, ...request } = more
  const type = body.startsWith('data: ') ? 'text/event-stream' : 'application/json'
  const url = await serving((_, response) => response.setHeader('content-type', type).end(body))
  return failureOf(
    models.callChat(routeTo(provider, 'm', { url }), asking('x', request), isStreamed ? ignore : undefined),
  )
}

test.each([...ALL, ...NATIVE])('an answer of %s that is an error', async provider => {
  const body = JSON.stringify({ error: { message: 'All models are busy.', type: 'server_error', code: 502 } })
  for (const isStreamed of [false, true])
    expect(await failing(provider, body, { isStreamed })).toMatchObject({
      category: 'availability',
      status: 502,
      message: 'All models are busy.',
      isPartial: false,
    })
})

const RESPONSES = { tools: [{ type: 'web_search' }] }
const RESPONSE = {
  id: 'r',
  object: 'response',
  created_at: 1,
  model: 'm',
  status: 'failed',
  error: { code: 'server_error', message: 'The model failed.' },
  output: [],
}
const CHOICE = { index: 0, finish_reason: 'error', error: { code: 429, message: 'The upstream is busy.' } }
const ANSWER = { id: 'x', object: 'chat.completion', created: 1, model: 'm' }

test.each<[provider: string, body: object, expected: object, more?: object]>([
  ['openai', RESPONSE, { status: 500, message: 'The model failed.' }, RESPONSES],
  [
    'openai',
    { ...RESPONSE, error: { type: 'server_error', ...RESPONSE.error } },
    { status: 500, message: 'The model failed.' },
    RESPONSES,
  ],
  [
    'openrouter',
    { ...ANSWER, choices: [{ ...CHOICE, message: { role: 'assistant', content: 'Hel' } }] },
    { status: 429, category: 'capacity', message: 'The upstream is busy.' },
  ],
  [
    'minimax',
    { ...ANSWER, choices: null, base_resp: { status_code: 1004, status_msg: 'login fail' } },
    { status: undefined, message: 'login fail' },
  ],
  ['mistral', { object: 'error', message: 'Busy.', type: 'internal_server_error' }, { status: 500, message: 'Busy.' }],
  ['custom', { error: 'Busy.' }, { status: undefined, message: 'Busy.' }],
  ['gemini', [{ error: { code: 503, message: 'Busy.', status: 'UNAVAILABLE' } }], { status: 503, message: 'Busy.' }],
])('%s answers %j', async (provider, body, expected, more) => {
  expect(await failing(provider, JSON.stringify(body), more)).toMatchObject(expected)
})

test('an answer that MiniMax marks as good', async () => {
  const message = { role: 'assistant', content: 'Hello' }
  const base_resp = { status_code: 0, status_msg: 'success' }
  const body = { ...ANSWER, choices: [{ index: 0, message, finish_reason: 'stop' }], base_resp }
  const url = await serving((_, response) => response.end(JSON.stringify(body)))
  expect(await models.callChat(routeTo('minimax', 'm', { url }), asking('x'))).toMatchObject({ message })
})

const said = { ...ANSWER, choices: [{ index: 0, delta: { role: 'assistant', content: 'Hel' }, finish_reason: null }] }
const cohereSaid = { type: 'content-delta', index: 0, delta: { message: { content: { text: 'Hel' } } } }
const cohereUsage = { tokens: { input_tokens: 1, output_tokens: 1 } }

test.each<[provider: string, chunks: object[], expected: object, more?: object]>([
  ['mistral', [said, { error: { message: 'Busy.', code: 429 } }], { category: 'capacity', message: 'Busy.' }],
  ['groq', [said, { error: { message: 'Busy.' } }], { message: 'Busy.' }],
  ['custom', [said, { error: 'Busy.' }], { message: 'Busy.' }],
  ['custom', [said, { object: 'error', message: 'Busy.', code: 503 }], { status: 503, message: 'Busy.' }],
  [
    'openai',
    [said, { ...said, error: { code: 'server_error', message: 'The upstream is gone.' } }],
    { status: 500, message: 'The upstream is gone.' },
  ],
  [
    'cohere',
    [
      cohereSaid,
      { type: 'message-end', delta: { finish_reason: 'ERROR', error: 'Out of memory.', usage: cohereUsage } },
    ],
    { message: 'Out of memory.' },
  ],
  [
    'cohere',
    [cohereSaid, { type: 'message-end', delta: { finish_reason: 'ERROR', usage: cohereUsage } }],
    { message: "The provider's response ended with the reason 'ERROR'." },
  ],
  [
    'openai',
    [
      { type: 'response.output_text.delta', item_id: 'a', delta: 'Hel' },
      { type: 'response.failed', sequence_number: 1, response: RESPONSE },
    ],
    { status: 500, message: 'The model failed.' },
    RESPONSES,
  ],
  [
    'openai',
    [
      { type: 'response.output_text.delta', item_id: 'a', delta: 'Hel' },
      { type: 'response.failed', sequence_number: 1, response: { ...RESPONSE, error: null } },
    ],
    { message: "The provider's response ended with the reason 'error'." },
    RESPONSES,
  ],
])('%s fails within the stream %j', async (provider, chunks, expected, more) => {
  const error = await failing(provider, events(chunks), { isStreamed: true, ...more })
  expect(error).toMatchObject({ category: 'availability', isPartial: true, ...expected })
})

test('OpenAI fails before the first word of a stream', async () => {
  const chunks = [{ type: 'response.failed', sequence_number: 0, response: RESPONSE }]
  const error = await failing('openai', events(chunks), { isStreamed: true, ...RESPONSES })
  expect(error).toMatchObject({ category: 'availability', status: 500, message: 'The model failed.', isPartial: false })
})

test('a whole answer where a stream was asked for', async () => {
  const body = {
    ...ANSWER,
    choices: [{ index: 0, message: { role: 'assistant', content: 'x' }, finish_reason: 'stop' }],
  }
  expect(await failing('custom', JSON.stringify(body), { isStreamed: true })).toMatchObject({
    category: 'availability',
    message: "The provider's response is JSON instead of a stream.",
  })
  expect(await failing('custom', '{"error": {"mess', { isStreamed: true })).toMatchObject({
    category: 'availability',
    message: "The provider's response is JSON instead of a stream.",
  })
})

test('a stream that is called JSON is read piece by piece', async () => {
  let goOn = ignore
  const url = await serving((_, response) => {
    response.setHeader('content-type', 'application/json').write(events([said]))
    goOn = () => response.end(events([{ ...ANSWER, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }]))
  })
  expect(await models.callChat(routeTo('custom', 'm', { url }), asking('x'), () => goOn())).toMatchObject({
    message: { content: 'Hel' },
    finishReason: 'stop',
  })
})
