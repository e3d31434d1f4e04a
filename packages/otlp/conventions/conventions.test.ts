import { integerToJson, isJsonObject, type Json, type JsonObject, type SpanEvent } from '@spanhouse/model'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { attributeValue } from '../exports.testing.ts'
import type { Convention } from './convention.ts'
import { CONVENTIONS, recognise } from './conventions.ts'
import { START, spanOf } from './drafts.testing.ts'
import { agOf } from './recognised.testing.ts'

describe('several conventions in one span', () => {
  test.each<[string, JsonObject, JsonObject]>([
    [
      'the later one wins, and what only an earlier one names stays',
      {
        'gen_ai.request.model': 'of GenAI',
        'ai.model.id': 'of the AI SDK',
        'llm.top_k': 3,
        'db.system': 'of OpenLLMetry',
        'llm.system': 'of OpenInference',
      },
      { meta: { request: { model: 'of the AI SDK', top_k: 3 }, system: 'of OpenInference' } },
    ],
    [
      'ag.* wins over all, also under its older names',
      {
        'ag.type.node': 'workflow',
        'ag.metrics.unit.tokens.prompt': 1,
        'ag.data.inputs.q': 'native',
        'ag.session.id': 'native',
        'gen_ai.operation.name': 'chat',
        'gen_ai.usage.input_tokens': 5,
        'gen_ai.usage.output_tokens': 6,
        'gen_ai.conversation.id': 'other',
        'gen_ai.prompt.0.content': 'hi',
      },
      {
        type: { span: 'workflow' },
        session: { id: 'native' },
        data: { inputs: { q: 'native', prompt: [{ content: 'hi' }] } },
        metrics: { tokens: { incremental: { prompt: 1, completion: 6, total: 7 } } },
      },
    ],
    [
      'a task displaces no other type',
      { 'traceloop.span.kind': 'workflow', 'gen_ai.operation.name': 'workflow', 'ai.operationId': 'ai.generateText' },
      { type: { span: 'workflow' } },
    ],
    [
      'the name of a prompt is none of its messages',
      {
        'gen_ai.prompt.name': 'greeting',
        'gen_ai.prompt.0.role': 'user',
        'gen_ai.prompt.0.content': 'hi',
      },
      { meta: { prompt: { name: 'greeting' } }, data: { inputs: { prompt: [{ role: 'user', content: 'hi' }] } } },
    ],
    [
      'the name of a prompt is no input of a tool',
      {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.prompt.name': 'greeting',
        'gen_ai.tool.name': 'weather',
        tool_arguments: '{"city":"Bari"}',
      },
      {
        type: { span: 'tool' },
        data: { inputs: { name: 'weather', arguments: { city: 'Bari' } } },
        meta: {
          prompt: { name: 'greeting' },
          tool: { name: 'weather' },
          tool_arguments: '{"city":"Bari"}',
        },
      },
    ],
    [
      'what traceloop says of a tool is its data already',
      {
        'traceloop.entity.input': '{"inputs":{"city":"Bari"}}',
        'gen_ai.tool.name': 'weather',
        tool_arguments: '{"city":"other"}',
      },
      {
        data: { inputs: { city: 'Bari' } },
        meta: { tool: { name: 'weather' }, tool_arguments: '{"city":"other"}' },
      },
    ],
  ])('%s', (_, sent, ag) => {
    expect(agOf(sent)).toEqual(ag)
  })
})

test('what was sent stays beside what is recognised, and shares nothing with it', () => {
  const span = spanOf(
    { 'tag.tags': ['a'], metadata: { a: 1 }, 'ag.meta.metadata.b': 2, 'metadata.c': 3 },
    { isInstrumented: true },
  )
  expect(span.attributes).toMatchObject({
    ag: { meta: { tags: ['a'], metadata: { a: 1, b: 2 } } },
    tag: { tags: ['a'] },
    metadata: { a: 1, c: 3 },
  })
  expect(span.attributes.metadata).toEqual({ a: 1, c: 3 })
})

test.each<[string, JsonObject, JsonObject]>([
  ['beside the output', { thoughtsTokens: 20, totalTokens: 35 }, { completion: 25, total: 35, reasoning: 20 }],
  ['in the output', { thoughtsTokens: 2, totalTokens: 15 }, { completion: 5, total: 15, reasoning: 2 }],
  ['without a total', { thoughtsTokens: 2 }, { completion: 5, total: 15, reasoning: 2 }],
  ['none, but cached input', { cachedContentTokens: 4, totalTokens: 15 }, { completion: 5, total: 15, cache_read: 4 }],
])('thoughts of a model of Genkit, %s', (_, usage, tokens) => {
  const sent = {
    'genkit:name': 'm',
    'genkit:metadata:subtype': 'model',
    'genkit:output': JSON.stringify({ usage: { inputTokens: 10, outputTokens: 5, ...usage } }),
  }
  expect(agOf(sent).metrics).toEqual({ tokens: { incremental: { prompt: 10, ...tokens } } })
})

