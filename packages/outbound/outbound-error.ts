/** Why a request got no complete answer. */
export type OutboundFailure =
  /** The address must not be called: not https, private, or with credentials. */
  | 'refused'
  /** Nobody answers there, or the connection broke. */
  | 'unreachable'
  | 'connect_timeout'
  | 'first_byte_timeout'
  | 'idle_timeout'
  | 'total_timeout'
  /** The answer is larger than `responseBytesMax`. */
  | 'too_large'
  /** The request cannot be sent as it is, such as a header with a line break. */
  | 'invalid_request'
  /** What came back is no answer that can be used. */
  | 'invalid_response'

/** Thrown by an outbound request, and by the stream of its answer's body. The message quotes no header and no body. */
export class OutboundError extends Error {
  readonly failure: OutboundFailure

  constructor(failure: OutboundFailure, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'OutboundError'
    this.failure = failure
  }
}
