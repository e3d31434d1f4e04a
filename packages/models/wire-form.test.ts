import { expect, test } from 'vitest'
import { asking, fake, models, routeTo, SHAPED, sent, TOOLS } from './calls.testing.ts'
import type { ChatEvent } from './chat-reply.ts'
import type { ChatMessage } from './chat-request.ts'
import type { ProviderRoute } from './route.ts'

test.each(SHAPED)('%s gets messages, tools and options as the caller gave them', async provider => {
  const messages = [
    { role: 'developer', content: 'Be brief.', name: 'owner' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is this?' },
        { type: 'image_url', image_url: { url: 'https://example.org/a.png', detail: 'low' } },
        { type: 'video_url', video_url: { url: 'https://example.org/a.mp4' } },
      ],
    },
  ]
  const responseFormat = {
    type: 'json_schema',
    json_schema: { name: 'answer', strict: false, schema: { type: 'object', properties: { a: { type: 'string' } } } },
  }
  const options = {
    temperature: 0.2,
    top_p: 0.9,
    frequency_penalty: 0.1,
    presence_penalty: -0.1,
    max_tokens: 99_000,
    stop: ['END'],
    seed: 7,
    parallel_tool_calls: false,
    logprobs: true,
    chat_template_kwargs: { enable_thinking: false, '{{x}}': [1] },
  }
  await models.callChat(routeTo(provider, 'gpt-4o'), {
    messages,
    tools: TOOLS,
    toolChoice: 'required',
    responseFormat,
    options,
  })
  expect(sent()).toEqual({
    ...options,
    model: 'gpt-4o',
    messages,
    tools: TOOLS,
    tool_choice: 'required',
    response_format: responseFormat,
  })
})

test('only what is set is sent', async () => {
  await models.callChat(
    routeTo('custom', 'fake-echo'),
    asking('x', { options: { temperature: undefined }, toolChoice: 'auto' }),
  )
  expect(sent()).toEqual({ model: 'fake-echo', messages: [{ role: 'user', content: 'x' }] })
})

test('what is no option of a model is not sent', async () => {
  const route = routeTo('custom', 'fake-echo', { options: { api_key: 'sk-other', model: 'other', top_k: 5 } })
  const { message } = await models.callChat(route, asking('x', { options: { stream: true, n: 3 } }))
  expect(message.content).toBe('x')
  expect(sent()).toEqual({ model: 'fake-echo', messages: [{ role: 'user', content: 'x' }], top_k: 5 })
})

test('options of the credential hold where a call sets none', async () => {
  const route = routeTo('custom', 'fake-echo', { options: { temperature: 0.7, seed: 1, top_k: 5 } })
  await models.callChat(route, asking('x', { options: { seed: 2 } }))
  expect(sent()).toMatchObject({ temperature: 0.7, seed: 2, top_k: 5 })
})

test("OpenAI's reasoning models get their own names of options", async () => {
  await models.callChat(
    routeTo('openai', 'gpt-5'),
    asking('x', { options: { max_tokens: 50, temperature: 0.3, reasoning_effort: 'low' } }),
  )
  expect(sent()).toMatchObject({ max_completion_tokens: 50, reasoning_effort: 'low' })
  expect(sent()).not.toHaveProperty('max_tokens')
  expect(sent()).not.toHaveProperty('temperature')
})

test.each(['low', 'extreme'])("any reasoning effort reaches a server of one's own: %s", async effort => {
  await models.callChat(routeTo('custom'), asking('x', { options: { reasoning_effort: effort } }))
  expect(sent()).toMatchObject({ reasoning_effort: effort })
})

test.each(['openai', 'azure', 'groq'])('an effort that is not known reaches %s as it is', async provider => {
  await models.callChat(routeTo(provider, 'gpt-5'), asking('x', { options: { reasoning_effort: 'extreme' } }))
  expect(sent()).toMatchObject({ reasoning_effort: 'extreme' })
})

