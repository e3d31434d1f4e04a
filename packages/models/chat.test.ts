import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { ALL, asking, events, models, routeTo, SHAPED, serving, TOOLS } from './calls.testing.ts'
import type { ChatEvent } from './chat-reply.ts'

test.each(ALL)('%s answers, at once and piece by piece', async provider => {
  const request = asking('Say that two words.')
  const whole = await models.callChat(routeTo(provider), request)
  expect(whole).toMatchObject({
    message: { role: 'assistant', content: 'Say that two words.' },
    finishReason: 'stop',
    usage: { prompt: 5, completion: 5, total: 10 },
  })
  const events: ChatEvent[] = []
  const streamed = await models.callChat(routeTo(provider), request, event => events.push(event))
  expect(streamed).toEqual({ ...whole, timings: expect.anything() })
  expect(events.length).toBeGreaterThan(1)
  expect(events.map(event => ('delta' in event ? event.delta : '')).join('')).toBe('Say that two words.')
})

test.each(ALL)('%s calls tools, at once and piece by piece', async provider => {
  const request = asking('What is the weather in Oslo?', { tools: TOOLS, toolChoice: 'required' })
  const whole = await models.callChat(routeTo(provider, 'gpt-4o'), request)
  const called = { type: 'function', function: { name: 'get_weather', arguments: '{"city":"Oslo"}' } }
  expect(whole).toMatchObject({ message: { content: null, tool_calls: [called] }, finishReason: 'tool_calls' })
  const events: ChatEvent[] = []
  const streamed = await models.callChat(routeTo(provider, 'gpt-4o'), request, event => events.push(event))
  expect(streamed.message).toEqual(whole.message)
  expect(events[0]).toMatchObject({ type: 'tool_call', index: 0, name: 'get_weather' })
  expect(
    events
      .slice(1)
      .map(event => ('delta' in event ? event.delta : ''))
      .join(''),
  ).toBe('{"city":"Oslo"}')
})

