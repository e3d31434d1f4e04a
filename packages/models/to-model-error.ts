import { parseRoundedJson } from '@spanhouse/model'
import { OutboundError, type OutboundFailure } from '@spanhouse/outbound'
import { ModelError, type ModelErrorCategory } from './model-error.ts'
import { failureIn } from './stated-failure.ts'

/** Maximum length of a provider's message. */
const MESSAGE_LENGTH_MAX = 2_048

/**
 * Shorter keys are no secrets but fillers, which some servers require: hidden, they would tear holes into any message.
 */
const KEY_LENGTH_MIN = 4

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

/** Gemini's reason for the status 400 if the key is wrong. */
const INVALID_KEY = 'API_KEY_INVALID'

const CONTEXT_STATUSES = new Set([400, 413, 422])
/** What providers call too long a prompt: one of these, or a first word with one of the second shortly after it. */
const TOO_LONG = ['token limit', 'too many tokens', 'too many input tokens', 'prompt is too long', 'input is too long']
const TOO_LONG_TOGETHER = [
  { first: 'context', second: ['length', 'window', 'limit', 'size'] },
  { first: 'maximum', second: ['tokens'] },
]
/** Characters after the first word in which the second must begin. */
const TOGETHER_WITHIN = 28

/** No expression: texts come from providers and are long. */
function saysTooLong(text: string): boolean {
  const lower = text.toLowerCase()
  if (TOO_LONG.some(phrase => lower.includes(phrase))) return true
  return TOO_LONG_TOGETHER.some(({ first, second }) => {
    for (let at = lower.indexOf(first); at >= 0; at = lower.indexOf(first, at + 1)) {
      const after = lower.slice(at + first.length, at + first.length + TOGETHER_WITHIN)
      if (second.some(word => after.includes(word))) return true
    }
    return false
  })
}

/** Errors of the packages for requests that the provider does not support or that are invalid. */
const MISUSES = new Set([
  'AI_UnsupportedFunctionalityError',
  'AI_InvalidArgumentError',
  'AI_InvalidPromptError',
  'AI_NoSuchModelError',
])

/** The errors that the packages throw, and those in their streams of answers. */
interface PackageError {
  name?: string
  message?: string
  statusCode?: number
  /** The requested address. */
  url?: string
  responseHeaders?: Record<string, string>
  /** Text, except that OpenAI's package has a response that states its failure here, parsed, and an invented status. */
  responseBody?: string | object
  /** What the provider sent with a good status, if the package expects another form. */
  value?: unknown
  type?: string
  code?: string | number
  cause?: unknown
}

interface Failed {
  /** Must not appear in messages. */
  key: string
  isPartial: boolean
}

/** Converts any failure of a call to one error that carries its meaning for retries. */
export function toModelError(error: unknown, failed: Failed): ModelError {
  if (error instanceof ModelError) return error
  const found = outboundErrorIn(error)
  if (found) return toError(found, BY_FAILURE[found.failure] ?? 'availability', failed)
  const from = (typeof error === 'object' && error !== null ? error : { message: String(error) }) as PackageError
  const status = statusOf(from)
  if (MISUSES.has(from.name ?? '')) return toError(from, 'other', { ...failed, status: 400 })
  const stated = failureIn(unreadIn(from))
  if (stated) return toModelError(stated, failed)
  if (status !== undefined && status >= 300) return toError(from, categoryOf(status, from), { ...failed, status })
  // An unreadable or incomplete response: the provider is in trouble.
  const misfit = misfitIn(from)
  const isUnreadable = misfit !== undefined || status !== undefined || error instanceof TypeError
  if (!isUnreadable) return toError(from, 'availability', failed)
  const message = `The provider's response cannot be read: ${misfit ?? from.message}`
  return toError({ message }, 'availability', failed)
}

