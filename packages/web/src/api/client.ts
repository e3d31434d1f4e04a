import { getKey, rejectKey } from './key.ts'

/** A response with an error status, or none at all (status 0). */
export class ApiError extends Error {
  readonly status: number
  /** After how long the server wants to be asked again. */
  readonly retryAfterMs: number | undefined

  constructor(status: number, message: string, retryAfterMs?: number) {
    super(message)
    this.status = status
    this.retryAfterMs = retryAfterMs
  }

  /** Whether the same request may succeed later. */
  get isPassing(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500
  }
}

interface Request {
  method?: 'GET' | 'POST'
  body?: unknown
  signal?: AbortSignal
}

/** Calls the API with the stored key. Throws an {@link ApiError}. */
export async function api<Answer>(path: string, { method = 'GET', body, signal }: Request = {}): Promise<Answer> {
  const headers: Record<string, string> = { authorization: `ApiKey ${getKey() ?? ''}` }
  if (body !== undefined) headers['content-type'] = 'application/json'
  const answer = await fetch(`/api${path}`, {
    method,
    headers,
    signal: signal ?? null,
    body: body === undefined ? null : JSON.stringify(body),
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error
    throw new ApiError(0, 'The server cannot be reached.')
  })
  if (answer.ok) return (await answer.json()) as Answer
  if (answer.status === 401) rejectKey()
  const seconds = Number(answer.headers.get('retry-after') ?? Number.NaN)
  throw new ApiError(answer.status, await reasonOf(answer), Number.isFinite(seconds) ? seconds * 1000 : undefined)
}

/** `detail` of a rejected request: a text, an object with a message, or the faults of its members. */
async function reasonOf(answer: Response): Promise<string> {
  const body = (await answer.json().catch(() => ({}))) as { detail?: unknown }
  const { detail } = body
  if (typeof detail === 'string') return detail
  if (Array.isArray(detail)) return detail.map(({ loc, msg }) => `${(loc ?? []).join('.')}: ${msg}`).join('; ')
  if (typeof detail === 'object' && detail !== null && 'message' in detail) return String(detail.message)
  return `The server responded with status ${answer.status}.`
}
