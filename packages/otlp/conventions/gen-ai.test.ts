import type { JsonObject } from '@spanhouse/model'
import { describe, expect, test } from 'vitest'
import { spanOf } from './drafts.testing.ts'
import { conversationIn } from './messages/gen-ai-events.ts'
import { agOf, at } from './recognised.testing.ts'

const operation = (name: unknown, type: string): [string, unknown, JsonObject] => [
  'gen_ai.operation.name',
  name,
  at('type.span', type),
]
const moved = (from: string, to: string, value: unknown = 'x'): [string, unknown, JsonObject] => [
  from,
  value,
  at(to, value),
]

/** Tokens without a total have one. */
const used = (from: string, kind: string): [string, unknown, JsonObject] => [
  from,
  5,
  at('metrics.tokens.incremental', { [kind]: 5, total: 5 }),
]

const ROWS: [attribute: string, value: unknown, ag: JsonObject][] = [
  operation('chat', 'chat'),
  operation('text_completion', 'completion'),
  operation('generate_content', 'completion'),
  operation('embeddings', 'embedding'),
  operation('execute_tool', 'tool'),
  operation('create_agent', 'agent'),
  operation('invoke_agent', 'agent'),
  operation('invoke_workflow', 'workflow'),
  operation('retrieval', 'query'),
  operation('rerank', 'rerank'),
  operation('plan', 'task'),
  operation(5, 'task'),
  moved('gen_ai.request.type', 'type.span', 'completion'),
  ['gen_ai.request.type', 'Chat', at('unsupported.type.span', 'Chat')],
  ...['model', 'max_tokens', 'temperature', 'top_p', 'top_k', 'presence_penalty', 'stop_sequences']
    .concat('base_url', 'endpoint', 'headers', 'streaming')
    .map(name => moved(`gen_ai.request.${name}`, `meta.request.${name}`)),
  moved('gen_ai.response.model', 'meta.response.model'),
  moved('gen_ai.response.finish_reasons', 'meta.response.finish_reasons', ['stop']),
  moved('gen_ai.system', 'meta.system'),
  moved('gen_ai.provider.name', 'meta.provider.name'),
  moved('gen_ai.output.type', 'meta.output.type'),
  moved('gen_ai.system_instructions', 'meta.system_instructions', '[{"type":"text"}]'),
  moved('gen_ai.conversation.id', 'session.id'),
  moved('gen_ai.agent.id', 'agent.id'),
  moved('gen_ai.agent.description', 'meta.agent.description'),
  used('gen_ai.usage.input_tokens', 'prompt'),
  used('gen_ai.usage.prompt_tokens', 'prompt'),
  used('gen_ai.usage.output_tokens', 'completion'),
  used('gen_ai.usage.completion_tokens', 'completion'),
  moved('gen_ai.usage.total_tokens', 'metrics.tokens.incremental.total', 5),
  moved('gen_ai.usage.cache_read.input_tokens', 'metrics.tokens.incremental.cache_read', 5),
  moved('gen_ai.usage.cache_read_input_tokens', 'metrics.tokens.incremental.cache_read', 5),
  moved('gen_ai.usage.details.cache_read_tokens', 'metrics.tokens.incremental.cache_read', 5),
  moved('gen_ai.usage.cache_creation.input_tokens', 'metrics.tokens.incremental.cache_creation', 5),
  moved('gen_ai.usage.cache_creation_input_tokens', 'metrics.tokens.incremental.cache_creation', 5),
  moved('gen_ai.usage.details.cache_write_tokens', 'metrics.tokens.incremental.cache_creation', 5),
  moved('gen_ai.tool.call.id', 'meta.tool.call.id'),
  moved('gen_ai.tool.call.arguments', 'meta.tool.call.arguments'),
  moved('gen_ai.tool.call.result', 'meta.tool.call.result'),
  ...['tool_arguments', 'tool_response', 'agent_name', 'model_name'].map(name => moved(name, `meta.${name}`)),
]