test('ids that are numbers become texts', () => {
  const attributes = new Map<string, Json>([
    ['session.id', integerToJson(12345678901234567890n)],
    ['ai.telemetry.metadata.userId', 42],
    ['gen_ai.agent.id', 1.5],
  ])
  expect(recognise({ attributes, events: [] })?.ag).toEqual({
    session: { id: '12345678901234567890' },
    user: { id: '42' },
    agent: { id: '1.5' },
  })
})

describe('an observation of Langfuse whose level is ERROR', () => {
  const exception: SpanEvent = {
    name: 'exception',
    timestamp: START,
    attributes: { 'exception.type': 'TypeError', 'exception.message': 'no city', 'exception.stacktrace': 's' },
  }
  test.each<[string, SpanEvent[], JsonObject]>([
    ['without events', [], { message: 'failed: no city' }],
    ['with other events', [{ name: 'retry', timestamp: START }], { message: 'failed: no city' }],
    ['with an exception', [exception], { type: 'TypeError', message: 'no city', stacktrace: 's' }],
  ])('%s has one error', (_, events, told) => {
    const sent = {
      'langfuse.observation.level': 'ERROR',
      'langfuse.observation.status_message': 'failed: no city',
    }
    const { ag } = spanOf(sent, { isInstrumented: true, events }).attributes
    expect(ag).toMatchObject({ metrics: { errors: { incremental: 1 } }, exception: told })
  })

  test('has no exception if it says no more', () => {
    const { ag } = spanOf({ 'langfuse.observation.level': 'ERROR' }, { isInstrumented: true }).attributes
    expect(ag).toMatchObject({ metrics: { errors: { incremental: 1 } } })
    expect(ag).not.toHaveProperty('exception')
  })
})

test('a part of the prompt in two spellings is counted once', () => {
  const usageOf = (usage: object) =>
    agOf({ 'langfuse.observation.usage_details': JSON.stringify(usage) }).metrics as JsonObject
  const incremental = { prompt: 13, completion: 5, total: 18, cache_read: 3 }
  const tokens = { tokens: { incremental } }
  expect(usageOf({ input: 10, output: 5, input_cache_read: 3 })).toEqual(tokens)
  expect(usageOf({ input: 10, output: 5, input_cache_read: 3, cache_read_input_tokens: 3 })).toEqual(tokens)
  expect(usageOf({ input: 10, output: 5, input_cache_read: 0, cache_read_input_tokens: 3 })).toEqual(tokens)
  expect(usageOf({ input: 13, output: 5, total: 18, input_cache_read: 3, cache_read: 3 })).toEqual(tokens)
})

test.each<[string, JsonObject, JsonObject]>([
  [
    'chat completions',
    {
      prompt_tokens: 13,
      completion_tokens: 5,
      total_tokens: 18,
      prompt_tokens_details: { cached_tokens: 3, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 4, accepted_prediction_tokens: 0 },
    },
    { prompt: 13, completion: 5, total: 18, cache_read: 3, reasoning: 4, prompt_details: { audio: 0 } },
  ],
  [
    'responses',
    {
      input_tokens: 13,
      output_tokens: 5,
      total_tokens: 18,
      input_tokens_details: { cached_tokens: 3 },
      output_tokens_details: { reasoning_tokens: 4 },
    },
    { prompt: 13, completion: 5, total: 18, cache_read: 3, reasoning: 4 },
  ],
  [
    'responses without a total',
    { input_tokens: 13, output_tokens: 5, input_tokens_details: { cached_tokens: 3 } },
    { prompt: 13, completion: 5, total: 18, cache_read: 3 },
  ],
  [
    'chat completions without details',
    { prompt_tokens: 13, completion_tokens: 5, total_tokens: 18, prompt_tokens_details: null },
    { prompt: 13, completion: 5, total: 18 },
  ],
])('the usage of OpenAI’s %s, as Langfuse takes it', (_, usage, incremental) => {
  expect(agOf({ 'langfuse.observation.usage_details': JSON.stringify(usage) }).metrics).toEqual({
    tokens: { incremental },
  })
})

