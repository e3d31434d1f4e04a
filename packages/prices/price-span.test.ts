import { findProvider } from '@pydantic/genai-prices'
import type { JsonObject, Span, SpanType } from '@spanhouse/model'
import { describe, expect, test } from 'vitest'
import { PriceOverrides } from './overrides.ts'
import { priceSpan } from './price-span.ts'

const START = Date.UTC(2026, 1, 3, 12) * 1000

interface Sent {
  type?: SpanType
  tokens?: JsonObject
  costs?: JsonObject
  meta?: JsonObject
  others?: JsonObject
  data?: JsonObject
  start?: number
}

/** The resulting costs of a span of a model. */
function costsOf(
  { type = 'chat', tokens, costs, meta, data, others, start = START }: Sent,
  overrides?: PriceOverrides,
) {
  const metrics = {
    tokens: tokens ? { incremental: tokens } : {},
    costs: costs ?? {},
  }
  const ag = { metrics, data: data ?? {}, ...(meta && { meta }) }
  const span = { span_type: type, start_time: start, attributes: { ag, ...others } } as unknown as Span
  priceSpan(span, overrides)
  return (span.attributes.ag.metrics as JsonObject).costs
}

const TOKENS = { prompt: 100, completion: 10, total: 110 }
const response = (model: unknown): { meta: JsonObject } => ({ meta: { response: { model } } as JsonObject })
/** 100 prompt tokens at 0.15, 10 completion tokens at 0.6 USD per million. */
const MINI = { incremental: { prompt: 0.000015, completion: 0.000006, total: 0.000021 } }

describe('which spans have costs', () => {
  test.each<SpanType>(['llm', 'chat', 'completion', 'embedding', 'query', 'rerank'])('%s has', type => {
    expect(costsOf({ type, tokens: TOKENS, ...response('gpt-4o-mini') })).toEqual(MINI)
  })

  test.each<SpanType>(['task', 'workflow', 'agent', 'chain', 'tool', 'unknown'])('%s has not', type => {
    expect(costsOf({ type, tokens: TOKENS, ...response('gpt-4o-mini') })).toEqual({})
  })
})

