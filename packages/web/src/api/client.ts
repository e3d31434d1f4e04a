import { jsonLines } from '@spanhouse/client'
import { type EventSourceMessage, EventSourceParserStream } from 'eventsource-parser/stream'
import { ApiError, isMalformed } from './api-error.ts'
import { takeBegun } from './begun.ts'
import { noteServerDate } from './clock.ts'
import { notingSlow } from './connection.ts'
import { parseExact } from './exact-json.ts'
import { getKey, rejectKey } from './key.ts'

interface Request {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  body?: unknown
  signal?: AbortSignal | undefined
  /**
   * For what is sent again: integers of any size keep their digits (see {@link parseExact}). Queries for it do without
   * structural sharing, which would copy such an integer member by member, as if it were an object.
   */
  isExact?: boolean
}

/** Calls the API with the stored key; undefined for a response without content. Throws an {@link ApiError}. */
export const api = <Answer>(path: string, request: Request = {}): Promise<Answer> => call(`/api${path}`, request)

/** Calls the API with a body, as {@link api} does. */
export const post = <Answer>(path: string, body: unknown, signal?: AbortSignal): Promise<Answer> =>
  api(path, { method: 'POST', body, signal })

/**
 * Asks for what has an id that is from an address: undefined if it cannot be an id. Throws otherwise as {@link api}.
 */
export const apiById = <Answer>(path: string, request: Request): Promise<Answer | undefined> =>
  api<Answer>(path, request).catch(error => {
    if (isMalformed(error)) return undefined
    throw error
  })

/** Calls the server at any path, as {@link api} does below `/api`. */
export async function call<Answer>(path: string, request: Request): Promise<Answer> {
  const answer = await send(path, request)
  if (answer.status === 204) return undefined as Answer
  const read: Promise<Answer> = request.isExact ? answer.text().then(text => parseExact(text)) : answer.json()
  return read.catch((error: unknown) => {
    if (request.signal?.aborted) throw error
    throw new ApiError(0, 'The response of the server broke off.')
  })
}

/**
 * The lines of a response, as they arrive: events of a stream of JSON lines, with integers of any size. Throws as
 * {@link api}.
 */
export async function* lines<Event>(path: string, request: Request): AsyncGenerator<Event> {
  const answer = await send(path, request, 'application/x-ndjson')
  yield* jsonLines<Event>(answer.body as ReadableStream<Uint8Array>, parseExact)
}

/** Server-sent events, as they arrive: `EventSource` cannot send the key. Throws as {@link api}. */
export async function* events(path: string, signal: AbortSignal): AsyncGenerator<EventSourceMessage> {
  const answer = await send(`/api${path}`, { signal }, 'text/event-stream')
  const texts = (answer.body as ReadableStream<BufferSource>).pipeThrough(new TextDecoderStream())
  yield* texts.pipeThrough(new EventSourceParserStream())
}

async function send(url: string, { method = 'GET', body, signal }: Request, accept?: string): Promise<Response> {
  const key = getKey()
  const headers: Record<string, string> = { authorization: `ApiKey ${key ?? ''}` }
  if (body !== undefined) headers['content-type'] = 'application/json'
  if (accept !== undefined) headers.accept = accept
  const asked = { method, headers, signal: signal ?? null, body: body === undefined ? null : JSON.stringify(body) }
  const response = ((method === 'GET' && takeBegun(url)) || fetch(url, asked)).catch((error: unknown) => {
    if (signal?.aborted) throw error
    throw new ApiError(0, 'The server cannot be reached.')
  })
  // Models and streams take their time.
  const answer = await (accept === undefined && url.startsWith('/api/') ? notingSlow(response) : response)
  noteServerDate(answer.headers.get('date'))
  if (answer.ok) return answer
  const refusal = ((await answer.json().catch(() => null)) ?? {}) as Refusal
  // What a run called may have answered 401 to it: then the run has that status, and the key is none the worse.
  if (answer.status === 401 && refusal.status === undefined) rejectKey(key)
  const seconds = Number(answer.headers.get('retry-after') ?? Number.NaN)
  const traceId = answer.headers.get('x-ag-trace-id')
  throw new ApiError(answer.status, reasonOf(refusal) ?? `The server responded with status ${answer.status}.`, {
    ...(Number.isFinite(seconds) && { retryAfterMs: seconds * 1000 }),
    ...(traceId !== null && { traceId }),
  })
}

/**
 * The body of a response with an error status. `detail` is of a rejected request: a text, an object with a message, or
 * the faults of its members. Runs that failed have a status instead.
 */
interface Refusal {
  detail?: unknown
  status?: { message?: string }
}

function reasonOf({ detail, status }: Refusal): string | undefined {
  if (typeof status?.message === 'string') return status.message
  if (typeof detail === 'string') return detail
  if (Array.isArray(detail)) return detail.map(({ loc, msg }) => `${(loc ?? []).join('.')}: ${msg}`).join('; ')
  if (typeof detail === 'object' && detail !== null && 'message' in detail) return String(detail.message)
  return undefined
}
