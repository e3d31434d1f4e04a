import { readFileSync } from 'node:fs'
import { measureSpan, type Span } from '@spanhouse/model'
import { rollUp } from '@spanhouse/model/totals/roll-up.testing.ts'
import { describe, expect, test } from 'vitest'
import { decodeTraces } from './bytes/decode.ts'
import { toSpan } from './canonical/normalise.ts'
import { tracesFromJson } from './exports.testing.ts'

/** The spans of a recorded export, in the order in which they ended. */
function recorded(name: string): Span[] {
  const text = readFileSync(new URL(`./fixtures/${name}.json`, import.meta.url))
  return [...decodeTraces(tracesFromJson(text))].map(decoded => toSpan(decoded, 0))
}

const MESSAGES = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Is it sunny in Bari?' },
]
const QUESTION = MESSAGES.slice(1)
const ANSWER = 'It is sunny in Bari.'
const MODEL = { response: { model: 'gpt-4o-mini-2024-07-18' } }
const TOKENS = { incremental: { prompt: 42, completion: 9, total: 51 } }
const TEXT_QUESTION = [{ role: 'user', content: [{ type: 'text', text: 'Is it sunny in Bari?' }] }]

interface Expected {
  data?: object
  meta?: object
  tokens?: object
}

/** For each recorded export: its spans, their types, and what is recognised. */
const EXPORTS: Record<string, [index: number, name: string, type: string, expected: Expected][]> = {
  'openinference-openai': [
    [
      0,
      'OpenAI Chat Completions',
      'chat',
      {
        data: { inputs: { prompt: MESSAGES }, outputs: { completion: [{ role: 'assistant', content: ANSWER }] } },
        meta: { ...MODEL, request: '{"model":"gpt-4o-mini","temperature":0.2}', system: 'openai' },
        tokens: { incremental: { ...TOKENS.incremental, prompt_details: { cache_read: 16 } } },
      },
    ],
    [
      1,
      'OpenAI Chat Completions',
      'chat',
      {
        data: {
          inputs: { prompt: MESSAGES, tools: [{ type: 'function', function: { name: 'weather' } }] },
          outputs: {
            completion: [
              {
                role: 'assistant',
                tool_calls: [{ id: 'call_1', function: { name: 'weather', arguments: '{"city":"Bari"}' } }],
              },
            ],
          },
        },
      },
    ],
    [2, 'OpenAI Chat Completions', 'chat', { data: { outputs: { completion: [{ content: ANSWER }] } } }],
    [
      4,
      'OpenAI Embeddings',
      'embedding',
      {
        data: { inputs: { embeddings: [{ embedding: { text: 'sunny', vector: [0.5, 0.25] } }] } },
        meta: { request: { model: 'text-embedding-3-small' } },
      },
    ],
  ],
  'openinference-langchain': [
    [
      1,
      'ChatOpenAI',
      'chat',
      { data: { inputs: { prompt: MESSAGES } }, meta: { response: { model: 'gpt-4o-mini' } }, tokens: TOKENS },
    ],
    [3, 'weather_chain', 'chain', { data: { inputs: { input: 'Bari' }, outputs: ANSWER } }],
    [5, 'weather', 'tool', { meta: { tool: { name: 'weather' } } }],
    [6, 'Cities', 'query', { data: { inputs: { input: 'Where is Bari?' } } }],
  ],
  'openllmetry-openai': [
    [
      0,
      'chat gpt-4o-mini',
      'chat',
      {
        data: { inputs: { prompt: MESSAGES }, outputs: { completion: [{ role: 'assistant', content: ANSWER }] } },
        meta: { ...MODEL, request: { model: 'gpt-4o-mini', temperature: 0.2 }, provider: { name: 'openai' } },
        tokens: TOKENS,
      },
    ],
    [
      1,
      'chat gpt-4o-mini',
      'chat',
      {
        data: {
          outputs: {
            completion: [
              {
                content: '',
                tool_calls: [{ id: 'call_1', function: { name: 'weather', arguments: { city: 'Bari' } } }],
              },
            ],
          },
        },
      },
    ],
    [3, 'weather.tool', 'tool', { data: { inputs: { args: [], kwargs: { city: 'Bari' } }, outputs: 'Sunny' } }],
    [
      4,
      'answer_question.workflow',
      'workflow',
      { data: { inputs: { args: [], kwargs: { question: 'Is it sunny in Bari?' } }, outputs: 'It is sunny.' } },
    ],
  ],
  'openllmetry-langchain': [
    [1, 'chat gpt-4o-mini', 'chat', { data: { inputs: { prompt: MESSAGES } }, tokens: TOKENS }],
    [3, 'workflow RunnableSequence', 'workflow', {}],
    [5, 'execute_tool DynamicStructuredTool', 'tool', {}],
  ],
  'vercel-ai-5': [
    [
      0,
      'ai.generateText.doGenerate',
      'chat',
      {
        data: { outputs: ANSWER },
        meta: { ...MODEL, request: { model: 'gpt-4o-mini', temperature: 0.2 } },
        tokens: TOKENS,
      },
    ],
    [1, 'ai.generateText', 'task', { data: { inputs: { system: 'Be brief.' }, outputs: ANSWER } }],
    [
      2,
      'ai.generateText.doGenerate',
      'chat',
      {
        data: {
          inputs: { prompt: TEXT_QUESTION },
          outputs: { toolCalls: [{ toolCallId: 'call_1', toolName: 'weather', input: '{"city":"Bari"}' }] },
        },
      },
    ],
    [
      3,
      'ai.toolCall',
      'tool',
      { data: { inputs: { name: 'weather', args: { city: 'Bari' } }, outputs: { city: 'Bari', sunny: true } } },
    ],
    [8, 'ai.generateObject.doGenerate', 'chat', { data: { outputs: { city: 'Bari', sunny: true } } }],
  ],
  'vercel-ai-6': [
    [
      0,
      'ai.generateText.doGenerate',
      'chat',
      { data: { outputs: ANSWER }, tokens: { incremental: { ...TOKENS.incremental, cached: 16, reasoning: 4 } } },
    ],
    [7, 'ai.streamText', 'task', { data: { inputs: { messages: QUESTION }, outputs: ANSWER } }],
    [10, 'ai.embed.doEmbed', 'embedding', { tokens: { incremental: { prompt: 8 } } }],
  ],
  // Spans that follow two conventions.
  'openinference-vercel-ai': [
    [
      2,
      'ai.generateText.doGenerate answer',
      'chat',
      { data: { outputs: ANSWER }, meta: MODEL, tokens: { incremental: { ...TOKENS.incremental, cached: 16 } } },
    ],
    [1, 'ai.toolCall answer', 'tool', { data: { inputs: { args: { city: 'Bari' } }, outputs: { sunny: true } } }],
    [3, 'ai.generateText answer', 'agent', { data: { inputs: { prompt: 'Is it sunny in Bari?' }, outputs: ANSWER } }],
  ],
}

