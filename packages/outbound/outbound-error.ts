/** Why a request got no complete response. */
export type OutboundFailure =
  /** The address must not be called: it is not https, is private, has another port, or has credentials. */
  | 'refused'
  /** No server responds there. */
  | 'unreachable'
  /** The server was reached, but the connection ended before the response was complete. */
  | 'broken'
  | 'connect_timeout'
  | 'first_byte_timeout'
  | 'idle_timeout'
  | 'total_timeout'
  /** The response is larger than `responseBytesMax`. */
  | 'too_large'
  /** The request cannot be sent, for example because a header contains a line break. */
  | 'invalid_request'
  /** The response is unusable. */
  | 'invalid_response'
  /** The response is a 100 or 101, which no request asks for. */
  | 'informational'

/**
 * Thrown by an outbound request, and by the stream of its response body. The message never contains a header or body.
 */
export class OutboundError extends Error {
  readonly failure: OutboundFailure
  /** The HTTP status, if the failure is `informational`. */
  readonly status: number | undefined

  constructor(failure: OutboundFailure, message: string, options: ErrorOptions & { status?: number } = {}) {
    super(message, options)
    this.name = 'OutboundError'
    this.failure = failure
    this.status = options.status
  }
}