const MESSAGES = [
  { role: 'system', parts: [{ type: 'text', content: 'Be brief.' }] },
  { role: 'user', content: 'Rain?' },
]

/** `{ role, parts }` as sent and as stored. */
const NORMALISED: [string, unknown[], unknown[]][] = [
  ['content stays', [{ role: 'user', content: 'a', name: 'n' }], [{ role: 'user', content: 'a', name: 'n' }]],
  ['no parts', [{ role: 'user' }], [{ role: 'user', content: '' }]],
  ['empty parts', [{ role: 'user', parts: [] }], [{ role: 'user', content: '' }]],
  [
    'text parts are joined',
    [
      {
        role: 'user',
        parts: [
          { type: 'text', content: 'a' },
          { type: 'text', content: 'b' },
        ],
      },
    ],
    [{ role: 'user', content: 'a b' }],
  ],
  [
    'who speaks, and calls beside the parts, stay',
    [
      {
        role: 'assistant',
        name: 'n',
        parts: [
          { type: 'text', content: 'a' },
          { type: 'tool_call', id: '2', name: 'g' },
        ],
        tool_calls: [{ id: '1', function: { name: 'f' } }],
      },
    ],
    [
      {
        role: 'assistant',
        content: 'a',
        name: 'n',
        tool_calls: [
          { id: '1', function: { name: 'f' } },
          { id: '2', type: 'function', function: { name: 'g' } },
        ],
      },
    ],
  ],
  [
    'images and files stay',
    [
      {
        role: 'user',
        parts: [
          { type: 'text', content: 'a' },
          { type: 'blob', mime_type: 'image/png', data: 'aGk=' },
        ],
      },
    ],
    [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'blob', mime_type: 'image/png', data: 'aGk=' },
        ],
      },
    ],
  ],
  [
    'tool calls',
    [
      {
        role: 'assistant',
        parts: [{ type: 'tool_call', id: '1', name: 'f', arguments: { x: 1 } }],
        finish_reason: 'tool',
      },
    ],
    [
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ id: '1', type: 'function', function: { name: 'f', arguments: { x: 1 } } }],
        finish_reason: 'tool',
      },
    ],
  ],
  [
    'answers of tools beside text',
    [
      {
        role: 'user',
        parts: [
          { type: 'tool_call_response', id: '1', name: 'f', result: 42 },
          { type: 'text', content: 'And now?' },
          { type: 'tool_call_response', id: '2', response: 'ok' },
        ],
      },
    ],
    [
      { role: 'tool', content: 42, tool_call_id: '1', name: 'f' },
      { role: 'tool', content: 'ok', tool_call_id: '2' },
      { role: 'user', content: 'And now?' },
    ],
  ],
  [
    'the calls of an agent, their answers and what it says then',
    [
      {
        role: 'assistant',
        parts: [
          { type: 'text', content: 'I look.' },
          { type: 'tool_call', id: '1', name: 'f', arguments: { x: 1 } },
          { type: 'tool_call', id: '2', name: 'g' },
          { type: 'tool_call_response', id: '1', response: 'ok' },
          { type: 'tool_call_response', id: '2', response: 'no' },
          { type: 'reasoning', content: 'hm' },
          { type: 'text', content: 'yes' },
        ],
        finish_reason: 'stop',
      },
    ],
    [
      {
        role: 'assistant',
        content: 'I look.',
        tool_calls: [
          { id: '1', type: 'function', function: { name: 'f', arguments: { x: 1 } } },
          { id: '2', type: 'function', function: { name: 'g' } },
        ],
      },
      { role: 'tool', content: 'ok', tool_call_id: '1' },
      { role: 'tool', content: 'no', tool_call_id: '2' },
      { role: 'assistant', content: 'yes', thinking: 'hm', finish_reason: 'stop' },
    ],
  ],
  [
    'the calls of an agent that ends with their answers',
    [
      {
        role: 'assistant',
        parts: [
          { type: 'tool_call', id: '1', name: 'f' },
          { type: 'tool_call_response', id: '1', response: 'ok' },
        ],
        finish_reason: 'length',
      },
    ],
    [
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ id: '1', type: 'function', function: { name: 'f' } }],
        finish_reason: 'length',
      },
      { role: 'tool', content: 'ok', tool_call_id: '1' },
    ],
  ],
  [
    'answers of tools alone',
    [{ role: 'user', parts: [{ type: 'tool_call_response', id: '1', name: 'f', result: 'x' }] }],
    [{ role: 'tool', content: 'x', tool_call_id: '1', name: 'f' }],
  ],
  [
    'thinking',
    [
      {
        role: 'assistant',
        parts: [
          { type: 'thinking', content: 'hm' },
          { type: 'text', content: 'yes' },
        ],
      },
    ],
    [{ role: 'assistant', content: 'yes', thinking: 'hm' }],
  ],
  ['what is no object', ['a', null, 3, { role: 'user', content: 'b' }], [{ role: 'user', content: 'b' }]],
]

