/** A response with an error status, or none at all (status 0). */
export class ApiError extends Error {
  readonly status: number
  /** After how long the server wants to be asked again. */
  readonly retryAfterMs: number | undefined
  /** The trace of a run that failed. */
  readonly traceId: string | undefined

  constructor(
    status: number,
    message: string,
    { retryAfterMs, traceId }: { retryAfterMs?: number; traceId?: string } = {},
  ) {
    super(message)
    this.status = status
    this.retryAfterMs = retryAfterMs
    this.traceId = traceId
  }

  /** Whether the same request may succeed later. A mistake of the server (500) does not pass. */
  get isPassing(): boolean {
    return this.status === 0 || this.status === 429 || this.status > 500
  }
}

/** Whether the server could not read what it was asked; if that was only an id from an address, the id is none. */
export const isMalformed = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 400 || error.status === 422)