test('an effort that is not known is refused for a provider with an interface of its own', async () => {
  const call = models.callChat(routeTo('anthropic'), asking('x', { options: { reasoning_effort: 'extreme' } }))
  await expect(call).rejects.toMatchObject({
    message: "reasoning_effort is 'extreme', which cannot be sent to anthropic",
    status: 400,
  })
})

test.each(SHAPED)('%s gets the reasoning of an earlier answer unless it would refuse the message', async provider => {
  const { message } = await models.callChat(routeTo('custom', 'fake-reasoning'), asking('Why?'))
  await models.callChat(routeTo(provider), { messages: [{ ...message }, { role: 'user', content: 'And?' }] })
  const refuses = ['openai', 'azure', 'groq'].includes(provider)
  const { reasoning_content: reasoning } = message
  expect(sent().messages[0].reasoning_content).toBe(refuses ? undefined : reasoning)
  expect(reasoning).toBe('The question is: Why?')
})

test('files keep their names', async () => {
  const file = { fileName: 'a.txt', fileData: 'data:text/plain;base64,eA==' }
  await models.callChat(routeTo('openai', 'gpt-4o'), asking([{ type: 'file', file }]))
  const [part] = sent().messages[0].content
  expect(part).toEqual({ type: 'file', file: { filename: 'a.txt', file_data: 'data:text/plain;base64,eA==' } })
})

test('how each provider is addressed', async () => {
  await models.callChat(routeTo('openai', 'gpt-4o'), asking('x'))
  expect(fake.requests.at(-1)).toMatchObject({
    path: '/v1/chat/completions',
    headers: { authorization: 'Bearer sk-test' },
  })
  await models.callChat(routeTo('custom', 'x', { key: '' }), asking('x'))
  expect(fake.requests.at(-1)?.headers).not.toHaveProperty('authorization')
  await models.callChat(routeTo('anthropic', 'claude-x'), asking('x'))
  expect(fake.requests.at(-1)).toMatchObject({ path: '/v1/messages', headers: { 'x-api-key': 'sk-test' } })
  await models.callChat(routeTo('azure', 'my-deployment', { url: `${fake.url}/`, version: '2024-06-01' }), asking('x'))
  expect(fake.requests.at(-1)).toMatchObject({
    path: '/openai/deployments/my-deployment/chat/completions?api-version=2024-06-01',
    headers: { 'api-key': 'sk-test' },
  })
  await models.callChat(routeTo('azure', 'other', { url: `${fake.url}/openai/v1/` }), asking('x'))
  expect(fake.requests.at(-1)?.path).toMatch(/^\/openai\/deployments\/other\/chat\/completions\?/)
})

