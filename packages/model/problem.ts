/** Every way a request can fail, in one table: code → HTTP status, and whether a retry may succeed. */
export const PROBLEMS = {
  invalid: { status: 400, retryable: false },
  unauthenticated: { status: 401, retryable: false },
  forbidden: { status: 403, retryable: false },
  not_found: { status: 404, retryable: false },
  method_not_allowed: { status: 405, retryable: false },
  conflict: { status: 409, retryable: false },
  too_slow: { status: 408, retryable: true },
  gone: { status: 410, retryable: false },
  too_large: { status: 413, retryable: false },
  unprocessable: { status: 422, retryable: false },
  too_many_requests: { status: 429, retryable: true },
  query_limit: { status: 400, retryable: false },
  unsupported: { status: 501, retryable: false },
  query_timeout: { status: 504, retryable: true },
  overloaded: { status: 503, retryable: true },
  internal: { status: 500, retryable: false },
} as const

export type ProblemCode = keyof typeof PROBLEMS

/** One violated rule of a request body, query string or path. `loc` starts with `body`, `query` or `path`. */
export interface Violation {
  type: string
  loc: (string | number)[]
  msg: string
  input?: unknown
  ctx?: Record<string, unknown>
}

/** What the HTTP layer writes as `detail`: a sentence, an object with a `message`, or the list of violations. */
export type ProblemDetail = string | { message: string; [key: string]: unknown } | Violation[]

/**
 * The only error that is shown to the caller. Any other error thrown is a defect and results in a 500.
 * `retryAfterSeconds` is set if the caller should retry later (429, 503).
 */
export class Problem extends Error {
  readonly code: ProblemCode
  readonly detail: ProblemDetail
  readonly retryAfterSeconds: number | undefined

  constructor(code: ProblemCode, detail: ProblemDetail, options: { retryAfterSeconds?: number; cause?: unknown } = {}) {
    super(messageOf(detail), options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'Problem'
    this.code = code
    this.detail = detail
    this.retryAfterSeconds = options.retryAfterSeconds
  }

  get status(): number {
    return PROBLEMS[this.code].status
  }

  get retryable(): boolean {
    return PROBLEMS[this.code].retryable
  }
}

function messageOf(detail: ProblemDetail): string {
  if (typeof detail === 'string') return detail
  if (Array.isArray(detail)) return detail.map(one => `${one.loc.join('.')}: ${one.msg}`).join('; ')
  return detail.message
}

/** A 400: the request is well formed but cannot be fulfilled as asked. `detail` names the field. */
export const invalid = (detail: string): Problem => new Problem('invalid', detail)

/** A 422: the request body, query string or path does not have the documented shape. */
export const unprocessable = (...violations: Violation[]): Problem => new Problem('unprocessable', violations)
