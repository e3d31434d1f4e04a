import type { JsonObject } from '@spanhouse/model'
import { describe, expect, test } from 'vitest'
import { agOf, at } from './recognised.testing.ts'

const operation = (id: unknown, type: string): [string, unknown, JsonObject] => [
  'ai.operationId',
  id,
  at('type.span', type),
]
const moved = (from: string, to: string, value: unknown = 'x'): [string, unknown, JsonObject] => [
  from,
  value,
  at(to, value),
]
const tokens = (from: string, to: string): [string, unknown, JsonObject] => [
  `ai.usage.${from}`,
  7,
  at('metrics.tokens.incremental', { [to]: 7, ...(to === 'prompt' || to === 'completion' ? { total: 7 } : {}) }),
]

const ROWS: [attribute: string, value: unknown, ag: JsonObject][] = [
  operation('ai.toolCall', 'tool'),
  ...['ai.embed', 'ai.embed.doEmbed', 'ai.embedMany', 'ai.embedMany.doEmbed'].map(id => operation(id, 'embedding')),
  ...['ai.rerank', 'ai.rerank.doRerank'].map(id => operation(id, 'rerank')),
  ...['ai.generateText', 'ai.streamText', 'ai.generateObject', 'ai.streamObject'].map(id => operation(id, 'task')),
  ...['ai.generateText', 'ai.generateObject'].map(id => operation(`${id}.doGenerate`, 'chat')),
  ...['ai.streamText', 'ai.streamObject'].map(id => operation(`${id}.doStream`, 'chat')),
  operation('ai.somethingNew', 'task'),
  ['ai.operationId', 1, {}],
  moved('ai.model.id', 'meta.request.model'),
  moved('ai.model.provider', 'meta.system', 'openai.chat'),
  moved('ai.response.model', 'meta.response.model'),
  moved('ai.response.id', 'meta.response.id'),
  moved('ai.response.timestamp', 'meta.response.timestamp'),
  ['ai.response.finishReason', 'stop', at('meta.response.finish_reasons', ['stop'])],
  moved('ai.settings.temperature', 'meta.request.temperature', 0.5),
  moved('ai.settings.topP', 'meta.request.top_p', 0.5),
  moved('ai.settings.topK', 'meta.request.top_k', 5),
  moved('ai.settings.maxOutputTokens', 'meta.request.max_tokens', 5),
  moved('ai.settings.frequencyPenalty', 'meta.request.frequency_penalty', 0.5),
  moved('ai.settings.presencePenalty', 'meta.request.presence_penalty', 0.5),
  moved('ai.settings.stopSequences', 'meta.request.stop_sequences', ['.']),
  moved('ai.settings.seed', 'meta.request.seed', 5),
  moved('ai.settings.maxRetries', 'meta.request.max_retries', 2),
  tokens('promptTokens', 'prompt'),
  tokens('inputTokens', 'prompt'),
  tokens('tokens', 'prompt'),
  tokens('completionTokens', 'completion'),
  tokens('outputTokens', 'completion'),
  tokens('totalTokens', 'total'),
  tokens('reasoningTokens', 'reasoning'),
  tokens('cachedInputTokens', 'cached'),
  tokens('inputTokenDetails.cacheWriteTokens', 'cache_creation'),
  ['ai.prompt', '{"prompt":"hi"}', at('data.inputs', { prompt: 'hi' })],
  ['ai.prompt', 'plain', at('data.inputs', { input: 'plain' })],
  ['ai.value', '"sunny"', at('data.inputs', { value: 'sunny' })],
  ['ai.values', ['"sunny"', '"rainy"'], at('data.inputs', { values: ['sunny', 'rainy'] })],
  ['ai.embeddings', ['[0.5]', '[1]'], at('data.outputs', { embeddings: [[0.5], [1]] })],
  ['ai.documents', ['"rain"', '{"a":1}'], at('data.inputs', { documents: ['rain', { a: 1 }] })],
  ['ai.ranking', ['{"index":1}'], at('data.outputs', { ranking: [{ index: 1 }] })],
  moved('ai.request.text', 'data.inputs.text'),
  ['ai.response.files', '[{"data":"AA=="}]', at('data.outputs', { files: [{ data: 'AA==' }] })],
  ['ai.embedding', '[0.5]', at('data.outputs', { embedding: [0.5] })],
  ['ai.prompt.tools', ['{"name":"f"}'], at('data.inputs', { tools: [{ name: 'f' }] })],
  moved('ai.settings.context.city', 'meta.context.city', 'Bari'),
  ['ai.prompt.messages', '[{"role":"user"}]', at('data.inputs.prompt', [{ role: 'user' }])],
  moved('ai.response.text', 'data.outputs', 'Hello'),
  ['ai.response.object', '{"a":[1]}', at('data.outputs', { a: [1] })],
  ['ai.response.toolCalls', '[{"toolName":"f"}]', at('data.outputs.toolCalls', [{ toolName: 'f' }])],
  moved('ai.response.reasoning', 'data.outputs.reasoning', 'hm'),
  moved('ai.toolCall.name', 'data.inputs.name', 'f'),
  ['ai.toolCall.args', '{"x":1}', at('data.inputs.args', { x: 1 })],
  ['ai.toolCall.result', '{"y":2}', at('data.outputs', { y: 2 })],
  ['ai.toolCall.result', 'sunny', at('data.outputs', 'sunny')],
  moved('ai.telemetry.metadata.userId', 'user.id'),
  moved('ai.telemetry.metadata.sessionId', 'session.id'),
  moved('ai.settings.context.userId', 'user.id'),
  moved('ai.settings.context.sessionId', 'session.id'),
]