describe('which model', () => {
  test.each<[string, Sent]>([
    ['that answered', { meta: { response: { model: 'gpt-4o-mini' }, request: { model: 'gpt-4' } } }],
    ['of the parameters', { data: { parameters: { model: 'gpt-4o-mini' } }, meta: { request: { model: 'gpt-4' } } }],
    ['asked for', { meta: { request: { model: 'gpt-4o-mini' } } }],
    ['asked for, as sent', { others: { gen_ai: { request: { model: 'gpt-4o-mini' } } } }],
    ['of a dated version', response('gpt-4o-mini-2024-07-18')],
    ['after its provider', response('openai/gpt-4o-mini')],
    ['after its provider and a colon', response('openai:gpt-4o-mini')],
    ['after who passes it on', response('litellm_proxy/openai/gpt-4o-mini')],
    ['in capitals', response('GPT-4o-mini')],
    ['beside a provider', { meta: { response: { model: 'gpt-4o-mini' }, provider: { name: 'openai' } } }],
    ['beside a provider as text', { meta: { response: { model: 'gpt-4o-mini' }, provider: 'azure' } }],
    ['beside a part of a provider', { meta: { response: { model: 'gpt-4o-mini' }, system: 'openai.chat' } }],
    ['after an empty one', { meta: { response: { model: '' }, request: { model: 'gpt-4o-mini' } } }],
    ['beside something that is no provider', { meta: { response: { model: 'gpt-4o-mini' }, system: 'langchain' } }],
  ])('the one %s', (_, sent) => {
    expect(costsOf({ tokens: TOKENS, ...sent })).toEqual(MINI)
  })

  test.each<[string, Sent]>([
    ['none', {}],
    ['an unknown one', response('house-model-7b')],
    [
      'an unknown one before a known one',
      { meta: { response: { model: 'house-model' }, request: { model: 'gpt-4' } } },
    ],
    ['no text', response(4)],
    ['an empty text', response('')],
    ['of a response that is no object', { meta: { response: 'gpt-4o-mini' } }],
    ['far too long a name', response('gpt-4o-mini'.repeat(1000))],
    ['a name of every object', response('constructor')],
  ])('nothing is invented for %s', (_, sent) => {
    expect(costsOf({ tokens: TOKENS, ...sent })).toEqual({})
    expect(costsOf({ tokens: TOKENS, ...sent, costs: { cumulative: { total: 2 } } })).toEqual({
      cumulative: { total: 2 },
    })
  })

  test('the provider decides where several run a model', () => {
    const costOf = (system: string) =>
      costsOf({ tokens: TOKENS, meta: { response: { model: 'llama-3.3-70b-versatile' }, system } })
    const groq = { incremental: { prompt: 0.000059, completion: 0.0000079, total: 0.0000669 } }
    expect(costOf('groq')).toEqual(groq)
    expect(costsOf({ tokens: TOKENS, ...response('groq/llama-3.3-70b-versatile') })).toEqual(groq)
  })

  test('a name that looks like a model and a provider in the cache does not hide these', () => {
    const llama = 'llama-3.1-8b-instant'
    const costOf = (model: string, provider?: string, own?: PriceOverrides) =>
      costsOf({ tokens: TOKENS, meta: { response: { model }, ...(provider && { provider }) } }, own)
    expect(costOf(`${llama}\ngroq`)).toEqual({})
    expect(costOf(llama, 'groq')).toHaveProperty('incremental')

    const own = new PriceOverrides({ 'azure/house': { input: 1, output: 2 } })
    expect(costOf('house\nazure', undefined, own)).toEqual({})
    expect(costOf('house', 'azure', own)).toHaveProperty('incremental')
  })

  test.each([
    ['text-embedding-3-small', { prompt: 0.000002, completion: 0, total: 0.000002 }],
    ['claude-3-5-sonnet-20241022', { prompt: 0.0003, completion: 0.00015, total: 0.00045 }],
    ['bedrock/anthropic.claude-3-5-sonnet-20241022-v2:0', { prompt: 0.0003, completion: 0.00015, total: 0.00045 }],
    ['gemini-2.0-flash', { prompt: 0.00001, completion: 0.000004, total: 0.000014 }],
  ])('%s without a provider', (model, incremental) => {
    expect(costsOf({ tokens: TOKENS, ...response(model) })).toEqual({ incremental })
  })
})

describe('what the client sent', () => {
  test.each<JsonObject>([{ prompt: 1, completion: 2, total: 3 }, { total: 0.5 }, { total: 0 }])(
    'wins: %j',
    incremental => {
      const costs = { incremental, cumulative: { total: 9 } }
      expect(costsOf({ tokens: TOKENS, costs, ...response('gpt-4o-mini') })).toEqual(costs)
    },
  )

  test('that is no cost of its own stays beside them', () => {
    const costs = { incremental: { tool: 1 }, cumulative: { total: 9 } }
    expect(costsOf({ tokens: TOKENS, costs, ...response('gpt-4o-mini') })).toEqual({
      incremental: { tool: 1, ...MINI.incremental },
      cumulative: { total: 9 },
    })
  })
})

