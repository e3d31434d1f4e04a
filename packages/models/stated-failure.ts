/** A failure as a provider states it. */
export interface StatedFailure {
  message: string
  type?: string
  code?: string | number
}

/** The places where answers state failures; everything may be missing or of another type. */
interface Said {
  object?: unknown
  type?: unknown
  error?: unknown
  /** Of OpenRouter. */
  choices?: { error?: unknown }[] | null
  /** Of OpenAI's responses. */
  response?: { error?: unknown } | null
  /** Of Cohere's last chunk. */
  delta?: { error?: unknown } | null
  /** Of MiniMax, in every answer. */
  base_resp?: { status_code?: unknown; status_msg?: unknown } | null
}

/** The failure that an answer with a good status, or a chunk of one, states instead of content or behind a part of it. */
export function statedFailure(said: unknown): StatedFailure | undefined {
  if (typeof said !== 'object' || said === null) return undefined
  const { object, type, error, choices, response, delta, base_resp: base } = said as Said
  const isError = object === 'error' || type === 'error'
  const places = [
    error,
    choices?.[0]?.error,
    response?.error,
    delta?.error,
    isError ? said : undefined,
    base?.status_code ? base.status_msg : undefined,
  ]
  return places.map(failureOf).find(found => found !== undefined)
}

/**
 * The same for something that is not an answer. The message at its top says more than a name next to it; Google's
 * failures are in a list at times, Amazon's have a capital letter, and those of Python's servers a detail.
 */
export function failureIn(said: unknown): StatedFailure | undefined {
  const [first] = [said].flat()
  const { detail, Message } = (first ?? {}) as { detail?: { error?: unknown } | null; Message?: unknown }
  const places = [detail, detail?.error, Message]
  return failureOf(first) ?? statedFailure(first) ?? places.map(failureOf).find(found => found !== undefined)
}

function failureOf(value: unknown): StatedFailure | undefined {
  if (typeof value === 'string') return value === '' ? undefined : { message: value }
  const { message, type, code } = (value ?? {}) as Record<string, unknown>
  if (typeof message !== 'string' || message === '') return undefined
  return {
    message,
    ...(typeof type === 'string' && { type }),
    ...((typeof code === 'string' || typeof code === 'number') && { code }),
  }
}
