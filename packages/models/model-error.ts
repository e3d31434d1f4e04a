/**
 * What a failed call means for trying again. `availability`: no answer, or one that says the provider is in trouble.
 * `capacity`: too much was asked for. `transient`: somebody else is in the way. `access`: no credential, or a bad one.
 * `context`: the messages are too long for the model. `other`: all else.
 */
export type ModelErrorCategory = 'availability' | 'capacity' | 'transient' | 'access' | 'context' | 'other'

export interface ModelErrorDetails {
  category: ModelErrorCategory
  /** The HTTP status that the provider answered with; absent when it did not answer. */
  status?: number
  /** What the provider asked for. */
  retryAfterSeconds?: number
  /** Part of the answer was handed on before the call failed, so another attempt would say it twice. */
  isPartial?: boolean
  cause?: unknown
}

/** A call of a model that failed. The message is the provider's where it gave one, cut to a bound and without the key. */
export class ModelError extends Error {
  readonly category: ModelErrorCategory
  readonly status?: number
  readonly retryAfterSeconds?: number
  readonly isPartial: boolean

  constructor(message: string, { category, status, retryAfterSeconds, isPartial = false, cause }: ModelErrorDetails) {
    super(message, { cause })
    this.name = 'ModelError'
    this.category = category
    this.status = status
    this.retryAfterSeconds = retryAfterSeconds
    this.isPartial = isPartial
  }
}

/** Types of errors that clients know, without the address that they stand at. */
export type RoutingErrorType =
  | 'v0:schemas:invalid-secrets'
  | 'v0:schemas:unknown-connection'
  | 'v0:schemas:connection-model-mismatch'

/** A model that cannot be called with the credentials at hand; nothing was sent. */
export class RoutingError extends ModelError {
  readonly type: RoutingErrorType

  constructor(type: RoutingErrorType, message: string) {
    super(message, { category: type === 'v0:schemas:connection-model-mismatch' ? 'other' : 'access' })
    this.name = 'RoutingError'
    this.type = type
  }
}