describe('how many tokens', () => {
  test.each<[string, JsonObject | undefined, JsonObject]>([
    ['none', undefined, { prompt: 0, completion: 0, total: 0 }],
    ['a total alone', { total: 50 }, { prompt: 0, completion: 0, total: 0 }],
    ['of the prompt alone', { prompt: 100 }, { prompt: 0.000015, completion: 0, total: 0.000015 }],
    ['with cached ones', { prompt: 100, cached: 40 }, { prompt: 0.000012, completion: 0, total: 0.000012 }],
    [
      'read from a cache',
      { prompt: 100, cache_read: 40, cached: 7 },
      { prompt: 0.000012, completion: 0, total: 0.000012 },
    ],
    [
      'a cache that held none',
      { prompt: 100, cache_read: 0, cached: 40 },
      { prompt: 0.000012, completion: 0, total: 0.000012 },
    ],
    [
      'in detail',
      { prompt: 100, prompt_details: { cache_read: 40 } },
      { prompt: 0.000012, completion: 0, total: 0.000012 },
    ],
    ['all of them cached', { prompt: 40, cached: 40 }, { prompt: 0.000003, completion: 0, total: 0.000003 }],
    ['more cached than sent', { prompt: 10, cached: 40 }, { prompt: 0.0000045, completion: 0, total: 0.0000045 }],
    ['less than none', { prompt: -5, completion: -1 }, { prompt: 0, completion: 0, total: 0 }],
  ])('%s', (_, tokens, incremental) => {
    expect(costsOf({ tokens, ...response('gpt-4o-mini') })).toEqual({ incremental })
  })

  test('put into a cache', () => {
    const tokens = { prompt: 1_000, cache_read: 300, cache_creation: 200, completion: 0 }
    const details = { prompt: 1_000, prompt_details: { cache_read: 300, cache_write: 200 } }
    // 500 at 3, 300 at 0.3 and 200 at 3.75 USD per million.
    const prompt = 0.00234
    for (const sent of [tokens, details])
      expect(costsOf({ tokens: sent, ...response('claude-3-5-sonnet-20241022') })).toEqual({
        incremental: { prompt, completion: 0, total: prompt },
      })
  })

  test('beyond a step the higher price counts for all', () => {
    const costOf = (prompt: number) => costsOf({ tokens: { prompt, completion: 1_000 }, ...response('gemini-2.5-pro') })
    expect(costOf(200_000)).toEqual({ incremental: { prompt: 0.25, completion: 0.01, total: 0.26 } })
    expect(costOf(200_001)).toEqual({ incremental: { prompt: 0.5000025, completion: 0.015, total: 0.5150025 } })
  })
})

test('a price that depends on the time is that of the span’s start', () => {
  const at = (iso: string) =>
    costsOf({
      tokens: { prompt: 1_000_000 },
      meta: { response: { model: 'deepseek-chat' }, provider: 'deepseek' },
      start: Date.parse(iso) * 1000,
    }) as { incremental: { prompt: number } }
  const day = at('2025-06-01T12:00:00Z').incremental.prompt
  expect(at('2025-06-01T17:00:00Z').incremental.prompt).toBeLessThan(day)
  expect(at('2025-06-02T12:05:00Z').incremental.prompt).toBe(day)
})

