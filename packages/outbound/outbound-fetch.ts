import type { Agent, Dispatcher, request } from 'undici'
import { answerOf } from './answer.ts'
import { checkedLookup } from './checked-lookup.ts'
import { OutboundError, type OutboundFailure } from './outbound-error.ts'
import { mistakeIn, type OutboundRules } from './outbound-url.ts'

/** The limits of one request. */
export interface OutboundLimits {
  /** For resolving the name and connecting, including TLS. */
  connectMs: number
  /** From sending the request to receiving the response's headers. */
  firstByteMs: number
  /** Between two chunks of the response body. */
  idleMs: number
  /** For everything, including waiting for a free connection. */
  totalMs: number
  /** Of the response body. */
  responseBytesMax: number
  /** Whether compressed responses are accepted; their bodies are not decompressed. Otherwise they fail. */
  mayBeCompressed?: boolean
}

/** The default limits of {@link outboundFetch}. */
const OUTBOUND_LIMITS: OutboundLimits = {
  connectMs: 5_000,
  firstByteMs: 10_000,
  idleMs: 10_000,
  totalMs: 10_000,
  responseBytesMax: 1024 * 1024,
}

/** Per origin; further requests wait. */
const CONNECTIONS_MAX = 512
/** The number of different origins called at the same time. */
const ORIGINS_MAX = 4096
const KEEP_ALIVE_MS = 10_000

export interface OutboundRequest {
  method?: string
  headers?: ConstructorParameters<typeof Headers>[0]
  body?: unknown
  signal?: AbortSignal | null
}

/**
 * A `fetch` for addresses chosen by callers. It does not follow redirects or request compression, and keeps connections
 * for a while. Rejects with {@link OutboundError}, or with the signal's reason if that aborts, which closes the
 * connection immediately; the same applies to the stream of the body.
 */
export interface OutboundFetch {
  (url: string | URL, request?: OutboundRequest): Promise<Response>
  /** Closes all connections; requests in progress fail. */
  close(): Promise<void>
}

/**
 * Creates a {@link OutboundFetch} with its own connections. Unless `isOpen`, only https to public addresses is allowed:
 * the name is resolved once per connection and all its addresses are checked.
 */
export function outboundFetch(options: OutboundRules & Partial<OutboundLimits>): OutboundFetch {
  const { isOpen } = options
  const limits = { ...OUTBOUND_LIMITS, ...options }
  let opened: Promise<Client> | undefined
  const fetch = async (url: string | URL, request: OutboundRequest = {}): Promise<Response> => {
    const mistake = mistakeIn(String(url), { isOpen })
    if (mistake !== null) throw new OutboundError('refused', `The address ${mistake}`)
    opened ??= openClient(limits, isOpen)
    return await send(url, request, { limits, client: await opened })
  }
  return Object.assign(fetch, { close: async () => (await opened)?.dispatcher.destroy() })
}

interface Client {
  request: typeof request
  dispatcher: Agent
}

/** The HTTP client is loaded with the first request: loading takes a considerable part of the server's start. */
async function openClient(limits: OutboundLimits, isOpen: boolean): Promise<Client> {
  const { Agent, request } = await import('undici')
  const dispatcher = new Agent({
    // One request per connection, so that closing it cancels the request.
    allowH2: false,
    connections: CONNECTIONS_MAX,
    maxOrigins: ORIGINS_MAX,
    keepAliveTimeout: KEEP_ALIVE_MS,
    headersTimeout: limits.firstByteMs,
    bodyTimeout: limits.idleMs,
    connect: { timeout: limits.connectMs, ...(!isOpen && { lookup: checkedLookup }) },
  })
  return { request, dispatcher }
}

interface Sending {
  limits: OutboundLimits
  client: Client
}

async function send(
  url: string | URL,
  { method = 'GET', headers, body, signal }: OutboundRequest,
  { limits, client }: Sending,
): Promise<Response> {
  const ending = endWith(signal, limits.totalMs)
  const toError = (error: unknown) => (ending.signal.aborted ? ending.signal.reason : toOutboundError(error))
  try {
    const answer = await client.request(url, {
      dispatcher: client.dispatcher,
      method: method as Dispatcher.HttpMethod,
      headers: plain(headers),
      body: body as Dispatcher.RequestOptions['body'],
      signal: ending.signal,
      onInfo: ({ statusCode }) => {
        if (statusCode === 101) ending.abort(informational(statusCode))
      },
    })
    const { responseBytesMax: bytesMax, mayBeCompressed } = limits
    return answerOf(answer, { bytesMax, mayBeCompressed, toError, done: ending.release })
  } catch (error) {
    ending.release()
    throw toError(error)
  }
}

/** A signal that aborts with the caller's, after the total time or with `abort`; `release` removes both listeners. */
function endWith(signal: AbortSignal | null | undefined, totalMs: number) {
  const ending = new AbortController()
  const late = () => ending.abort(new OutboundError('total_timeout', `No complete response within ${totalMs} ms`))
  const timer = setTimeout(late, totalMs)
  const abort = () => ending.abort(signal?.reason)
  if (signal?.aborted) abort()
  signal?.addEventListener('abort', abort, { once: true })
  const release = (): void => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
  return { signal: ending.signal, release, abort: (reason: unknown) => ending.abort(reason) }
}

/** What the HTTP client accepts directly; `Headers` and lists of pairs are converted. */
function plain(headers: OutboundRequest['headers']): Record<string, string> {
  if (headers === undefined) return {}
  const isPlain = !Array.isArray(headers) && !(headers instanceof Headers)
  const entries = isPlain ? Object.entries(headers) : [...new Headers(headers)]
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as Record<string, string>
}

/** By the names or codes of the HTTP client's errors; any other means that the server is unreachable. */
const FAILURES: Readonly<Record<string, OutboundFailure>> = {
  ConnectTimeoutError: 'connect_timeout',
  HeadersTimeoutError: 'first_byte_timeout',
  BodyTimeoutError: 'idle_timeout',
  InvalidArgumentError: 'invalid_request',
  HeadersOverflowError: 'invalid_response',
  HTTPParserError: 'invalid_response',
  SocketError: 'broken',
  ECONNRESET: 'broken',
  EPIPE: 'broken',
}

/** The statuses of responses that the HTTP client rejects as informational, by its messages. */
const INFORMATIONAL: Readonly<Record<string, number>> = { 'bad response': 100, 'bad upgrade': 101 }

function toOutboundError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof OutboundError) return error
  const status = INFORMATIONAL[error.message]
  if (status !== undefined) return informational(status, error)
  const { name, code = name } = error as NodeJS.ErrnoException
  const failure = FAILURES[name] ?? FAILURES[code] ?? 'unreachable'
  const message = `${MESSAGES[failure] ?? 'The address cannot be reached'} (${code})`
  return new OutboundError(failure, message, { cause: error })
}

const informational = (status: number, cause?: Error): OutboundError =>
  new OutboundError('informational', `The response has the status ${status}`, { cause, status })

const MESSAGES: Partial<Record<OutboundFailure, string>> = {
  connect_timeout: 'Connecting took too long',
  first_byte_timeout: 'The response took too long to start',
  idle_timeout: 'The response stalled',
  invalid_request: 'The request cannot be sent',
  invalid_response: 'The response is not valid HTTP',
  broken: 'The connection broke before the response was complete',
}
