import { setTimeout as delay } from 'node:timers/promises'
import type { ProbeBody } from '@spanhouse/access'
import { type Problem, unprocessable, withoutTrailing } from '@spanhouse/model'
import { PROVIDER_APIS, type ProviderApi } from '@spanhouse/models'
import { OutboundError, type OutboundFetch, type OutboundRules } from '@spanhouse/outbound'
import { z } from '@spanhouse/validation'

/**
 * The minimum time before a host is reported as unreachable: names of private networks resolve immediately, others need
 * a query to external name servers.
 */
const SILENCE_MS = 1_500

/** The result of testing a credential. `unknown` is neither good nor bad; the message explains. */
export const probeAnswer = z.object({
  kind: z.string(),
  status: z.enum(['valid', 'invalid', 'unknown']),
  message: z.string(),
})
export type ProbeAnswer = z.output<typeof probeAnswer>

type Finding = Omit<ProbeAnswer, 'kind'>

/**
 * `POST /providers/probe`: sends the provider a free request that succeeds only with a valid key. Only the status of
 * its response is revealed, so that nobody can read through this server what only it can reach. Throws a Problem
 * (`unprocessable`) if the key or the address is missing or the address is private.
 */
export async function probeProvider(
  { kind, provider }: ProbeBody,
  { rules, fetch }: { rules: OutboundRules; fetch: OutboundFetch },
): Promise<ProbeAnswer> {
  const api = PROVIDER_APIS[kind]
  if (api === undefined) {
    return { kind, status: 'unknown', message: `Credentials of ${kind} cannot be tested without running a model.` }
  }
  const request = requestFor(api, { kind, provider })
  const silence = rules.isOpen ? undefined : delay(SILENCE_MS)
  try {
    const answer = await fetch(request.url, { headers: request.headers })
    await answer.body?.cancel()
    return { kind, ...findingOf(answer, api) }
  } catch (error) {
    await silence
    return { kind, ...findingWithoutAnswer(error, rules) }
  }
}

function requestFor(api: ProviderApi, { kind, provider }: ProbeBody): { url: URL; headers: Record<string, string> } {
  const { url: own, version, extras } = provider
  // Older clients send the key of a custom provider among its extras.
  const key = provider.key || (typeof extras?.api_key === 'string' && extras.api_key) || undefined
  const base = own ?? api.url
  if (base === undefined) throw missing('url')
  // A self-hosted server may need no key.
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
    return { status: 'invalid', message: `The provider rejects the credentials (HTTP ${status}).` }
  }
  const form = status === 200 ? ' with a body that is not JSON' : ''
  return {
    status: 'unknown',
    message: `The provider responded with HTTP ${status}${form}, which shows neither success nor failure.`,
  }
}

function findingWithoutAnswer(error: unknown, { isOpen }: OutboundRules): Finding {
  if (!(error instanceof OutboundError)) throw error
  if (error.failure === 'invalid_request') {
    return { status: 'invalid', message: 'The key contains characters that cannot be sent.' }
  }
  // If private addresses are allowed, the reason helps operators of their own providers.
  return { status: 'unknown', message: isOpen ? `${UNREACHABLE}: ${error.message}.` : `${UNREACHABLE}.` }
}

const UNREACHABLE = 'The provider cannot be reached'
