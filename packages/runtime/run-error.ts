import type { Json } from '@spanhouse/model'
import type { ModelErrorCategory } from '@spanhouse/models'
import type { ErrorType } from './error-types.ts'

/** The parts of the message about a wrong value, so that programs need not parse it. */
export interface ErrorDetails {
  /** Where, in the notation of section 14: `prompt.messages[0]`, `regex_pattern`. */
  path?: string
  expected?: string
  /** The JSON type of the actual value, which itself is not repeated. */
  got?: string
}

/**
 * A failure whose reason the caller may know. Anything else that a handler throws is a defect, which is answered with
 * 500 and without its message.
 */
export class RunError extends Error {
  /** The HTTP status, also `status.code` of the response. */
  readonly status: number
  /** The part of `status.type` after `#`: `v0:schemas:missing-input` (contract of the runtime, section 14). */
  readonly fragment: ErrorType
  readonly details: ErrorDetails | undefined
  /** The status of the provider's response, if a provider failed. */
  readonly providerStatus: number | undefined
  readonly retryAfterSeconds: number | undefined
  /** The kind of a provider's failure, as in the table of section 4.5. */
  readonly category: ModelErrorCategory | undefined
  /** Whether part of a model's answer was passed on before: another call would repeat it. */
  readonly isPartial: boolean

  constructor(
    status: number,
    fragment: ErrorType,
    message: string,
    more: {
      details?: ErrorDetails
      providerStatus?: number
      retryAfterSeconds?: number
      category?: ModelErrorCategory
      isPartial?: boolean
      cause?: unknown
    } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause })
    this.name = 'RunError'
    this.status = status
    this.fragment = fragment
    this.details = more.details
    this.providerStatus = more.providerStatus
    this.retryAfterSeconds = more.retryAfterSeconds
    this.category = more.category
    this.isPartial = more.isPartial ?? false
  }
}

type Place = 'parameter' | 'input'

/** A 400 for a missing parameter or input. */
export const missing = (place: Place, path: string): RunError =>
  new RunError(400, `v0:schemas:missing-${place}`, `Missing ${place} at '${path}'`, { details: { path } })

/** A 400 for a value of the wrong type or out of range. `place` is also `inputs` or `outputs` as a whole. */
export function misfit(
  place: Place | 'inputs' | 'outputs',
  path: string,
  expected: string,
  value: Json | undefined,
): RunError {
  const got = typeName(value)
  const message = `Invalid ${place} at '${path}'\nExpected ${expected}\nGot ${got}`
  return new RunError(400, `v0:schemas:invalid-${place}`, message, { details: { path, expected, got } })
}

function typeName(value: Json | undefined): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}
