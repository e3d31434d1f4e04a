import { ModelError, RoutingError } from '@spanhouse/models'
import { RunError } from '@spanhouse/runtime'

const COMPLETION_ERROR = 'v0:workflows:prompt-completion-error'

/**
 * The failure of a model's call as a run's (contract of the runtime, section 8.8): a provider that answered with an error passes it
 * on, one that did not answer is a 500. Anything else stays what it is.
 */
export function modelRunError(error: unknown): unknown {
  if (error instanceof RoutingError)
    return new RunError(400, error.type, error.message, { category: error.category, cause: error })
  if (!(error instanceof ModelError)) return error
  const { status, message, retryAfterSeconds, category } = error
  const code = status !== undefined && status >= 400 && status < 600 ? status : 500
  return new RunError(code, COMPLETION_ERROR, message, {
    providerStatus: status,
    retryAfterSeconds,
    category,
    cause: error,
  })
}
