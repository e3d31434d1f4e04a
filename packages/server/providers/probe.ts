import { setTimeout as delay } from 'node:timers/promises'
import type { ProbeBody } from '@spanhouse/access'
import { Problem, unprocessable, withoutTrailing } from '@spanhouse/model'
import { PROVIDER_APIS, type ProviderApi } from '@spanhouse/models'
import { OutboundError, type OutboundFetch, type OutboundRules } from '@spanhouse/outbound'
import { z } from '@spanhouse/validation'

/** Of all callers together: each holds a connection for up to ten seconds. */
const PROBES_MAX = 32
let probing = 0

/**
 * Not sooner is it said that nobody answers: names of private networks are found at once, others take the time of a
 * question to name servers elsewhere.
 */
const SILENCE_MS = 1_500

/** What trying a credential out has shown. `unknown` is neither good nor bad; the message says why. */
export const probeAnswer = z.object({
  kind: z.string(),
  status: z.enum(['valid', 'invalid', 'unknown']),
  message: z.string(),
})
export type ProbeAnswer = z.output<typeof probeAnswer>

type Finding = Omit<ProbeAnswer, 'kind'>

/**
 * `POST /providers/probe`: asks the provider for something that costs nothing and that only a good key opens. Nothing of
 * its answer but the status is told, so that nobody reads through this server what only it can reach. Throws Problems:
 * `unprocessable` when the key or the address is missing or the address leads to a private network; `overloaded`.
 */
export async function probeProvider(
  { kind, provider }: ProbeBody,
  { rules, fetch }: { rules: OutboundRules; fetch: OutboundFetch },
): Promise<ProbeAnswer> {
  const api = PROVIDER_APIS[kind]
  if (api === undefined) {
    return { kind, status: 'unknown', message: `Credentials of ${kind} cannot be tried out without running a model.` }
  }
  const request = requestFor(api, { kind, provider })
  if (probing >= PROBES_MAX) {
    throw new Problem('overloaded', 'Too many credentials are being tried out.', { retryAfterSeconds: 1 })
  }
  probing++
  const silence = rules.isOpen ? undefined : delay(SILENCE_MS)
  try {
    const answer = await fetch(request.url, { headers: request.headers })
    await answer.body?.cancel()
    return { kind, ...findingOf(answer, api) }
  } catch (error) {
    await silence
    return { kind, ...findingWithoutAnswer(error, rules) }
  } finally {
    probing--
  }
}

function requestFor(api: ProviderApi, { kind, provider }: ProbeBody): { url: URL; headers: Record<string, string> } {
  const { url: own, version, extras } = provider
  // Older clients send the key of a custom provider among its extras.
  const key = provider.key || (typeof extras?.api_key === 'string' && extras.api_key) || undefined
  const base = own ?? api.url
  if (base === undefined) throw missing('url')
  // A server of one's own may need none.
  if (key === undefined && kind !== 'custom') throw missing('key')
  const url = new URL(base)
  url.pathname = withoutTrailing(url.pathname, '/') + api.probePath
  if (api.version) url.searchParams.set(api.version.parameter, version || api.version.unlessGiven)
  return { url, headers: { accept: 'application/json', ...(key !== undefined && api.headers(key)) } }
}

const missing = (member: string): Problem =>
  unprocessable({ type: 'missing', loc: ['body', 'provider', member], msg: 'Field required' })

function findingOf({ status, headers }: Response, { refusal }: ProviderApi): Finding {
  const isJson = headers.get('content-type')?.includes('json')
  if (status === 200 && isJson) return { status: 'valid', message: 'The provider accepts the credentials.' }
  if ([401, 403, refusal].includes(status)) {
    return { status: 'invalid', message: `The provider refuses the credentials (HTTP ${status}).` }
  }
  const form = status === 200 ? ' and something other than JSON' : ''
  return { status: 'unknown', message: `The provider answers HTTP ${status}${form}, which does not tell.` }
}

function findingWithoutAnswer(error: unknown, { isOpen }: OutboundRules): Finding {
  if (!(error instanceof OutboundError)) throw error
  if (error.failure === 'invalid_request') {
    return { status: 'invalid', message: 'The key has characters that cannot be sent.' }
  }
  // Where nothing is private the reason helps whoever runs a provider of their own.
  return { status: 'unknown', message: isOpen ? `${UNREACHABLE}: ${error.message}.` : `${UNREACHABLE}.` }
}

const UNREACHABLE = 'The provider cannot be reached'
