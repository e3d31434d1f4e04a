import { ModelError, RoutingError } from '@spanhouse/models'
import { RunError } from '@spanhouse/runtime'

const COMPLETION_ERROR = 'v0:workflows:prompt-completion-error'

/**
 * Converts a failed model call to an error of the run (contract of the runtime, section 8.8): the provider's status if
 * it responded with an error, 500 if it did not respond. Other errors are returned unchanged.
 */
export function modelRunError(error: unknown): unknown {
  if (error instanceof RoutingError)
    return new RunError(400, error.type, error.message, { category: error.category, cause: error })
  if (!(error instanceof ModelError)) return error
  const { status, message, retryAfterSeconds, category, isPartial } = error
  const code = status !== undefined && status >= 400 && status < 600 ? status : 500
  return new RunError(code, COMPLETION_ERROR, message, {
    providerStatus: status,
    retryAfterSeconds,
    category,
    isPartial,
    cause: error,
  })
}
