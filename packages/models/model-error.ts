/**
 * What a failed call means for retries. `availability`: no response, or one that reports trouble at the provider.
 * `capacity`: too many requests. `transient`: a conflict with another request. `access`: a missing or invalid
 * credential. `context`: the messages are too long for the model. `other`: everything else.
 */
export type ModelErrorCategory = 'availability' | 'capacity' | 'transient' | 'access' | 'context' | 'other'

export interface ModelErrorDetails {
  category: ModelErrorCategory
  /** The provider's HTTP status; absent if it did not respond. */
  status?: number
  /** The delay that the provider requested. */
  retryAfterSeconds?: number
  /** Part of the answer was passed on before the call failed, so another attempt would repeat it. */
  isPartial?: boolean
  cause?: unknown
}

/** A failed call of a model. The message is the provider's if it gave one, truncated and without the key. */
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

/** Error types that clients know, without their base address. */
export type RoutingErrorType =
  | 'v0:schemas:invalid-secrets'
  | 'v0:schemas:unknown-connection'
  | 'v0:schemas:connection-model-mismatch'

/** A model that cannot be called with the available credentials; nothing was sent. */
export class RoutingError extends ModelError {
  readonly type: RoutingErrorType

  constructor(type: RoutingErrorType, message: string) {
    super(message, { category: type === 'v0:schemas:connection-model-mismatch' ? 'other' : 'access' })
    this.name = 'RoutingError'
    this.type = type
  }
}
