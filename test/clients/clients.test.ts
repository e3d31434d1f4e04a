import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { CLIENTS } from './clients.ts'
import { allValues, DOCUMENT, documentation, recordedSpans, sumsOf } from './outline.ts'
import { USED, type Used } from './used.ts'

const FIXTURES = join(import.meta.dirname, '../../packages/otlp/fixtures')

test('the documentation says what is recognised', () => {
  expect(readFileSync(DOCUMENT, 'utf8')).toBe(documentation())
})

test('every recording is documented', () => {
  const recorded = readdirSync(FIXTURES).filter(name => name.endsWith('.json'))
  expect(CLIENTS.map(({ fixture }) => `${fixture}.json`).toSorted()).toEqual(recorded.toSorted())
})

describe.each(CLIENTS)('$fixture', ({ fixture }) => {
  const spans = recordedSpans(fixture)

  test('counts each call and each failure once', () => {
    const { tokens, microdollars, errors, session, user } = USED[fixture] as Used
    const [prompt, completion] = tokens
    expect(sumsOf(spans)).toEqual({ prompt, completion, total: prompt + completion, microdollars, errors })
    expect(allValues(spans, 'session_id')).toEqual(session ? [session] : [])
    expect(allValues(spans, 'user_id')).toEqual(user ? [user] : [])
  })

  test('no inputs or outputs are left aside', () => {
    const aside = spans.map(span => span.ag.unsupported)
    expect(aside.filter(value => JSON.stringify(value)?.includes('"data"'))).toEqual([])
  })

  test('no total is smaller than its parts', () => {
    for (const { totals } of spans) expect(totals.total).toBeGreaterThanOrEqual(totals.prompt + totals.completion)
  })
})
