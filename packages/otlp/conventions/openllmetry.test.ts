import type { JsonObject } from '@spanhouse/model'
import { describe, expect, test } from 'vitest'
import { agOf, at } from './recognised.testing.ts'

const ROWS: [attribute: string, value: unknown, ag: JsonObject][] = [
  ['traceloop.span.kind', 'WORKFLOW', at('type.span', 'workflow')],
  ['traceloop.span.kind', 'tool', at('type.span', 'tool')],
  ['traceloop.span.kind', 'session', {}],
  ['traceloop.span.kind', 7, {}],
  ['llm.request.type', 'chat', at('type.span', 'chat')],
  ['llm.request.type', 'rerank', at('type.span', 'rerank')],
  ['traceloop.entity.input', '{"inputs":{"q":1},"tags":[]}', at('data.inputs', { q: 1 })],
  ['traceloop.entity.input', { inputs: { q: 1 }, tags: [] }, at('data.inputs', { q: 1 })],
  ['traceloop.entity.input', '{"other":[1]}', at('data.inputs', { other: [1] })],
  ['traceloop.entity.input', '["Bari"]', at('data.inputs', { input: ['Bari'] })],
  ['traceloop.entity.input', '{"args":[1],"kwargs":{"a":2}}', at('data.inputs', { args: [1], kwargs: { a: 2 } })],
  ['traceloop.entity.input', 'no json', at('data.inputs', { input: 'no json' })],
  ['traceloop.entity.input', '{"inputs":"text"}', at('data.inputs', { input: 'text' })],
  ['traceloop.entity.output', '{"outputs":["a"]}', at('data.outputs', ['a'])],
  ['traceloop.entity.output', '{"outputs":null}', {}],
  ['traceloop.entity.output', '{"other":1}', at('data.outputs', { other: 1 })],
  ['traceloop.entity.output', 'no json', at('data.outputs', 'no json')],
  ['traceloop.entity.output', '"Lima"', at('data.outputs', 'Lima')],
  ['traceloop.entity.name', 'step', {}],
  ['traceloop.association.properties.session_id', 'chat-42', at('session.id', 'chat-42')],
  ['traceloop.association.properties.user_id', 'ada', at('user.id', 'ada')],
  ['gen_ai.prompt.0.role', 'user', at('data.inputs.prompt', [{ role: 'user' }])],
  ['gen_ai.prompt.0.content', '[{"type":"text"}]', at('data.inputs.prompt', [{ content: '[{"type":"text"}]' }])],
  ['gen_ai.completion.0.tool_calls.0.name', 'f', at('data.outputs.completion', [{ tool_calls: [{ name: 'f' }] }])],
  ['llm.request.functions.0.name', 'f', at('data.inputs.functions', [{ name: 'f' }])],
  ['llm.request.tools.0.name', 't', at('data.inputs.tools', [{ name: 't' }])],
  ['llm.usage.total_tokens', 12, at('metrics.tokens.incremental.total', 12)],
  ['llm.headers', 'None', at('meta.request.headers', 'None')],
  ['llm.top_k', 40, at('meta.request.top_k', 40)],
  ['db.vector.query.top_k', 3, at('meta.request.top_k', 3)],
  ['pinecone.query.top_k', 4, at('meta.request.top_k', 4)],
  ['llm.is_streaming', true, at('meta.request.streaming', true)],
  ['gen_ai.openai.api_base', 'https://api.example', at('meta.request.base_url', 'https://api.example')],
  ['db.system', 'Chroma', at('meta.system', 'Chroma')],
]

describe('OpenLLMetry', () => {
  test.each(ROWS)('%s: %j', (key, value, ag) => {
    expect(agOf({ [key]: value } as JsonObject)).toEqual(ag)
  })

  test('messages become lists', () => {
    const sent = {
      'gen_ai.prompt.1.role': 'user',
      'gen_ai.prompt.0.role': 'system',
      'gen_ai.prompt.1.content': 'Hello',
      'gen_ai.prompt.0.content': 'Be brief.',
      'gen_ai.completion.0.finish_reason': 'stop',
    }
    expect(agOf(sent).data).toEqual({
      inputs: {
        prompt: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'Hello' },
        ],
      },
      outputs: { completion: [{ finish_reason: 'stop' }] },
    })
  })

  test('an unknown kind leaves the span a task', () => {
    expect(agOf({ 'traceloop.span.kind': 'session' }).type).toBeUndefined()
  })
})
