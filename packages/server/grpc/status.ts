import type { OutgoingHttpHeaders } from 'node:http2'
import type { Problem, ProblemCode } from '@spanhouse/model'
import { encodeStatus } from '@spanhouse/otlp'

/** gRPC's status codes. */
const STATUS = {
  ok: 0,
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  permissionDenied: 7,
  resourceExhausted: 8,
  failedPrecondition: 9,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
} as const

/**
 * The status of each failure. OTLP allows retries after `unavailable` and `deadlineExceeded`, and after
 * `resourceExhausted` only with a `RetryInfo`, which is sent when a retry may succeed.
 */
const STATUS_OF: Record<ProblemCode, number> = {
  invalid: STATUS.invalidArgument,
  unauthenticated: STATUS.unauthenticated,
  forbidden: STATUS.permissionDenied,
  not_found: STATUS.notFound,
  method_not_allowed: STATUS.unimplemented,
  conflict: STATUS.failedPrecondition,
  too_slow: STATUS.deadlineExceeded,
  gone: STATUS.notFound,
  too_large: STATUS.resourceExhausted,
  unprocessable: STATUS.invalidArgument,
  too_many_requests: STATUS.resourceExhausted,
  query_limit: STATUS.invalidArgument,
  unsupported: STATUS.unimplemented,
  query_timeout: STATUS.deadlineExceeded,
  overloaded: STATUS.unavailable,
  internal: STATUS.internal,
}

/** The trailers that report a failure. */
export function trailersOf({ code, message, retryAfterSeconds }: Problem): OutgoingHttpHeaders {
  const status = STATUS_OF[code]
  const trailers: OutgoingHttpHeaders = { 'grpc-status': String(status), 'grpc-message': percentEncoded(message) }
  if (retryAfterSeconds === undefined) return trailers
  const details = Buffer.from(encodeStatus({ code: status, message, retryAfterSeconds }))
  return { ...trailers, 'grpc-status-details-bin': details.toString('base64') }
}

const MESSAGE_LENGTH_MAX = 1_000

/** As `grpc-message` requires: everything but visible ASCII, and `%`, as percent-encoded UTF-8. */
const percentEncoded = (message: string): string =>
  message
    .slice(0, MESSAGE_LENGTH_MAX)
    .toWellFormed()
    .replace(/[^\x20-\x24\x26-\x7e]+/g, encodeURIComponent)
