import type { JsonObject } from '@spanhouse/model'
import { describe, expect, test } from 'vitest'
import { agOf, at } from './recognised.testing.ts'

const kind = (sent: unknown, type: string): [string, unknown, JsonObject] => [
  'openinference.span.kind',
  sent,
  at('type.span', type),
]
const moved = (from: string, to: string, value: unknown = 'x'): [string, unknown, JsonObject] => [
  from,
  value,
  at(to, value),
]

const ROWS: [attribute: string, value: unknown, ag: JsonObject][] = [
  kind('CHAIN', 'chain'),
  kind('RETRIEVER', 'query'),
  kind('RERANKER', 'rerank'),
  kind('LLM', 'chat'),
  kind('llm', 'chat'),
  kind('EMBEDDING', 'embedding'),
  kind('AGENT', 'agent'),
  kind('TOOL', 'tool'),
  kind('GUARDRAIL', 'task'),
  kind('EVALUATOR', 'task'),
  ['openinference.span.kind', 'PROMPT', {}],
  ['openinference.span.kind', 3, {}],
  ['input.value', '{"q":1}', at('data.inputs', { q: 1 })],
  ['input.value', 'text', at('data.inputs', { input: 'text' })],
  ['input.value', '[1]', at('data.inputs', { input: [1] })],
  ['output.value', '{"a":1}', at('data.outputs', { a: 1 })],
  moved('output.value', 'data.outputs', 'text'),
  moved('llm.cost.total', 'metrics.costs.incremental.total', 0.5),
  ['llm.cost.prompt', 0.5, at('metrics.costs.incremental', { prompt: 0.5, total: 0.5 })],
  moved('input.mime_type', 'meta.input.mime_type'),
  moved('output.mime_type', 'meta.output.mime_type'),
  moved('llm.model_name', 'meta.response.model'),
  moved('embedding.model_name', 'meta.request.model'),
  moved('llm.invocation_parameters', 'meta.request', '{"temperature":0}'),
  moved('llm.provider', 'meta.provider'),
  moved('llm.system', 'meta.system'),
  ['llm.token_count.prompt', 1, at('metrics.tokens.incremental', { prompt: 1, total: 1 })],
  ['llm.token_count.completion', 2, at('metrics.tokens.incremental', { completion: 2, total: 2 })],
  moved('llm.token_count.total', 'metrics.tokens.incremental.total', 3),
  moved('llm.token_count.prompt_details.cache_read', 'metrics.tokens.incremental.prompt_details.cache_read', 4),
  ['llm.input_messages.0.message.role', 'user', at('data.inputs.prompt', [{ role: 'user' }])],
  [
    'llm.input_messages.0.message.contents.0.message_content.type',
    'text',
    at('data.inputs.prompt', [{ contents: [{ message_content: { type: 'text' } }] }]),
  ],
  ['llm.output_messages.0.message.content', 'hi', at('data.outputs.completion', [{ content: 'hi' }])],
  [
    'llm.output_messages.0.message.tool_calls.1.tool_call.function.name',
    'f',
    at('data.outputs.completion', [{ tool_calls: [{}, { function: { name: 'f' } }] }]),
  ],
  ['llm.tools.0.tool.json_schema', '{"name":"t"}', at('data.inputs.tools', [{ name: 't' }])],
  ['llm.tools.0.tool.json_schema', '{broken', at('data.inputs.tools', [{ tool: { json_schema: '{broken' } }])],
  moved('llm.function_call', 'data.outputs.function_call'),
  moved('embedding.text', 'data.inputs.embedding.text'),
  moved('embedding.vector', 'data.outputs.embedding.vector', [0.5, 1]),
  ['embedding.embeddings.0.embedding.text', 'x', at('data.inputs.embeddings', [{ embedding: { text: 'x' } }])],
  ['retrieval.documents.0.document.score', 0.5, at('data.outputs.retrieval.documents', [{ document: { score: 0.5 } }])],
  [
    'reranker.input_documents.0.document.id',
    'd',
    at('data.inputs.reranker.input_documents', [{ document: { id: 'd' } }]),
  ],
  [
    'reranker.output_documents.0.document.id',
    'd',
    at('data.outputs.reranker.output_documents', [{ document: { id: 'd' } }]),
  ],
  moved('reranker.model_name', 'meta.reranker.model_name'),
  moved('reranker.query', 'meta.reranker.query'),
  moved('reranker.top_k', 'meta.reranker.top_k', 3),
  ['message.contents.0.type', 'text', at('data.inputs.message_contents', [{ type: 'text' }])],
  moved('document.content', 'data.internals.document.content'),
  moved('document.id', 'data.internals.document.id'),
  moved('document.metadata', 'data.internals.document.metadata'),
  moved('document.score', 'data.internals.document.score', 0.25),
  moved('image.url', 'unsupported.data.multimedia.image.url'),
  moved('audio.url', 'unsupported.data.multimedia.audio.url'),
  moved('audio.transcript', 'unsupported.data.multimedia.audio.transcript'),
  moved('audio.mime_type', 'meta.multimedia.audio.mime_type'),
  moved('llm.prompt_template.template', 'meta.prompt_template.template'),
  moved('llm.prompt_template.variables', 'meta.prompt_template.variables', '{"a":1}'),
  moved('llm.prompt_template.version', 'meta.prompt_template.version'),
  ...['name', 'description', 'json_schema', 'id', 'parameters'].map(name => moved(`tool.${name}`, `meta.tool.${name}`)),
  moved('tool_call.function.arguments', 'data.inputs.tool_call.function.arguments', '{}'),
  moved('tool_call.function.name', 'meta.tool_call.function.name'),
  moved('tool_call.id', 'meta.tool_call.id'),
  moved('session.id', 'session.id'),
  moved('user.id', 'user.id'),
  moved('tag.tags', 'meta.tags', ['a', 'b']),
  moved('metadata', 'meta.metadata', '{"a":1}'),
  moved('exception.type', 'exception.type'),
  moved('exception.message', 'exception.message'),
  moved('exception.stacktrace', 'exception.stacktrace'),
  moved('exception.escaped', 'exception.escaped', true),
]