describe('a project’s own prices', () => {
  const own = new PriceOverrides({
    'gpt-4o-mini': { input: 1, output: 2 },
    'azure/gpt-4o-mini': { input: 9, output: 10 },
    'house-*': { input: 3, output: 4, cached_input: 1, cache_write: 4 },
    'House-Model-*': { input: 5, output: 6 },
    'house-model-x': { input: 7, output: 8 },
    fraction: { input: 0.000001, output: 0.1 },
  })

  test.each<[model: string, provider: string | undefined, incremental: JsonObject]>([
    ['gpt-4o-mini', undefined, { prompt: 0.0001, completion: 0.00002, total: 0.00012 }],
    ['GPT-4o-Mini', undefined, { prompt: 0.0001, completion: 0.00002, total: 0.00012 }],
    ['gpt-4o-mini', 'openai', { prompt: 0.0001, completion: 0.00002, total: 0.00012 }],
    ['openai/gpt-4o-mini', undefined, { prompt: 0.0001, completion: 0.00002, total: 0.00012 }],
    ['proxy/openai:gpt-4o-mini', undefined, { prompt: 0.0001, completion: 0.00002, total: 0.00012 }],
    ['azure/gpt-4o-mini', undefined, { prompt: 0.0009, completion: 0.0001, total: 0.001 }],
    ['proxy/azure/gpt-4o-mini', undefined, { prompt: 0.0009, completion: 0.0001, total: 0.001 }],
    ['gpt-4o-mini', 'azure', { prompt: 0.0009, completion: 0.0001, total: 0.001 }],
    ['gpt-4o-mini', 'Azure.ai.openai', { prompt: 0.0009, completion: 0.0001, total: 0.001 }],
    ['house-7', undefined, { prompt: 0.0003, completion: 0.00004, total: 0.00034 }],
    ['proxy/house-7', 'anybody', { prompt: 0.0003, completion: 0.00004, total: 0.00034 }],
    ['house-model-7', undefined, { prompt: 0.0005, completion: 0.00006, total: 0.00056 }],
    ['house-model-x', undefined, { prompt: 0.0007, completion: 0.00008, total: 0.00078 }],
    ['fraction', undefined, { prompt: 1e-10, completion: 0.000001, total: 0.0000010001 }],
    ['gpt-4o', undefined, { prompt: 0.00025, completion: 0.0001, total: 0.00035 }],
  ])('%s of %s', (model, provider, incremental) => {
    const meta = { response: { model }, ...(provider && { provider: { name: provider } }) }
    expect(costsOf({ tokens: TOKENS, meta }, own)).toEqual({ incremental })
    expect(costsOf({ tokens: TOKENS, ...response('gpt-4o-mini') })).toEqual(MINI)
  })

  test.each<[model: string, provider: string | undefined, input: number]>([
    ['gpt-4o-mini-2024-07-18', 'azure', 2],
    ['azure/gpt-4o-mini-2024-07-18', undefined, 2],
    ['gpt-4o-2024-08-06', 'azure.ai.openai', 1],
    ['o3', 'azure', 1],
    ['gpt-4o-mini-2024-07-18', 'openai', 4],
    ['gpt-4o-mini-2024-07-18', undefined, 4],
    ['azure-like', 'azure', 1],
    ['azure-like', undefined, 3],
  ])('the start of a name with its provider wins over a longer one without: %s of %s', (model, provider, input) => {
    const prices = { 'azure/*': 1, 'gpt-4o-mini-2024*': 4, 'azure/gpt-4o-m*': 2, 'a*': 3 }
    const starts = Object.entries(prices).map(([name, price]) => [name, { input: price, output: 0 }] as const)
    const meta = { response: { model }, ...(provider && { provider: { name: provider } }) }
    for (const given of [starts, starts.toReversed()])
      expect(costsOf({ tokens: TOKENS, meta }, new PriceOverrides(Object.fromEntries(given)))).toMatchObject({
        incremental: { prompt: input / 10_000 },
      })
  })

  test('of cached tokens', () => {
    const tokens = { prompt: 100, cached: 40, cache_creation: 10 }
    expect(costsOf({ tokens, ...response('house-7') }, own)).toEqual({
      incremental: { prompt: 0.00023, completion: 0, total: 0.00023 },
    })
    expect(costsOf({ tokens, ...response('house-model-7') }, own)).toEqual({
      incremental: { prompt: 0.0005, completion: 0, total: 0.0005 },
    })
  })

  test.each([
    [200, true],
    [201, false],
  ])('a name of %d characters has one: %s', (length, isPriced) => {
    const { incremental } = costsOf({ tokens: TOKENS, ...response('house-'.padEnd(length, 'x')) }, own) as JsonObject
    expect(incremental !== undefined).toBe(isPriced)
  })

  test('give way to what the client sent', () => {
    const costs = { incremental: { total: 9 } }
    expect(costsOf({ tokens: TOKENS, costs, ...response('house-7') }, own)).toEqual(costs)
  })
})

test('no model of the list has a price below nothing, and of each provider some have one', () => {
  const ids = ['openai', 'anthropic', 'google', 'azure', 'aws', 'mistral', 'groq', 'deepseek', 'cohere', 'openrouter']
  const providers = [...ids, 'x-ai', 'perplexity', 'together', 'fireworks', 'cerebras', 'novita', 'avian', 'moonshotai']
  for (const provider of providers) {
    const { models } = findProvider({ providerId: provider }) ?? expect.fail(provider)
    const priced = models.flatMap(({ id }) => {
      const { incremental } = costsOf({ tokens: TOKENS, meta: { response: { model: id }, provider } }) as JsonObject
      return incremental === undefined ? [] : [incremental as JsonObject]
    })
    expect(priced, provider).not.toEqual([])
    for (const cost of priced.flatMap(one => Object.values(one))) expect(cost).toBeGreaterThanOrEqual(0)
  }
})