describe.each(Object.keys(EXPORTS))('%s', name => {
  const spans = recorded(name)

  test.each(EXPORTS[name] ?? [])('span %i, %s: %s', (index, span_name, span_type, { tokens, ...members }) => {
    const ag = tokens ? { ...members, metrics: { tokens } } : members
    expect(spans[index]).toMatchObject({ span_name, span_type, attributes: { ag } })
  })

  test('what was sent is kept beside it', () => {
    for (const { attributes } of spans) {
      expect(attributes.resource).toMatchObject({ service: { name: 'weather-assistant' } })
      expect(attributes.scope).toMatchObject({ name: expect.stringMatching(/./) })
      expect(attributes.openinference ?? attributes.gen_ai ?? attributes.traceloop ?? attributes.ai).toBeDefined()
    }
  })
})

test.each([
  ['openinference-langchain', 'chat-42'],
  ['vercel-ai-6', 'chat-42'],
])('the session of %s', (name, session_id) => {
  expect(recorded(name)[1]).toMatchObject({ session_id })
})

test('an error of the AI SDK is an exception of its span', () => {
  const failed = recorded('vercel-ai-6').filter(span => span.status_code === 'STATUS_CODE_ERROR')
  expect(failed.map(span => span.span_name)).toEqual(['ai.generateText.doGenerate', 'ai.generateText'])
  expect(failed[0]?.attributes.ag).toMatchObject({
    exception: { type: 'AI_APICallError', message: 'No such model' },
    metrics: { errors: { incremental: 1 } },
  })
})

test.each(['vercel-ai-5', 'vercel-ai-6'])('what %s says of usage on its outer spans counts once', name => {
  const spans = recorded(name)
  const totals = rollUp(new Map(spans.map(span => [span.span_id, measureSpan(span)])))
  const outer = spans.filter(span => !span.parent_id && span.status_code !== 'STATUS_CODE_ERROR')
  expect(outer.map(span => [span.span_name, Number(totals.get(span.span_id)?.cumulative[1]) / 1000])).toEqual([
    ['ai.generateText', 42],
    ['ai.generateText', 84],
    ['ai.streamText', 42],
    ['ai.generateObject', 42],
    ['ai.embed', 8],
  ])
  expect(outer.map(span => totals.get(span.span_id)?.restated)).toEqual(Array.from({ length: 5 }, () => 'tokens'))
})