test('calls that a provider gives one id are two, at once and piece by piece', async () => {
  const calls = ['Oslo', 'Rome'].map((city, index) => ({
    index,
    id: 'call',
    type: 'function',
    function: { name: 'get_weather', arguments: JSON.stringify({ city }) },
  }))
  const server = createServer(async (request, response) => {
    const { stream } = (await json(request)) as { stream?: boolean }
    const body = (choice: object) =>
      JSON.stringify({ id: 'a', created: 1, model: 'm', choices: [{ index: 0, finish_reason: null, ...choice }] })
    const chunks = calls.map(call => body({ delta: { role: 'assistant', tool_calls: [call] } }))
    const ended = body({ delta: {}, finish_reason: 'tool_calls' })
    const whole = body({
      message: { role: 'assistant', content: null, tool_calls: calls },
      finish_reason: 'tool_calls',
    })
    response.setHeader('content-type', stream ? 'text/event-stream' : 'application/json')
    response.end(stream ? [...chunks, ended].map(chunk => `data: ${chunk}\n\n`).join('') : whole)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const route = routeTo('custom', 'm', { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
  const request = asking('What is the weather in Oslo and Rome?', { tools: TOOLS })
  for (const onEvent of [undefined, () => {}]) {
    const { message } = await models.callChat(route, request, onEvent)
    expect(message.tool_calls?.map(call => call.function.arguments)).toEqual(['{"city":"Oslo"}', '{"city":"Rome"}'])
  }
  server.closeAllConnections()
  server.close()
})

test('what OpenAI searches in the web is no call of a tool, at once and piece by piece', async () => {
  const search = { type: 'web_search_call', id: 'ws', status: 'completed', action: { type: 'search', query: 'Oslo' } }
  const content = [{ type: 'output_text', text: 'Rain.', annotations: [] }]
  const said = { type: 'message', id: 'm', role: 'assistant', status: 'completed', content }
  const answer = { id: 'r', object: 'response', created_at: 1, status: 'completed', model: 'm', output: [search, said] }
  const chunks = [
    { type: 'response.output_item.added', output_index: 0, item: { ...search, status: 'in_progress' } },
    { type: 'response.output_item.done', output_index: 0, item: search },
    { type: 'response.output_text.delta', item_id: 'm', output_index: 1, delta: 'Rain.' },
    { type: 'response.completed', response: answer },
  ]
  const url = await serving(async (request, response) => {
    const { stream } = (await json(request)) as { stream?: boolean }
    response.setHeader('content-type', stream ? 'text/event-stream' : 'application/json')
    response.end(stream ? events(chunks) : JSON.stringify(answer))
  })
  const request = asking('The weather in Oslo?', { tools: [{ type: 'web_search' }] })
  for (const onEvent of [undefined, () => {}]) {
    const reply = await models.callChat(routeTo('openai', 'm', { url }), request, onEvent)
    expect(reply).toMatchObject({ message: { role: 'assistant', content: 'Rain.' }, finishReason: 'stop' })
    expect(reply.message).not.toHaveProperty('tool_calls')
  }
})

test.each(ALL)('%s takes the result of a tool', async provider => {
  const [call] =
    (await models.callChat(routeTo(provider, 'gpt-4o'), asking('weather in Oslo?', { tools: TOOLS }))).message
      .tool_calls ?? []
  const messages = [
    { role: 'system', content: 'Forecast helper.' },
    { role: 'user', content: 'weather in Oslo?' },
    { role: 'assistant', content: null, tool_calls: call ? [call] : [] },
    { role: 'tool', tool_call_id: call?.id, content: 'nine degrees' },
  ]
  const reply = await models.callChat(routeTo(provider, 'gpt-4o'), { messages, tools: TOOLS })
  expect(reply.message).toEqual({ role: 'assistant', content: 'The tool says: nine degrees' })
})

test.each([...SHAPED, 'mistral'])('refusals of %s stand apart, at once and piece by piece', async provider => {
  const message = { role: 'assistant', content: null, refusal: 'I cannot help with that.' }
  const whole = await models.callChat(routeTo(provider, 'fake-refusal'), asking('x'))
  expect(whole).toMatchObject({ message, finishReason: 'content_filter' })
  const events: ChatEvent[] = []
  const streamed = await models.callChat(routeTo(provider, 'fake-refusal'), asking('x'), event => events.push(event))
  expect(streamed.message).toEqual(message)
  expect(new Set(events.map(({ type }) => type))).toEqual(new Set(['refusal']))
})

test.each(['custom', 'anthropic'])('reasoning of %s stands apart', async provider => {
  const events: ChatEvent[] = []
  const reply = await models.callChat(routeTo(provider, 'fake-reasoning'), asking('Why?'), event => events.push(event))
  expect(reply.message.reasoning_content).toBe('The question is: Why?')
  expect(events[0]).toMatchObject({ type: 'reasoning' })
})

test.each(['openai', 'anthropic'])('what %s read from a cache is counted', async provider => {
  const { usage } = await models.callChat(routeTo(provider, 'fake-cached'), asking('Four words are here.'))
  expect(usage).toMatchObject({ prompt: 5, cache_read: 1 })
})

test('what Cohere read from a cache is counted', async () => {
  const message = { role: 'assistant', content: [{ type: 'text', text: 'x' }] }
  const usage = { tokens: { input_tokens: 9, output_tokens: 1 }, cached_tokens: 4 }
  const url = await serving((_, response) =>
    response.end(JSON.stringify({ id: 'x', finish_reason: 'COMPLETE', message, usage })),
  )
  const reply = await models.callChat(routeTo('cohere', 'm', { url }), asking('x'))
  expect(reply.usage).toEqual({ prompt: 9, completion: 1, total: 10, cache_read: 4 })
})

test('a schema is kept to', async () => {
  const schema = {
    type: 'object',
    properties: { score: { type: 'number', minimum: 0, maximum: 1 } },
    additionalProperties: false,
  }
  const request = asking('Score it from 0 to 1: 0.5', {
    responseFormat: { type: 'json_schema', json_schema: { name: 's', schema } },
  })
  for (const provider of ['openai', 'anthropic']) {
    const { message } = await models.callChat(routeTo(provider, 'claude-sonnet-4-5'), request)
    expect(JSON.parse(message.content ?? '')).toEqual({ score: 0 })
  }
})

test('the first piece is handed on before the last is sent', async () => {
  const { timings } = await models.callChat(routeTo('custom', 'fake-slow-50'), asking('x'), () => {})
  expect(timings.totalMs - timings.firstTokenMs).toBeGreaterThan(300)
})

test('embeddings: similar texts are close', async () => {
  const values = ['the cat sat on the mat', 'the cat is on the mat', 'quarterly revenue of the company']
  for (const provider of ['openai', 'azure', 'custom', 'mistral', 'together_ai']) {
    const { embeddings, usage } = await models.callEmbedding(routeTo(provider, 'text-embedding-3-small'), { values })
    const [a = [], b = [], c = []] = embeddings
    const dot = (x: number[], y: number[]) => x.reduce((sum, value, at) => sum + value * (y[at] ?? 0), 0)
    expect(dot(a, b)).toBeGreaterThan(dot(a, c) + 0.3)
    expect(usage?.prompt).toBeGreaterThan(10)
  }
})

test('a provider without embeddings says so', async () => {
  const call = models.callEmbedding(routeTo('anthropic', 'claude-x'), { values: ['x'] })
  await expect(call).rejects.toMatchObject({ category: 'other', status: 400 })
})