test.each<[string, Partial<ProviderRoute>, string, object]>([
  ['gemini', {}, '/v1/models/m:generateContent', { 'x-goog-api-key': 'sk-test' }],
  ['cohere', {}, '/v1/chat', { authorization: 'Bearer sk-test' }],
  [
    'bedrock',
    { key: '', extras: { aws_access_key_id: 'AKIA', aws_secret_access_key: 's', aws_region_name: 'eu-west-1' } },
    '/v1/model/m/converse',
    { authorization: expect.stringMatching(/^AWS4-HMAC-SHA256 Credential=AKIA\/\d+\/eu-west-1\/bedrock\//) },
  ],
])('%s, whose interface the fake does not speak, is asked there', async (provider, more, path, headers) => {
  const request = asking('hello', { options: { temperature: 0.5, max_tokens: 9 } })
  await expect(models.callChat(routeTo(provider, 'm', more), request)).rejects.toMatchObject({ status: 404 })
  expect(fake.requests.at(-1)).toMatchObject({ method: 'POST', path, headers })
  expect(JSON.stringify(sent())).toContain('hello')
})

test.each([
  ['mistral', () => sent().response_format.json_schema, {}],
  ['openai', () => sent().text.format, { type: 'web_search' }],
])('%s is told whether a schema is strict', async (provider, format, tool) => {
  const schema = { type: 'object', properties: {}, additionalProperties: false }
  for (const strict of [true, false]) {
    const responseFormat = { type: 'json_schema', json_schema: { name: 'answer', strict, schema } }
    const tools = 'type' in tool ? [tool] : []
    await models.callChat(routeTo(provider, 'gpt-4o'), asking('x', { responseFormat, tools }))
    expect(format()).toMatchObject({ strict })
  }
})

test('Amazon gets no option twice, nor one of others', async () => {
  const options = { stop: 'END', parallel_tool_calls: false }
  await models.callChat(routeTo('bedrock', 'm'), asking('x', { options, tools: TOOLS })).catch(() => {})
  expect(Object.keys(sent()).toSorted()).toEqual(['inferenceConfig', 'messages', 'system', 'toolConfig'])
})

test('an address or a key of the environment is not used', async () => {
  const names = {
    OPENAI_BASE_URL: 'http://127.0.0.1:9',
    ANTHROPIC_BASE_URL: 'http://127.0.0.1:9',
    OPENAI_API_KEY: 'own',
    AWS_BEARER_TOKEN_BEDROCK: 'own',
  }
  Object.assign(process.env, names)
  try {
    await models.callChat(routeTo('openai', 'env-1'), asking('x'))
    expect(fake.requests.at(-1)?.headers.authorization).toBe('Bearer sk-test')
    await models.callChat(routeTo('custom', 'env-1', { key: '' }), asking('x'))
    expect(fake.requests.at(-1)?.headers).not.toHaveProperty('authorization')
    const extras = { aws_access_key_id: 'AKIA', aws_secret_access_key: 's' }
    await models.callChat(routeTo('bedrock', 'env-1', { key: '', extras }), asking('x')).catch(() => {})
    expect(fake.requests.at(-1)?.headers.authorization).toContain('AKIA')
  } finally {
    for (const name of Object.keys(names)) delete process.env[name]
  }
})

test('files are fetched for providers that do not fetch them themselves', async () => {
  const image = { type: 'image_url', image_url: { url: `${fake.url}/models` } }
  await expect(models.callChat(routeTo('gemini', 'm'), asking([image]))).rejects.toMatchObject({ status: 404 })
  const [part] = sent().contents[0].parts
  expect(part).toEqual({ inlineData: { mimeType: 'application/json', data: expect.any(String) } })
})

test('Anthropic gets its own form of messages, images, files and tools', async () => {
  const messages = [
    { role: 'system', content: 'Be brief.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is this?' },
        { type: 'image_url', image_url: { url: 'https://example.org/a.png' } },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
        { type: 'file', file: { file_data: 'data:application/pdf;base64,JVBERg==', filename: 'a.pdf' } },
      ],
    },
  ]
  await models.callChat(routeTo('anthropic', 'claude-x'), {
    messages,
    tools: TOOLS,
    toolChoice: 'required',
    options: { max_tokens: 10, stop: 'END' },
  })
  expect(sent()).toMatchObject({
    max_tokens: 10,
    stop_sequences: ['END'],
    system: [{ type: 'text', text: 'Be brief.' }],
    tool_choice: { type: 'any' },
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'image', source: { type: 'url', url: 'https://example.org/a.png' } },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
          {
            type: 'document',
            title: 'a.pdf',
            source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERg==' },
          },
        ],
      },
    ],
  })
  expect(sent().tools).toMatchObject([{ name: 'get_weather', input_schema: { required: ['city'] } }])
})

test('texts of no characters are not sent to providers that refuse them', async () => {
  const messages: ChatMessage[] = [
    { role: 'system', content: '' },
    {
      role: 'user',
      content: [
        { type: 'text', text: '' },
        { type: 'text', text: 'a' },
      ],
    },
    { role: 'assistant', content: '' },
    { role: 'user', content: 'b' },
  ]
  const [a, b] = [{ text: 'a' }, { text: 'b' }]
  await models.callChat(routeTo('anthropic', 'claude-x'), { messages })
  expect(sent()).not.toHaveProperty('system')
  // The package joins messages of the user.
  const content = [
    { type: 'text', ...a },
    { type: 'text', ...b },
  ]
  expect(sent().messages).toEqual([{ role: 'user', content }])
  await expect(models.callChat(routeTo('gemini', 'm'), { messages })).rejects.toMatchObject({ status: 404 })
  expect(sent()).not.toHaveProperty('systemInstruction')
  expect(sent().contents).toEqual([
    { role: 'user', parts: [a] },
    { role: 'user', parts: [b] },
  ])
})

