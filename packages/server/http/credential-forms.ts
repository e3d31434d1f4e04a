import type { IncomingHttpHeaders } from 'node:http'
import { type Authenticator, type Principal, type ScopeParameters, unauthenticated } from '@spanhouse/access'
import { Problem } from '@spanhouse/model'

export interface Authenticated {
  principal: Principal
  /** The credential in the interface's form. */
  authorization: string
}

/**
 * Authenticates a program that is configured with a header, such as an exporter or an assistant. Each product's
 * documentation shows another one, so besides the interface's forms these are accepted: `ApiKey` in any case, `Bearer
 * KEY`, `Basic` with the key as password or user, `x-api-key`, and percent-encoded values. Throws as
 * `Authenticator.authenticate` does.
 */
export async function authenticateInAnyForm(
  authenticator: Authenticator,
  headers: IncomingHttpHeaders,
  { path, parameters }: { path: string; parameters: ScopeParameters },
): Promise<Authenticated> {
  let refusal: Problem | undefined
  for (const authorization of new Set(authorizationsIn(headers)))
    try {
      return { principal: await authenticator.authenticate(authorization, path, parameters), authorization }
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'unauthenticated') throw error
      refusal ??= error
    }
  throw refusal ?? unauthenticated()
}

const SCHEME = /^(apikey|bearer|basic)(?: +| *: *)(\S+)$/i

/** The credentials of a request in the interface's form, the one that was sent first. */
function* authorizationsIn(headers: IncomingHttpHeaders): Generator<string> {
  const { authorization, 'x-api-key': key } = headers
  if (authorization !== undefined) {
    yield authorization
    for (const text of [authorization, decoded(authorization)]) yield* keysIn(text.trim())
  }
  if (typeof key === 'string') for (const text of [key, decoded(key)]) yield* keysIn(text.trim())
}

function* keysIn(text: string): Generator<string> {
  const [, scheme, credential] = SCHEME.exec(text) ?? []
  if (scheme === undefined || credential === undefined) yield text.replace(/^ApiKey +/, 'ApiKey ')
  else if (scheme.toLowerCase() !== 'basic') yield `ApiKey ${credential}`
  else for (const part of partsOfBasic(credential)) yield `ApiKey ${part}`
}

/** Password and user, without those left empty. */
function partsOfBasic(credential: string): string[] {
  const text = Buffer.from(credential, 'base64').toString()
  const colon = text.indexOf(':')
  const parts = colon < 0 ? [text] : [text.slice(colon + 1), text.slice(0, colon)]
  return parts.filter(part => part !== '')
}

/** `OTEL_EXPORTER_OTLP_HEADERS` contains percent-encoded values, which not all SDKs decode. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