function toError(from: PackageError, category: ModelErrorCategory, failed: Failed & { status?: number }): ModelError {
  const { key, isPartial, status } = failed
  const message = redirectIn(from) ?? (messageIn(from.responseBody) || from.message || silence(status))
  const hidden = key.length < KEY_LENGTH_MIN ? message : message.replaceAll(key, '***')
  // Well-formed: a character may be cut.
  return new ModelError(hidden.slice(0, MESSAGE_LENGTH_MAX).toWellFormed(), {
    category,
    status,
    isPartial,
    retryAfterSeconds: retryAfterOf(from),
  })
}

const silence = (status: number | undefined): string =>
  status === undefined ? 'The provider gave no reason' : `The provider responded with HTTP ${status} and gave no reason`

/** Only the origin of the address is shown: the rest may hold credentials. */
function redirectIn({ statusCode = 0, url, responseHeaders }: PackageError): string | undefined {
  const { location } = responseHeaders ?? {}
  const target = statusCode >= 300 && statusCode < 400 && location ? URL.parse(location, url) : null
  return target ? `The provider redirects to ${target.origin}, and redirects are not followed.` : undefined
}

/** A place where a value differs from a schema; for a union, how it differs from each of its members. */
interface Issue {
  path: PropertyKey[]
  message: string
  errors?: Issue[][]
}

/** The first place where a response differs from the form that the package expects; undefined if that is not the error. */
function misfitIn({ issues, cause }: PackageError & { issues?: Issue[] }, depth = 0): string | undefined {
  if (Array.isArray(issues) && issues[0]) return placeOf(issues[0])
  return cause && depth < 5 ? misfitIn(cause as PackageError, depth + 1) : undefined
}

function placeOf({ path, message, errors }: Issue, above: PropertyKey[] = []): string {
  const whole = [...above, ...path]
  const inner = errors?.[0]?.[0]
  return inner ? placeOf(inner, whole) : `${whole.map(String).join('.') || 'the whole'}: ${message}`
}

/** A response with a good status that does not have the form that the package expects. */
function unreadIn({ value, cause, responseBody }: PackageError): unknown {
  if (typeof responseBody === 'object') return responseBody
  return value ?? (cause as PackageError | undefined)?.value
}

/** The message in the body of an error, in any of the usual shapes; otherwise the body itself. */
function messageIn(body: PackageError['responseBody']): string {
  if (typeof body !== 'string') return ''
  try {
    return failureIn(parseRoundedJson(body))?.message ?? body
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
  [/not_found/, 404],
  [/invalid_|context_length/, 400],
]

function statusOf({ statusCode, type, code }: PackageError): number | undefined {
  if (statusCode !== undefined) return statusCode
  if (Number(code) >= 400 && Number(code) < 600) return Number(code)
  const name = `${type ?? ''} ${code ?? ''}`
  return BY_NAME.find(([pattern]) => pattern.test(name))?.[1]
}

function categoryOf(status: number, { message = '', responseBody = '' }: PackageError): ModelErrorCategory {
  const body = typeof responseBody === 'string' ? responseBody : ''
  if (CONTEXT_STATUSES.has(status) && (saysTooLong(message) || saysTooLong(body))) return 'context'
  if (status === 400 && body.includes(INVALID_KEY)) return 'access'
  return BY_STATUS[status] ?? (status >= 500 ? 'availability' : 'other')
}

/** In the body of Google's errors, which have no header for it. */
const RETRY_DELAY = /"retryDelay":\s*"([\d.]+)s"/

/** Seconds, which some give in parts, or a date (RFC 9110, 10.2.3); Azure may send milliseconds only. */
function retryAfterOf({ responseHeaders, responseBody }: PackageError): number | undefined {
  const { 'retry-after': after = '', 'retry-after-ms': afterMs } = responseHeaders ?? {}
  const [, delay] = RETRY_DELAY.exec(typeof responseBody === 'string' ? responseBody : '') ?? []
  const seconds =
    secondsIn(after) ?? secondsIn(afterMs, 1000) ?? secondsIn(delay) ?? (Date.parse(after) - Date.now()) / 1000
  return Number.isNaN(seconds) ? undefined : Math.max(0, Math.ceil(seconds))
}

const secondsIn = (text = '', perSecond = 1): number | undefined =>
  /^\d+(\.\d+)?$/.test(text) ? Number(text) / perSecond : undefined