test.each<[ChatMessage, string]>([
  [{ role: 'constructor', content: 'x' }, "messages[0].role is 'constructor', which cannot be sent to anthropic"],
  [{ role: '__proto__', content: 'x' }, "messages[0].role is '__proto__', which cannot be sent to anthropic"],
  [
    { role: 'user', content: [{ type: 'toString' }] },
    "messages[0].content[0].type is 'toString', which cannot be sent to anthropic",
  ],
  [
    { role: 'user', content: [{ type: 'hologram' }] },
    "messages[0].content[0].type is 'hologram', which cannot be sent to anthropic",
  ],
  [
    {
      role: 'system',
      content: [
        { type: 'text', text: '' },
        { type: 'image_url', image_url: { url: 'https://x.test/y.png' } },
      ],
    },
    "messages[0].content[1].type is 'file', which cannot be sent to anthropic",
  ],
  [{ role: 'critic', content: 'x' }, "messages[0].role is 'critic', which cannot be sent to anthropic"],
  [
    { role: 'user', content: [{ type: 'image_url', image_url: { url: 'nowhere' } }] },
    'messages[0].content[0].image_url.url must be an https address or a data URI',
  ],
  [
    { role: 'assistant', tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{' } }] },
    'messages[0].tool_calls[0].function.arguments must be JSON',
  ],
])('what Anthropic cannot take: %j', async (message, text) => {
  const call = models.callChat(routeTo('anthropic', 'claude-x'), { messages: [message] })
  await expect(call).rejects.toMatchObject({ message: text, category: 'other', status: 400 })
})

test("tools that only OpenAI's responses have are called there", async () => {
  const tools = [{ type: 'web_search_preview' }, ...TOOLS]
  const request = asking('What is the weather in Oslo?', { tools })
  const { message } = await models.callChat(routeTo('openai', 'gpt-4o'), request)
  expect(fake.requests.at(-1)).toMatchObject({ path: '/v1/responses' })
  expect(sent().tools).toEqual([{ type: 'web_search_preview' }, { type: 'function', ...TOOLS[0]?.function }])
  expect(message.tool_calls).toMatchObject([{ function: { name: 'get_weather', arguments: '{"city":"Oslo"}' } }])
  const events: ChatEvent[] = []
  const streamed = await models.callChat(routeTo('openai', 'gpt-4o'), asking('What is 2 + 2?', { tools }), event =>
    events.push(event),
  )
  expect(streamed.message).toEqual({ role: 'assistant', content: '2 + 2 = 4' })
})

test.each<[string, unknown]>([
  ['messages[0].content must be a string or a list of parts', { content: 5 }],
  ['messages[0].content[0] must be an object with a type', { content: ['x'] }],
  ['messages[0].content[0] must be an object with a type', { content: [null] }],
  ['messages[0].content[0] must be an object with a type', { content: [{ text: 'x' }] }],
  ['messages[0].content[0].text must be a string', { content: [{ type: 'text', text: { a: 1 } }] }],
  ['messages[0].tool_calls must be a list of calls of functions', { role: 'assistant', tool_calls: {} }],
  ['messages[0].tool_calls must be a list of calls of functions', { role: 'assistant', tool_calls: [null] }],
  ['messages[0].tool_calls must be a list of calls of functions', { role: 'assistant', tool_calls: [{ id: 'a' }] }],
])('%s', async (message, malformed) => {
  const messages = [{ role: 'user', ...(malformed as object) } as ChatMessage]
  await expect(models.callChat(routeTo('anthropic'), { messages })).rejects.toMatchObject({ message, status: 400 })
})

test('a part that is none is left to an OpenAI-compatible provider', async () => {
  const content = [null, { type: 'text', text: 'x' }] as unknown as ChatMessage['content']
  await models.callChat(routeTo('custom'), asking(content))
  expect(sent().messages).toEqual([{ role: 'user', content }])
})
