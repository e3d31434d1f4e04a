import { isJsonObject, type JsonObject, parseRoundedJson } from '@spanhouse/model'
import { OutboundError, type OutboundFailure } from '@spanhouse/outbound'
import { ModelError, type ModelErrorCategory } from './model-error.ts'

/** Of a provider's message. */
const MESSAGE_LENGTH_MAX = 2_048

const BY_STATUS: Readonly<Record<number, ModelErrorCategory>> = {
  401: 'access',
  403: 'access',
  408: 'availability',
  409: 'transient',
  423: 'transient',
  429: 'capacity',
}

const BY_FAILURE: Partial<Record<OutboundFailure, ModelErrorCategory>> = {
  refused: 'other',
  too_large: 'other',
  invalid_request: 'other',
}

const CONTEXT_STATUSES = new Set([400, 413, 422])
const CONTEXT =
  /context.{0,20}(length|window|limit|size)|token limit|too many (input )?tokens|maximum.{0,20}tokens|prompt is too long/i

/** Errors of the packages that say what the request asked for and the provider does not have, or that it is wrong. */
const MISUSES = new Set([
  'AI_UnsupportedFunctionalityError',
  'AI_InvalidArgumentError',
  'AI_InvalidPromptError',
  'AI_NoSuchModelError',
])

/** What the packages throw, and what stands in their streams of answers. */
interface PackageError {
  name?: string
  message?: string
  statusCode?: number
  responseHeaders?: Record<string, string>
  responseBody?: string
  type?: string
  code?: string | number
  cause?: unknown
}

interface Failed {
  /** Does not appear in messages. */
  key: string
  isPartial: boolean
}

/** Whatever a call failed with, as one error that says what it means for trying again. */
export function toModelError(error: unknown, failed: Failed): ModelError {
  if (error instanceof ModelError) return error
  const found = outboundErrorIn(error)
  if (found) return toError(found, BY_FAILURE[found.failure] ?? 'availability', failed)
  const from = (typeof error === 'object' && error !== null ? error : { message: String(error) }) as PackageError
  const status = statusOf(from)
  if (status !== undefined && status >= 300) return toError(from, categoryOf(status, from), { ...failed, status })
  if (MISUSES.has(from.name ?? '')) return toError(from, 'other', { ...failed, status: 400 })
  // An answer that cannot be read, or an end before the end: the provider is in trouble.
  return toError(from, 'availability', failed)
}

function toError(from: PackageError, category: ModelErrorCategory, failed: Failed & { status?: number }): ModelError {
  const { key, isPartial, status } = failed
  const message = messageIn(from.responseBody) || from.message || 'The provider gives no reason'
  const shown = (key === '' ? message : message.replaceAll(key, '***')).slice(0, MESSAGE_LENGTH_MAX)
  return new ModelError(shown, {
    category,
    status,
    isPartial,
    retryAfterSeconds: retryAfterOf(from.responseHeaders),
  })
}

/** What the body of an error says, in any of the forms that are about; the body itself when it has none of them. */
function messageIn(body = ''): string {
  try {
    const { error, message, detail } = parseRoundedJson(body) as JsonObject
    const inside = isJsonObject(error) ? error.message : error
    return [message, inside, detail].find(text => typeof text === 'string') ?? body
  } catch {
    return body
  }
}

function outboundErrorIn(error: unknown, depth = 0): OutboundError | undefined {
  if (error instanceof OutboundError) return error
  return error instanceof Error && depth < 5 ? outboundErrorIn(error.cause, depth + 1) : undefined
}

/** Errors inside a stream have a name instead of a status. */
const BY_NAME: readonly [pattern: RegExp, status: number][] = [
  [/rate_limit|quota|too_many_requests/, 429],
  [/overloaded/, 529],
  [/server_error|api_error|internal|unavailable|timeout/, 500],
  [/authentication|invalid_api_key/, 401],
  [/permission/, 403],
  [/invalid_request|context_length/, 400],
]

function statusOf({ statusCode, type, code }: PackageError): number | undefined {
  if (statusCode !== undefined) return statusCode
  if (typeof code === 'number' && code >= 400 && code < 600) return code
  const name = `${type ?? ''} ${code ?? ''}`
  return BY_NAME.find(([pattern]) => pattern.test(name))?.[1]
}

function categoryOf(status: number, { message = '', responseBody = '' }: PackageError): ModelErrorCategory {
  if (CONTEXT_STATUSES.has(status) && (CONTEXT.test(message) || CONTEXT.test(responseBody))) return 'context'
  return BY_STATUS[status] ?? (status >= 500 ? 'availability' : 'other')
}

/** Seconds, or a date (RFC 9110, 10.2.3). */
function retryAfterOf(headers: PackageError['responseHeaders']): number | undefined {
  const value = headers?.['retry-after']
  if (value === undefined) return undefined
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000
  return Number.isNaN(seconds) ? undefined : Math.max(0, Math.ceil(seconds))
}