describe('OpenInference', () => {
  test.each(ROWS)('%s: %j', (key, value, ag) => {
    expect(agOf({ [key]: value } as JsonObject)).toEqual(ag)
  })

  const messages = {
    'llm.input_messages.0.message.content': 'hello',
    'llm.output_messages.0.message.content': 'hi',
    'input.value': '{"messages":[]}',
    'output.value': '{"choices":[]}',
  }

  test.each<[string, JsonObject, JsonObject]>([
    [
      'with messages of both kinds',
      { 'openinference.span.kind': 'LLM', ...messages },
      { inputs: { prompt: [{ content: 'hello' }] }, outputs: { completion: [{ content: 'hi' }] } },
    ],
    [
      'with the prompt alone',
      { 'openinference.span.kind': 'LLM', ...messages, 'llm.output_messages.0.message.content': null },
      { inputs: { prompt: [{ content: 'hello' }] }, outputs: { choices: [] } },
    ],
    [
      'that is no call to a model',
      { 'openinference.span.kind': 'CHAIN', ...messages },
      {
        inputs: { messages: [], prompt: [{ content: 'hello' }] },
        outputs: { choices: [], completion: [{ content: 'hi' }] },
      },
    ],
  ])('messages replace the raw request and response of a span %s', (_, sent, data) => {
    expect(agOf(sent).data).toEqual(data)
  })

  test.each<[string | undefined, unknown, unknown]>([
    ['text/plain', { input: '{"q":1}' }, '[{"a":1}]'],
    ['Text/Plain; charset=utf-8', { input: '{"q":1}' }, '[{"a":1}]'],
    ['application/json', { q: 1 }, [{ a: 1 }]],
    [undefined, { q: 1 }, [{ a: 1 }]],
  ])('JSON text that is declared as %s', (type, inputs, outputs) => {
    const types: JsonObject = type === undefined ? {} : { 'input.mime_type': type, 'output.mime_type': type }
    expect(agOf({ 'input.value': '{"q":1}', 'output.value': '[{"a":1}]', ...types }).data).toEqual({ inputs, outputs })
  })

  test('plain text inputs do not displace what is said of them in detail', () => {
    const sent = { 'input.value': 'a text', 'embedding.embeddings.0.embedding.text': 'a text' }
    expect(agOf(sent)).toEqual({
      data: { inputs: { embeddings: [{ embedding: { text: 'a text' } }] } },
    })
  })

  test('the texts in the parts of a message are its content', () => {
    const part = 'llm.input_messages.0.message.contents'
    const sent = {
      [`${part}.0.message_content.text`]: 'What is',
      [`${part}.1.message_content.image.image.url`]: 'http://example/a.png',
      [`${part}.2.message_content.text`]: 'this?',
    }
    expect(agOf(sent).data).toMatchObject({
      inputs: { prompt: [{ content: 'What is this?', contents: [{}, { message_content: { image: {} } }, {}] }] },
    })
  })

  test('thoughts are not part of the answer', () => {
    const part = 'llm.output_messages.0.message.contents'
    const sent = {
      [`${part}.0.message_content.type`]: 'reasoning',
      [`${part}.0.message_content.text`]: 'Hm.',
      [`${part}.1.message_content.type`]: 'text',
      [`${part}.1.message_content.text`]: 'No.',
    }
    expect(agOf(sent).data).toMatchObject({ outputs: { completion: [{ content: 'No.', thinking: 'Hm.' }] } })
  })

  describe('messages of which only the role is sent', () => {
    const LLM = { 'openinference.span.kind': 'LLM' }
    const role = (list: string, index: number, name: string): JsonObject => ({
      [`llm.${list}_messages.${index}.message.role`]: name,
    })
    const image = { type: 'image_url', image_url: { url: 'http://example/a.png' } }
    const lc = (content: unknown): unknown => ({ lc: 1, id: ['HumanMessage'], kwargs: { content } })
    const text = (words: string): unknown => ({ type: 'text', text: words })

    test('their content is in the raw request and response of LangChain', () => {
      const sent = {
        ...LLM,
        ...role('input', 0, 'system'),
        ...role('input', 1, 'user'),
        ...role('output', 0, 'assistant'),
        'input.value': JSON.stringify({ messages: [[lc([text('Be'), text('brief.')]), lc([text('Rain?'), image])]] }),
        'output.value': JSON.stringify({ generations: [[{ text: '', message: lc([text('No.')]) }]] }),
      }
      expect(agOf(sent as JsonObject).data).toEqual({
        inputs: {
          prompt: [
            { role: 'system', content: 'Be brief.' },
            { role: 'user', content: [text('Rain?'), image] },
          ],
        },
        outputs: { completion: [{ role: 'assistant', content: 'No.' }] },
      })
    })

    test('and in that of Bedrock, whose messages are without the system’s', () => {
      const result = [{ toolResult: { toolUseId: 't1', content: [{ json: { sunny: true } }] } }]
      const messages = [
        { role: 'user', content: [{ text: 'Rain?' }] },
        { role: 'user', content: result },
      ]
      const sent = {
        ...LLM,
        'llm.input_messages.0.message.role': 'system',
        'llm.input_messages.0.message.content': 'Be brief.',
        'llm.input_messages.1.message.role': 'user',
        'llm.input_messages.1.message.content': 'Rain?',
        'llm.input_messages.2.message.role': 'user',
        'llm.input_messages.2.message.tool_call_id': 't1',
        'input.value': JSON.stringify({ messages }),
      }
      expect(agOf(sent).data).toEqual({
        inputs: {
          prompt: [
            { role: 'system', content: 'Be brief.' },
            { role: 'user', content: 'Rain?' },
            { role: 'user', tool_call_id: 't1', content: result },
          ],
        },
      })
    })

    const tool = (id: string): unknown => ({ type: 'tool_result', tool_use_id: id, content: 'sunny' })

    test('or some of its parts: all are in the raw request, where there are more', () => {
      const messages = [
        { role: 'user', content: [text('Rain?'), image, { type: 'document' }] },
        { role: 'assistant', content: [text('I look.'), { type: 'tool_use' }, { type: 'tool_use' }] },
        { role: 'user', content: [tool('t1'), tool('t2')] },
        { role: 'user', content: [text('And'), image] },
      ]
      const parts = (index: number): string => `llm.input_messages.${index}.message.contents`
      const sent = {
        ...LLM,
        ...role('input', 0, 'user'),
        [`${parts(0)}.0.message_content.text`]: 'Rain?',
        [`${parts(0)}.1.message_content.type`]: 'image',
        ...role('input', 1, 'assistant'),
        [`${parts(1)}.0.message_content.text`]: 'I look.',
        [`${parts(1)}.1.message_content.type`]: 'tool_use',
        'llm.input_messages.1.message.tool_calls.0.tool_call.id': 't1',
        ...role('input', 2, 'user'),
        'llm.input_messages.2.message.tool_call_id': 't2',
        'llm.input_messages.2.message.content': 'sunny',
        ...role('input', 3, 'user'),
        [`${parts(3)}.0.message_content.text`]: 'And',
        [`${parts(3)}.1.message_content.type`]: 'image',
        'input.value': JSON.stringify({ messages }),
      }
      const shown = [{ message_content: { text: 'I look.' } }, { message_content: { type: 'tool_use' } }]
      expect(agOf(sent).data).toEqual({
        inputs: {
          prompt: [
            messages[0],
            { role: 'assistant', content: 'I look.', contents: shown, tool_calls: [{ id: 't1' }] },
            { role: 'user', tool_call_id: 't2', content: messages[2]?.content },
            {
              role: 'user',
              content: 'And',
              contents: [{ message_content: { text: 'And' } }, { message_content: { type: 'image' } }],
            },
          ],
        },
      })
    })

    test('without the calls of tools that are sent apart', () => {
      const messages = [{ role: 'assistant', content: [{ type: 'thinking' }, text('I look.'), { type: 'tool_use' }] }]
      const sent = {
        ...LLM,
        ...role('input', 0, 'assistant'),
        'llm.input_messages.0.message.content': 'I look.',
        'llm.input_messages.0.message.tool_calls.0.tool_call.id': 't1',
        'input.value': JSON.stringify({ messages }),
      }
      expect(agOf(sent).data).toEqual({
        inputs: {
          prompt: [{ role: 'assistant', tool_calls: [{ id: 't1' }], content: [{ type: 'thinking' }, text('I look.')] }],
        },
      })
    })

    test.each([
      ['fewer', [{ content: 'Rain?' }]],
      ['more', [{ content: 'a' }, { content: 'b' }, { content: 'c' }]],
    ])('a raw request with %s messages is of no use', (_, messages) => {
      const raw = { 'input.value': JSON.stringify({ messages }) }
      const sent = { ...LLM, ...role('input', 0, 'user'), ...role('input', 1, 'user'), ...raw }
      expect(agOf(sent).data).toEqual({ inputs: { prompt: [{ role: 'user' }, { role: 'user' }] } })
    })

    test.each([
      ['a text', 'Be brief.', 'Be brief.'],
      ['texts', [text('Be'), text('brief.')], 'Be brief.'],
    ])('the system’s message of Anthropic’s API comes first: %s', (_, system, content) => {
      const messages = [{ role: 'user', content: 'Rain?' }]
      const question = { ...role('input', 0, 'user'), 'llm.input_messages.0.message.content': 'Rain?' }
      const sent = { ...LLM, ...question, 'input.value': JSON.stringify({ system, messages }) }
      expect(agOf(sent).data).toEqual({ inputs: { prompt: [{ role: 'system', content }, ...messages] } })
      const other = { ...sent, ...role('input', 0, 'system') }
      expect(agOf(other).data).toEqual({ inputs: { prompt: [{ role: 'system', content: 'Rain?' }] } })
    })
  })

  test('vectors are outputs', () => {
    const sent = { 'embedding.embeddings.0.embedding.text': 'a', 'embedding.embeddings.0.embedding.vector': [0.5] }
    expect(agOf(sent).data).toEqual({
      inputs: { embeddings: [{ embedding: { text: 'a', vector: [0.5] } }] },
      outputs: { embeddings: [{ vector: [0.5] }] },
    })
  })

  test('the worked example', () => {
    const sent = {
      'openinference.span.kind': 'LLM',
      'llm.model_name': 'gpt-x',
      'llm.input_messages.0.message.role': 'user',
      'llm.input_messages.0.message.content': 'hello',
      'llm.output_messages.0.message.role': 'assistant',
      'llm.output_messages.0.message.tool_calls.0.tool_call.function.name': 'f',
      'llm.token_count.prompt': 10,
      'llm.token_count.completion': 5,
      'llm.token_count.total': 15,
      'input.value': '{"messages":[]}',
      'session.id': 'S',
    }
    expect(agOf(sent)).toEqual({
      type: { span: 'chat' },
      session: { id: 'S' },
      meta: { response: { model: 'gpt-x' } },
      data: {
        inputs: { prompt: [{ role: 'user', content: 'hello' }] },
        outputs: { completion: [{ role: 'assistant', tool_calls: [{ function: { name: 'f' } }] }] },
      },
      metrics: { tokens: { incremental: { prompt: 10, completion: 5, total: 15 } } },
    })
  })
})
