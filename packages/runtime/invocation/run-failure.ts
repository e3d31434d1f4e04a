import { Problem } from '@spanhouse/model'
import type { ErrorType } from '../error-types.ts'
import { type ErrorDetails, RunError } from '../run-error.ts'
import type { SpanFailure } from './run-trace.ts'

/** How a run ended (contract of the runtime, section 8.6). */
export interface RunStatus {
  /** 200, or the HTTP status of the error. */
  code: number
  message: string
  /** The part of `status.type` after `#`; absent on success. */
  fragment?: ErrorType
  details?: ErrorDetails
  /** When the caller should retry. */
  retryAfterSeconds?: number
}

export const SUCCESS: RunStatus = { code: 200, message: 'Success' }

/** The fragment of errors without one of their own. */
export const UNKNOWN_ERROR = 'v1:sdk:unknown-workflow-invoke-error'

const DEFECT = 'Something went wrong here; the error is in the log of the server.'

/**
 * The status that the caller gets for an error (section 8.8). If a provider rejects its credential it is 424, so that
 * it is not mistaken for the caller's own credential. The status of a defect does not describe it.
 */
export function statusOf(error: unknown): RunStatus {
  if (error instanceof RunError) {
    const { fragment, message, details, retryAfterSeconds } = error
    return { code: codeOf(error), message, fragment, details, retryAfterSeconds }
  }
  if (error instanceof Problem && error.code !== 'internal') {
    const { status, message, retryAfterSeconds } = error
    return { code: status, message, fragment: UNKNOWN_ERROR, retryAfterSeconds }
  }
  return { code: 500, message: DEFECT, fragment: UNKNOWN_ERROR }
}

const codeOf = ({ status, providerStatus }: RunError): number =>
  status === providerStatus && (status === 401 || status === 403) ? 424 : status

/** Whether an error is a defect of Spanhouse, which belongs in the log. */
export const isDefect = (error: unknown): boolean =>
  !(error instanceof RunError) && !(error instanceof Problem && error.code !== 'internal')

/** The failure that a span records for an error. */
export function failureOf(error: unknown): SpanFailure {
  const { fragment = UNKNOWN_ERROR, message } = statusOf(error)
  return { type: fragment, message }
}
