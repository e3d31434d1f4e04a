import type { Agent, Dispatcher, request } from 'undici'
import { answerOf } from './answer.ts'
import { checkedLookup } from './checked-lookup.ts'
import { OutboundError, type OutboundFailure } from './outbound-error.ts'
import { mistakeIn, type OutboundRules } from './outbound-url.ts'

/** What one request may take. */
export interface OutboundLimits {
  /** For finding the name and connecting, TLS included. */
  connectMs: number
  /** From the request being sent to the head of the answer. */
  firstByteMs: number
  /** Between two pieces of the answer's body. */
  idleMs: number
  /** For everything, waiting for a free connection included. */
  totalMs: number
  /** Of the answer's body. */
  responseBytesMax: number
}

/** Unless a caller of {@link outboundFetch} says otherwise. */
export const OUTBOUND_LIMITS: OutboundLimits = {
  connectMs: 5_000,
  firstByteMs: 10_000,
  idleMs: 10_000,
  totalMs: 10_000,
  responseBytesMax: 1024 * 1024,
}

/** To one origin at a time; further requests wait for one of these. */
const CONNECTIONS_MAX = 512
/** Different origins that are called at the same time. */
const ORIGINS_MAX = 4096
const KEEP_ALIVE_MS = 10_000

export interface OutboundRequest {
  method?: string
  headers?: ConstructorParameters<typeof Headers>[0]
  body?: unknown
  signal?: AbortSignal | null
}

/**
 * A `fetch` for addresses that callers choose. Redirects are not followed, compressed answers are not asked for, and
 * connections are kept for a while. Rejects with {@link OutboundError}, or with the signal's reason when that is aborted,
 * which closes the connection at once; the same holds for the stream of the body.
 */
export interface OutboundFetch {
  (url: string | URL, request?: OutboundRequest): Promise<Response>
  /** Ends all connections; requests under way fail. */
  close(): Promise<void>
}

/**
 * Makes a {@link OutboundFetch} with connections of its own. Unless `isOpen`, only https is spoken and only to public
 * addresses: the name is looked up once for a connection and all addresses that it leads to are checked.
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

/** The HTTP client is loaded with the first request: it takes as long as a good part of the server's start. */
async function openClient(limits: OutboundLimits, isOpen: boolean): Promise<Client> {
  const { Agent, request } = await import('undici')
  const dispatcher = new Agent({
    // One request a connection, so that closing it is cancelling the request.
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
    })
    return answerOf(answer, { bytesMax: limits.responseBytesMax, toError, done: ending.release })
  } catch (error) {
    ending.release()
    throw toError(error)
  }
}

/** A signal that the caller's aborts, or the time for everything; `release` stops listening to both. */
function endWith(signal: AbortSignal | null | undefined, totalMs: number) {
  const ending = new AbortController()
  const late = () => ending.abort(new OutboundError('total_timeout', `No complete answer within ${totalMs} ms`))
  const timer = setTimeout(late, totalMs)
  const abort = () => ending.abort(signal?.reason)
  if (signal?.aborted) abort()
  signal?.addEventListener('abort', abort, { once: true })
  const release = (): void => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
  return { signal: ending.signal, release }
}

/** What the HTTP client takes as it is; `Headers` and lists of pairs are spelled out. */
function plain(headers: OutboundRequest['headers']): Record<string, string> {
  if (headers === undefined) return {}
  const isPlain = !Array.isArray(headers) && !(headers instanceof Headers)
  const entries = isPlain ? Object.entries(headers) : [...new Headers(headers)]
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as Record<string, string>
}

/** By the names of the HTTP client's errors; others mean that nobody answers. */
const FAILURES: Readonly<Record<string, OutboundFailure>> = {
  ConnectTimeoutError: 'connect_timeout',
  HeadersTimeoutError: 'first_byte_timeout',
  BodyTimeoutError: 'idle_timeout',
  InvalidArgumentError: 'invalid_request',
  HeadersOverflowError: 'invalid_response',
  HTTPParserError: 'invalid_response',
}

function toOutboundError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof OutboundError) return error
  const failure = FAILURES[error.name] ?? 'unreachable'
  const { code = error.name } = error as NodeJS.ErrnoException
  const message = `${MESSAGES[failure] ?? 'The address cannot be reached'} (${code})`
  return new OutboundError(failure, message, { cause: error })
}

const MESSAGES: Partial<Record<OutboundFailure, string>> = {
  connect_timeout: 'No connection in time',
  first_byte_timeout: 'No answer in time',
  idle_timeout: 'The answer stopped before its end',
  invalid_request: 'The request cannot be sent',
  invalid_response: 'The answer is no valid HTTP',
}
