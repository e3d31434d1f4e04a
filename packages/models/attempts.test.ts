import { expect, test } from 'vitest'
import { type AttemptRules, attemptInTurn, type FallbackPolicy, type RetryPolicy } from './attempts.ts'
import { ModelError, type ModelErrorCategory, RoutingError } from './model-error.ts'

const failed = (category: ModelErrorCategory, status?: number) => new ModelError('no', { category, status })

const ERRORS: Record<string, ModelError> = {
  timeout: failed('availability'),
  500: failed('availability', 500),
  429: failed('capacity', 429),
  409: failed('transient', 409),
  401: failed('access', 401),
  'no key': new RoutingError('v0:schemas:invalid-secrets', 'no'),
  mismatch: new RoutingError('v0:schemas:connection-model-mismatch', 'no'),
  context: failed('context', 400),
  404: failed('other', 404),
  418: failed('other', 418),
}

/** The configurations that were tried, until none is left. */
async function attempts(error: unknown, rules: AttemptRules & { signal?: AbortSignal }): Promise<string> {
  const made: string[] = []
  const all = attemptInTurn(['a', 'b'], { retryDelayMs: 1, ...rules }, async config => {
    made.push(config)
    throw error
  })
  await expect(all).rejects.toBe(error)
  return made.join(' ')
}

const ONCE = 'a'
const AGAIN = 'a a'
const ELSEWHERE = 'a b'

const RETRIED: Record<RetryPolicy, string[]> = {
  off: [],
  availability: ['timeout', '500'],
  capacity: ['timeout', '500', '429'],
  transient: ['timeout', '500', '429', '409'],
  any: ['timeout', '500', '429', '409', '401', 'context', '404', '418'],
}
const FALLEN_BACK: Record<FallbackPolicy, string[]> = {
  off: [],
  availability: ['timeout', '500'],
  capacity: ['timeout', '500', '429'],
  access: ['timeout', '500', '429', '401', 'no key'],
  context: ['timeout', '500', '429', '401', 'no key', 'context'],
  any: ['timeout', '500', '429', '401', 'no key', 'context', '404'],
}
const names = Object.keys(ERRORS)

test.each(Object.entries(RETRIED))('retry policy %s', async (policy, retried) => {
  for (const name of names) {
    const made = await attempts(ERRORS[name], {
      retryPolicy: policy as RetryPolicy,
      retriesMax: policy === 'off' ? 5 : undefined,
    })
    expect([name, made]).toEqual([name, retried.includes(name) ? AGAIN : ONCE])
  }
})

test.each(Object.entries(FALLEN_BACK))('fallback policy %s', async (policy, fallenBack) => {
  for (const name of names) {
    const made = await attempts(ERRORS[name], { fallbackPolicy: policy as FallbackPolicy })
    expect([name, made]).toEqual([name, fallenBack.includes(name) ? ELSEWHERE : ONCE])
  }
})

test('retries come before the next configuration', async () => {
  const made = await attempts(ERRORS[500], { retryPolicy: 'any', retriesMax: 2, fallbackPolicy: 'any' })
  expect(made).toBe('a a a b b b')
})

test('no attempt follows one that has handed something on, a defect, or an abortion', async () => {
  const rules: AttemptRules = { retryPolicy: 'any', fallbackPolicy: 'any' }
  expect(await attempts(new ModelError('no', { category: 'availability', isPartial: true }), rules)).toBe(ONCE)
  expect(await attempts(new TypeError('defect'), rules)).toBe(ONCE)
  expect(await attempts(ERRORS[500], { ...rules, signal: AbortSignal.abort() })).toBe(ONCE)
})

test('the waits double', async () => {
  const at: number[] = []
  const all = attemptInTurn(['a'], { retryPolicy: 'any', retriesMax: 2, retryDelayMs: 40 }, async () => {
    at.push(performance.now())
    throw ERRORS[500]
  })
  await expect(all).rejects.toThrow()
  const [first = 0, second = 0, third = 0] = at
  expect(second - first).toBeGreaterThan(35)
  expect(third - second).toBeGreaterThan(75)
})

test('the first success ends it', async () => {
  const result = await attemptInTurn(['a', 'b'], { fallbackPolicy: 'any' }, async config => {
    if (config === 'a') throw ERRORS[500]
    return config
  })
  expect(result).toBe('b')
})