describe('AI SDK', () => {
  test.each(ROWS)('%s: %j', (key, value, ag) => {
    expect(agOf({ [key]: value } as JsonObject)).toEqual(ag)
  })

  const calls = { 'ai.response.toolCalls': '[{"toolName":"f"}]' }

  test.each<[string, JsonObject, JsonObject]>([
    ['text and tool calls', { 'ai.response.text': 'Hi', ...calls }, { text: 'Hi', toolCalls: [{ toolName: 'f' }] }],
    ['tool calls first', { ...calls, 'ai.response.text': '' }, { text: '', toolCalls: [{ toolName: 'f' }] }],
    [
      'text and reasoning',
      { 'ai.response.text': 'Hi', 'ai.response.reasoning': 'hm' },
      { text: 'Hi', reasoning: 'hm' },
    ],
    [
      'all three',
      { 'ai.response.text': 'Hi', ...calls, 'ai.response.reasoning': 'hm' },
      { text: 'Hi', toolCalls: [{ toolName: 'f' }], reasoning: 'hm' },
    ],
    [
      'an object and reasoning',
      { 'ai.response.object': '{"a":1}', 'ai.response.reasoning': 'hm' },
      { object: { a: 1 }, reasoning: 'hm' },
    ],
  ])('outputs: %s', (_, sent, outputs) => {
    expect(agOf(sent).data).toEqual({ outputs })
  })

  describe('cached tokens of Anthropic’s API', () => {
    const usage = { input_tokens: 40, cache_read_input_tokens: 30, cache_creation_input_tokens: 5 }
    const metadata = { 'ai.response.providerMetadata': JSON.stringify({ anthropic: { usage } }) }

    test('are added to a prompt without them', () => {
      const sent = { ...metadata, 'ai.usage.promptTokens': 40, 'ai.usage.completionTokens': 24 }
      expect(agOf({ ...sent, 'ai.usage.totalTokens': 64 }).metrics).toEqual({
        tokens: { incremental: { prompt: 75, completion: 24, total: 99, cache_read: 30, cache_creation: 5 } },
      })
    })

    test('are not added to a prompt with them', () => {
      const sent = { ...metadata, 'ai.usage.inputTokens': 75, 'ai.usage.outputTokens': 24, 'ai.usage.totalTokens': 99 }
      expect(agOf(sent).metrics).toEqual({ tokens: { incremental: { prompt: 75, completion: 24, total: 99 } } })
    })
  })
})