test.each<[string, JsonObject, JsonObject]>([
  [
    'Langfuse',
    {
      'langfuse.observation.usage_details': '{"input":"10","output":"5","input_cache_read":"3"}',
      'langfuse.observation.cost_details': '{"total":"0.25"}',
    },
    { tokens: { prompt: 13, completion: 5, total: 18, cache_read: 3 }, costs: { total: 0.25 } },
  ],
  [
    'LangSmith',
    { 'langsmith.usage_metadata': '{"input_tokens":"10","output_tokens":"none","total_tokens":true}' },
    { tokens: { prompt: 10, total: 10 } },
  ],
  [
    'Genkit',
    {
      'genkit:name': 'm',
      'genkit:metadata:subtype': 'model',
      'genkit:output': '{"usage":{"inputTokens":"10","outputTokens":5}}',
    },
    { tokens: { prompt: 10, completion: 5, total: 15 } },
  ],
])('amounts in an object of %s may be texts, as in attributes', (_, sent, amounts) => {
  const incremental = Object.entries(amounts).map(([metric, amount]) => [metric, { incremental: amount }])
  expect(agOf(sent).metrics).toEqual(Object.fromEntries(incremental))
})

test('a client’s own JSON is nobody’s convention', () => {
  const { ag } = spanOf({ metadata: { a: 1 }, 'gen_ai.operation.name': 'chat' }).attributes
  expect(ag).toEqual({ type: {}, data: {}, metrics: { duration: {}, errors: {}, tokens: {}, costs: {} } })
})

test.each<[JsonObject, boolean | undefined]>([
  [{ 'ai.operationId': 'ai.generateText' }, true],
  [{ 'ai.operationId': 'ai.streamObject' }, true],
  [{ 'ai.operationId': 'ai.embedMany' }, true],
  [{ 'ai.operationId': 'ai.generateText.doGenerate' }, undefined],
  [{ 'ai.operationId': 'ai.toolCall' }, undefined],
  [{ 'gen_ai.operation.name': 'invoke_agent' }, true],
  [{ 'gen_ai.operation.name': 'chat' }, undefined],
  [{ 'openinference.span.kind': 'AGENT' }, undefined],
])('%j repeats the usage of the spans below it: %s', (sent, repeats_usage) => {
  expect(spanOf(sent, { isInstrumented: true }).repeats_usage).toBe(repeats_usage)
})

test('a convention that fails says nothing; the others do', () => {
  const genAi = CONVENTIONS.find(({ name }) => name === 'gen-ai') as Convention
  const { complete } = genAi
  genAi.complete = () => expect.fail('a fault')
  try {
    expect(
      recognise({
        attributes: new Map<string, Json>([
          ['gen_ai.operation.name', 'chat'],
          ['ai.model.id', 'm'],
        ]),
        events: [],
      }),
    ).toEqual({ ag: { meta: { request: { model: 'm' } } }, repeatsUsage: false })
  } finally {
    genAi.complete = complete as NonNullable<typeof complete>
  }
})

/** The keys of every row, with `*` filled in. */
const conventionKey = fc
  .tuple(
    fc.constantFrom(...CONVENTIONS.flatMap(({ rows }) => rows.map(({ from }) => from))),
    fc.constantFrom(
      '0.role',
      '0.message.content',
      '1.message.tool_calls.0.tool_call.id',
      'x',
      '0.tool.json_schema',
      '',
    ),
  )
  .map(([from, rest]) => from.replace('*', rest))
const conventionValue = fc.oneof(
  attributeValue,
  fc.constantFrom('chat', 'LLM', '[{"role":"user","parts":[{"type":"text"}]}]', '[null,1,{"parts":[null,{}]}]', '[]'),
)

/** Events of GenAI with the same values. */
const eventsOf = (pairs: [string, Json][]) =>
  pairs.flatMap(([, value]) =>
    ['gen_ai.user.message', 'gen_ai.tool.message', 'gen_ai.choice', 'gen_ai.client.inference.operation.details'].map(
      name => ({
        name,
        timestamp: 0,
        attributes: { content: value, message: value, 'gen_ai.event.content': value, 'gen_ai.input.messages': value },
      }),
    ),
  )

test('any values under any keys of the conventions are recognised without failing, and kept', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(conventionKey, conventionValue), { maxLength: 8 }), pairs => {
      const sent = new Map(pairs)
      const before = JSON.stringify([...sent])
      recognise({ attributes: sent, events: eventsOf(pairs) })
      expect(JSON.stringify([...sent])).toBe(before)
      const { ag } = spanOf(Object.fromEntries(sent), { isInstrumented: true }).attributes
      expect(isJsonObject(ag.metrics)).toBe(true)
    }),
    { numRuns: 500 },
  )
})
