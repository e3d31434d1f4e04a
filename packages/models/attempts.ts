import { setTimeout as delay } from 'node:timers/promises'
import { ModelError, type ModelErrorCategory } from './model-error.ts'

/** From none to all; each level includes those before it. */
export const RETRY_POLICIES = ['off', 'availability', 'capacity', 'transient', 'any'] as const
export const FALLBACK_POLICIES = ['off', 'availability', 'capacity', 'access', 'context', 'any'] as const
export type RetryPolicy = (typeof RETRY_POLICIES)[number]
export type FallbackPolicy = (typeof FALLBACK_POLICIES)[number]

/** How failed calls are handled. */
export interface AttemptRules {
  retryPolicy?: RetryPolicy
  /** Additional attempts per configuration; default: 1. */
  retriesMax?: number
  /** The wait before the first retry, doubled before each further one; default: 1,000. */
  retryDelayMs?: number
  fallbackPolicy?: FallbackPolicy
}

const RETRIES_MAX = 1
const RETRY_DELAY_MS = 1_000

/** Statuses of `other` errors that another configuration may avoid: not understood, not found, not accepted. */
const FALLBACK_STATUSES = new Set([400, 404, 422])

/**
 * Tries the configurations in order, each as often as the rules allow, until an attempt succeeds. Rejects with the
 * error of the last attempt. An error that is not a {@link ModelError}, or that occurred after a part was passed on,
 * ends it at once.
 */
export async function attemptInTurn<Config, Result>(
  configs: readonly [Config, ...Config[]],
  rules: AttemptRules & { signal?: AbortSignal },
  attempt: (config: Config) => Promise<Result>,
): Promise<Result> {
  for (const [index, config] of configs.entries()) {
    try {
      return await attemptOften(rules, () => attempt(config))
    } catch (error) {
      const isLast = index === configs.length - 1
      if (isLast || rules.signal?.aborted || !mayFallBack(error, rules.fallbackPolicy)) throw error
    }
  }
  throw new Error('there is no configuration to try')
}

async function attemptOften<Result>(
  rules: AttemptRules & { signal?: AbortSignal },
  attempt: () => Promise<Result>,
): Promise<Result> {
  const { retryPolicy = 'off', retriesMax = RETRIES_MAX, retryDelayMs = RETRY_DELAY_MS, signal } = rules
  for (let retry = 0; ; retry++) {
    try {
      return await attempt()
    } catch (error) {
      if (retry >= retriesMax || signal?.aborted || !mayRetry(error, retryPolicy)) throw error
    }
    await delay(retryDelayMs * 2 ** retry, undefined, { signal })
  }
}

const retryLevel = (category: ModelErrorCategory): number =>
  RETRY_POLICIES.indexOf(category === 'access' || category === 'context' || category === 'other' ? 'any' : category)

/** A failure without a provider's response is not retried, unless the provider could not be reached. */
function mayRetry(error: unknown, policy: RetryPolicy): boolean {
  if (!(error instanceof ModelError) || error.isPartial) return false
  const mayHelp = error.status !== undefined || error.category === 'availability'
  return mayHelp && retryLevel(error.category) <= RETRY_POLICIES.indexOf(policy)
}

function mayFallBack(error: unknown, policy: FallbackPolicy = 'off'): boolean {
  if (!(error instanceof ModelError) || error.isPartial || error.category === 'transient') return false
  if (error.category !== 'other') return FALLBACK_POLICIES.indexOf(error.category) <= FALLBACK_POLICIES.indexOf(policy)
  return policy === 'any' && FALLBACK_STATUSES.has(error.status ?? 0)
}