describe('GenAI', () => {
  test.each(ROWS)('%s: %j', (key, value, ag) => {
    expect(agOf({ [key]: value } as JsonObject)).toEqual(ag)
  })

  test.each<[string, JsonObject, string]>([
    ['operation last', { 'gen_ai.request.type': 'completion', 'gen_ai.operation.name': 'chat' }, 'chat'],
    ['request type last', { 'gen_ai.operation.name': 'chat', 'gen_ai.request.type': 'completion' }, 'completion'],
  ])('the later type wins: %s', (_, sent, type) => {
    expect(agOf(sent).type).toEqual({ span: type })
  })

  test.each<[number, number, number | undefined, number | undefined]>([
    [10, 5, undefined, 15],
    [10, 5, 16, 16],
    [10, 0, undefined, 10],
    [0, 5, undefined, 5],
  ])('total of %s and %s, sent %s: %s', (input, output, sent, total) => {
    const attributes = {
      'gen_ai.usage.input_tokens': input,
      'gen_ai.usage.output_tokens': output,
      ...(sent === undefined ? {} : { 'gen_ai.usage.total_tokens': sent }),
    }
    const incremental = { prompt: input, completion: output, ...(total === undefined ? {} : { total }) }
    expect(agOf(attributes).metrics).toEqual({ tokens: { incremental } })
  })

  test.each([
    ['JSON text', JSON.stringify(MESSAGES)],
    ['a list', MESSAGES],
  ])('messages as %s', (_, sent) => {
    const attributes = { 'gen_ai.input.messages': sent, 'gen_ai.output.messages': sent } as JsonObject
    const messages = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Rain?' },
    ]
    expect(agOf(attributes).data).toEqual({ inputs: { prompt: messages }, outputs: { completion: messages } })
  })

  test.each<[string, number[], number[]]>([
    ['as many as the prompt has', [140, 24, 164, 100], [140, 24, 164, 100]],
    ['more than the prompt has', [40, 24, 64, 100], [140, 24, 164, 100]],
    ['more, which the total contains', [40, 24, 164, 100], [140, 24, 164, 100]],
    ['fewer, which the total contains', [40, 24, 94, 30], [70, 24, 94, 30]],
    ['fewer, which the total does not contain', [40, 24, 64, 30], [40, 24, 64, 30]],
  ])('cached tokens, %s', (_, sent, stored) => {
    const [input, output, total, cached] = sent as [number, number, number, number]
    const [prompt, completion, sum, cache_read] = stored
    const attributes = {
      'gen_ai.usage.input_tokens': input,
      'gen_ai.usage.output_tokens': output,
      'gen_ai.usage.total_tokens': total,
      'gen_ai.usage.cache_read.input_tokens': cached,
    }
    expect(agOf(attributes).metrics).toEqual({
      tokens: { incremental: { prompt, completion, total: sum, cache_read } },
    })
  })

  test('a call of Bedrock without an operation', () => {
    const sent = { 'rpc.service': 'BedrockRuntime', 'gen_ai.request.model': 'm' }
    expect(agOf(sent).type).toEqual({ span: 'chat' })
    expect(agOf({ ...sent, 'gen_ai.operation.name': 'embeddings' }).type).toEqual({ span: 'embedding' })
    expect(agOf({ 'gen_ai.request.model': 'm', 'gen_ai.usage.input_tokens': 5 }).type).toBeUndefined()
  })

  test('messages that are no JSON stay where they were sent', () => {
    expect(agOf({ 'gen_ai.input.messages': 'oops' })).toEqual({})
  })

  test.each<[string, unknown]>([
    ['sunny', 'sunny'],
    ['["sunny","rain"]', ['sunny', 'rain']],
    ['42', '42'],
  ])('the texts of an embedding, in place of messages: %s', (sent, input) => {
    const found = agOf({ 'gen_ai.operation.name': 'embeddings', 'gen_ai.input.messages': sent })
    expect(found).toMatchObject({ data: { inputs: { input } } })
  })

  test.each(NORMALISED)('message: %s', (_, sent, kept) => {
    const { inputs } = agOf({ 'gen_ai.input.messages': JSON.stringify(sent) }).data as { inputs: JsonObject }
    expect(inputs.prompt).toEqual(kept)
  })

  test.each<[string, JsonObject, JsonObject]>([
    ['name alone', {}, { inputs: { name: 'f' } }],
    [
      'arguments and result of the call',
      { 'gen_ai.tool.call.arguments': '{"x":1}', 'gen_ai.tool.call.result': '42' },
      { inputs: { name: 'f', arguments: { x: 1 } }, outputs: 42 },
    ],
    [
      'those of Logfire come first',
      {
        'gen_ai.tool.call.arguments': '{"x":1}',
        tool_arguments: '{"x":2}',
        'gen_ai.tool.call.result': 'a',
        tool_response: 'sunny',
      },
      { inputs: { name: 'f', arguments: { x: 2 } }, outputs: 'sunny' },
    ],
    [
      'messages come before',
      { 'gen_ai.input.messages': [{ role: 'user', content: 'q' }], tool_response: 'x' },
      { inputs: { prompt: [{ role: 'user', content: 'q' }] } },
    ],
  ])('tool: %s', (_, sent, data) => {
    expect(agOf({ 'gen_ai.tool.name': 'f', ...sent })).toMatchObject({ meta: { tool: { name: 'f' } }, data })
    expect(agOf({ 'gen_ai.tool.name': 'f', ...sent }).data).toEqual(data)
  })

  const conversation = [
    { role: 'user', content: 'one' },
    { role: 'assistant', content: 'two' },
    { role: 'user', content: 'three' },
    { role: 'assistant', content: 'four' },
  ]
  const run = { 'gen_ai.operation.name': 'invoke_agent' }

  test.each<[string, JsonObject, JsonObject]>([
    [
      'split at the last question',
      { ...run, 'pydantic_ai.all_messages': JSON.stringify(conversation), final_result: 'x' },
      { inputs: { prompt: conversation.slice(0, 3) }, outputs: { completion: conversation.slice(3) } },
    ],
    [
      'nothing after the last question',
      { ...run, 'pydantic_ai.all_messages': JSON.stringify(conversation.slice(0, 3)), final_result: 'x' },
      { inputs: { prompt: conversation.slice(0, 3) }, outputs: { completion: 'x' } },
    ],
    [
      'no question',
      { ...run, 'pydantic_ai.all_messages': JSON.stringify(conversation.slice(1, 2)) },
      { outputs: { completion: conversation.slice(1, 2) } },
    ],
    ['no messages', { final_result: 'done' }, { outputs: { completion: 'done' } }],
    ['not an agent', { 'gen_ai.operation.name': 'chat', 'pydantic_ai.all_messages': JSON.stringify(conversation) }, {}],
  ])('agent: %s', (_, sent, data) => {
    expect(agOf(sent).data ?? {}).toEqual(data)
  })

  const events = [
    { 'event.name': 'gen_ai.system.message', content: 'Be brief.', role: 'system', 'gen_ai.message.index': 0 },
    { 'event.name': 'gen_ai.user.message', content: 'Rain?' },
    { 'event.name': 'gen_ai.assistant.message', role: 'assistant', tool_calls: [{ id: '1' }] },
    { 'event.name': 'gen_ai.choice', index: 0, message: { role: 'assistant', content: 'No.' } },
    { 'event.name': 'gen_ai.choice', index: 1, message: { role: 'assistant', content: 'Yes.' } },
  ]

  test.each(['events', 'all_messages_events'])('events in the attribute %s', key => {
    expect(agOf({ [key]: JSON.stringify(events) }).data).toEqual({
      inputs: {
        prompt: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'Rain?' },
          { role: 'assistant', tool_calls: [{ id: '1' }] },
        ],
      },
      outputs: { completion: [{ role: 'assistant', content: 'No.' }] },
    })
  })

  test('an event may have content in blocks and tool calls beside it', () => {
    const tool_calls = [{ id: '1', type: 'function', function: { name: 'f', arguments: '{}' } }]
    const attributes = { content: '[{"type":"text","text":"I look."}]', tool_calls: JSON.stringify(tool_calls) }
    const { prompt } = conversationIn([{ name: 'gen_ai.assistant.message', timestamp: 0, attributes }])
    expect(prompt).toEqual([{ role: 'assistant', content: 'I look.', tool_calls }])
  })

  const messagesIn = (name: string, attributes: JsonObject) =>
    conversationIn([{ name: `gen_ai.${name}`, timestamp: 0, attributes }])

  test.each(['gen_ai.event.content', 'event_body'])('an event may have its members in the attribute %s', key => {
    const attributes = { [key]: '{"content":"Rain?"}', 'gen_ai.system': 'm' }
    expect(messagesIn('user.message', attributes).prompt).toEqual([{ role: 'user', content: 'Rain?' }])
    const choice = { [key]: '{"message":{"content":"No."},"finish_reason":"stop"}' }
    expect(messagesIn('choice', choice).completion).toEqual([
      { role: 'assistant', content: 'No.', finish_reason: 'stop' },
    ])
    expect(messagesIn('user.message', { [key]: 'cut {', content: 'Rain?' }).prompt).toHaveLength(1)
  })

  test('calls and results of tools in events, also in the blocks of Bedrock', () => {
    const answer = { role: 'tool', tool_call_id: 'c1', content: 'sunny' }
    expect(messagesIn('tool.message', { id: 'c1', content: 'sunny' }).prompt).toEqual([answer])
    const result = { toolResult: { toolUseId: 'c1', content: [{ text: 'sunny' }] } }
    expect(messagesIn('user.message', { content: JSON.stringify([result]) }).prompt).toEqual([answer])
    const use = { toolUse: { toolUseId: 'c1', name: 'weather', input: { city: 'Bari' } } }
    const message = { role: 'assistant', content: [{ text: 'I look.' }, use] }
    const call = { id: 'c1', type: 'function', function: { name: 'weather', arguments: { city: 'Bari' } } }
    expect(messagesIn('choice', { message: JSON.stringify(message) }).completion).toEqual([
      { role: 'assistant', content: 'I look.', tool_calls: [call] },
    ])
  })

  test('what was asked and answered, in events of the first versions', () => {
    expect(messagesIn('content.prompt', { 'gen_ai.prompt': 'Rain?' }).prompt).toEqual([
      { role: 'user', content: 'Rain?' },
    ])
    const messages = [{ role: 'system', content: 'Be brief.' }]
    expect(messagesIn('content.prompt', { 'gen_ai.prompt': JSON.stringify(messages) }).prompt).toEqual(messages)
    expect(messagesIn('content.completion', { 'gen_ai.completion': 'No.' }).completion).toEqual([
      { role: 'assistant', content: 'No.' },
    ])
    expect(messagesIn('content.completion', {})).toEqual({ prompt: [], completion: [] })
  })

  test('the call of a tool and its result may be in events', () => {
    const sent = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'weather' }
    const dataOf = (choice: JsonObject, more: JsonObject = {}) => {
      const call = { name: 'gen_ai.tool.message', timestamp: 0, attributes: { content: '{"city":"Bari"}' } }
      const events = [call, { name: 'gen_ai.choice', timestamp: 0, attributes: choice }]
      return spanOf({ ...sent, ...more }, { isInstrumented: true, events }).attributes.ag.data
    }
    const data = { inputs: { name: 'weather', arguments: { city: 'Bari' } }, outputs: 'sunny' }
    expect(dataOf({ message: '[{"text":"sunny"}]' })).toEqual(data)
    expect(dataOf({ message: 'rain', content: 'sunny' })).toEqual(data)
    expect(dataOf({ content: 'sunny' }, { tool_arguments: '{"city":"Rome"}' })).toEqual({
      ...data,
      inputs: { name: 'weather', arguments: { city: 'Rome' } },
    })
  })

  test('the cost of a call', () => {
    expect(agOf({ 'gen_ai.operation.name': 'chat', 'gen_ai.usage.cost': '0.25' }).metrics).toEqual({
      costs: { incremental: { total: 0.25 } },
    })
  })

  test('a cost of zero means that its sender knows no price', () => {
    for (const key of ['gen_ai.usage.cost', 'gen_ai.cost.input_cost', 'gen_ai.cost.total_cost'])
      expect(agOf({ 'gen_ai.operation.name': 'chat', [key]: 0 }).metrics).toBeUndefined()
  })

  test('the costs of a call, as LiteLLM sends them', () => {
    const costs = {
      'gen_ai.cost.input_cost': 0.25,
      'gen_ai.cost.output_cost': 0.5,
      'gen_ai.cost.tool_usage_cost': 0.125,
      'gen_ai.cost.total_cost': 0.875,
    }
    expect(agOf({ 'gen_ai.operation.name': 'chat', ...costs }).metrics).toEqual({
      costs: { incremental: { prompt: 0.25, completion: 0.5, total: 0.875 } },
    })
  })

  test('an event may have any number of messages', () => {
    const messages = Array.from({ length: 200_000 }, () => ({ role: 'user', content: 'q' }))
    const attributes = { 'gen_ai.input.messages': JSON.stringify(messages) }
    const { prompt } = conversationIn([{ name: 'gen_ai.client.inference.operation.details', timestamp: 0, attributes }])
    expect(prompt).toHaveLength(200_000)
    expect(prompt.at(-1)).toEqual({ role: 'user', content: 'q' })
  })

  test('the instructions in an event are its first message', () => {
    const attributes = {
      'gen_ai.system_instructions': '[{"type":"text","content":"Be brief."}]',
      'gen_ai.input.messages': '[{"role":"user","parts":[{"type":"text","content":"Rain?"}]}]',
    }
    const { prompt } = conversationIn([{ name: 'gen_ai.client.inference.operation.details', timestamp: 0, attributes }])
    expect(prompt).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Rain?' },
    ])
  })

  test('instructions without a value are no message', () => {
    const messages = [{ role: 'user', content: 'Rain?' }]
    const sent = { 'gen_ai.system_instructions': null, 'gen_ai.input.messages': JSON.stringify(messages) }
    expect(agOf(sent).data).toEqual({ inputs: { prompt: messages } })
  })

  test('other events are nobody’s messages', () => {
    expect(agOf({ events: '[{"name":"click"}]' })).toEqual({})
    expect(agOf({ events: 'many' })).toEqual({})
  })
})
