import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { CLIENTS } from './clients.ts'
import { allValues, DOCUMENT, documentation, recordedTraces, sumsOf } from './outline.ts'

const FIXTURES = join(import.meta.dirname, '../../packages/otlp/fixtures')

interface Used {
  /** What the calls of models used, each counted once. */
  tokens: [prompt: number, completion: number]
  microdollars: number
  errors: number
  session?: string
  user?: string
}

const KNOWN = { session: 'chat-42', user: 'ada' }

/** What the model server and the script that was recorded make of it: 140 + 24 tokens per call, 8 per embedding. */
const USED: Record<string, Used> = {
  'opentelemetry-openai': { tokens: [148, 24], microdollars: 35.56, errors: 1 },
  'anthropic-sdk': { tokens: [140, 24], microdollars: 136, errors: 1 },
  'vercel-ai-6-embeddings': { tokens: [5 * 140 + 16, 5 * 24], microdollars: 147.32, errors: 1, ...KNOWN },
  'vercel-ai-7': { tokens: [5 * 140 + 16, 5 * 24], microdollars: 139.82, errors: 1 },
  'openinference-openai-parts': { tokens: [280, 48], microdollars: 55.8, errors: 0, ...KNOWN },
  'openinference-anthropic': { tokens: [280, 48], microdollars: 272, errors: 1, ...KNOWN },
  'openinference-langchain-openai': { tokens: [280, 48], microdollars: 55.8, errors: 0 },
  'openai-agents': { tokens: [280, 48], microdollars: 55.8, errors: 1 },
  'openllmetry-sdk': { tokens: [280, 48], microdollars: 171.4, errors: 0, ...KNOWN },
  'langfuse-sdk': { tokens: [288, 48], microdollars: 30_028.06, errors: 1, ...KNOWN },
  'langfuse-langchain': { tokens: [140, 24], microdollars: 27.9, errors: 1, ...KNOWN },
  langsmith: { tokens: [140, 24], microdollars: 27.9, errors: 1, ...KNOWN },
  logfire: { tokens: [140, 24], microdollars: 27.9, errors: 1 },
  openlit: { tokens: [288, 48], microdollars: 70.96, errors: 1, ...KNOWN },
  mastra: { tokens: [280, 48], microdollars: 55.8, errors: 1, ...KNOWN },
  strands: { tokens: [280, 48], microdollars: 55.8, errors: 1, ...KNOWN },
  // An older recording server: 42 + 9 tokens per call, 16 of the 42 cached where the client reports it, 8 per embedding.
  'vercel-ai-5': { tokens: [5 * 42 + 8, 5 * 9], microdollars: 57.46, errors: 1, session: 'chat-42', user: 'u-7' },
  'vercel-ai-6': { tokens: [5 * 42 + 8, 5 * 9], microdollars: 53.86, errors: 1, session: 'chat-42', user: 'u-7' },
  'openinference-openai': { tokens: [3 * 42, 3 * 9], microdollars: 31.5, errors: 0 },
  'openinference-langchain': { tokens: [2 * 42, 2 * 9], microdollars: 21, errors: 0, session: 'chat-42' },
  'openinference-vercel-ai': { tokens: [2 * 42, 2 * 9], microdollars: 21, errors: 0, session: 'chat-42', user: 'u-7' },
  'openllmetry-openai': { tokens: [2 * 42 + 9, 2 * 9 + 6], microdollars: 28.35, errors: 0 },
  'openllmetry-langchain': { tokens: [4 * 42, 4 * 9], microdollars: 46.8, errors: 0, session: 'chat-42' },
  genkit: { tokens: [280, 48], microdollars: 0, errors: 1 },
}

test('the documentation says what is recognised', () => {
  expect(readFileSync(DOCUMENT, 'utf8')).toBe(documentation())
})

test('every recording is documented', () => {
  const recorded = readdirSync(FIXTURES).filter(name => name.endsWith('.json'))
  expect(CLIENTS.map(({ fixture }) => `${fixture}.json`).toSorted()).toEqual(recorded.toSorted())
})

describe.each(CLIENTS)('$fixture', ({ fixture }) => {
  const traces = recordedTraces(fixture)

  test('counts each call and each failure once', () => {
    const { tokens, microdollars, errors, session, user } = USED[fixture] as Used
    const [prompt, completion] = tokens
    expect(sumsOf(traces)).toEqual({ prompt, completion, total: prompt + completion, microdollars, errors })
    expect(allValues(traces, 'session_id')).toEqual(session ? [session] : [])
    expect(allValues(traces, 'user_id')).toEqual(user ? [user] : [])
  })

  test('no inputs or outputs are left aside', () => {
    const aside = traces.flatMap(({ spans }) => spans.map(span => span.attributes.ag.unsupported))
    expect(aside.filter(value => JSON.stringify(value)?.includes('"data"'))).toEqual([])
  })

  test('no total is smaller than its parts', () => {
    for (const { totals } of traces)
      for (const { cumulative } of totals.values()) {
        const [, prompt = 0n, completion = 0n, total] = cumulative
        expect(total).toBeGreaterThanOrEqual(prompt + completion)
      }
  })
})
