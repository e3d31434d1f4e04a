import { chosenHeaders, headerMistakeIn, OutboundError, type OutboundFetch } from '@spanhouse/outbound'
import { type PostReply, type PostRequest, type RunContext, RunError } from '@spanhouse/runtime'

/**
 * Posts JSON to an address that a caller chose; see `Means.post`. The request carries the run's trace context but none
 * of the platform's credentials, and redirects are not followed. The span records neither the caller's headers, which
 * may be secret, nor the body, which is on the root span.
 */
export function postTo(outbound: OutboundFetch, context: RunContext, request: PostRequest): Promise<PostReply> {
  const { url, fragments, timeoutMs } = request
  const start = {
    name: 'http.post',
    type: 'task',
    kind: 'SPAN_KIND_CLIENT',
    parameters: { url: withoutQuery(url) },
  } as const
  return context.trace.during(start, async (notes, span_id) => {
    const headers = {
      ...headersChosenIn(request),
      'content-type': 'application/json',
      traceparent: `00-${context.trace.trace_id}-${span_id}-01`,
    }
    const late = AbortSignal.timeout(timeoutMs)
    const signal = AbortSignal.any([context.signal, late])
    try {
      const response = await outbound(url, { method: 'POST', headers, body: JSON.stringify(request.body), signal })
      const text = await response.text()
      notes.outputs = { status: response.status, bytes: Buffer.byteLength(text) }
      return { status: response.status, text }
    } catch (error) {
      context.signal.throwIfAborted()
      if (late.aborted) throw new RunError(500, fragments.failed, `No complete answer within ${timeoutMs / 1000} s.`)
      throw postError(error, fragments)
    }
  })
}

function postError(error: unknown, { refused, failed }: PostRequest['fragments']): unknown {
  if (!(error instanceof OutboundError)) return error
  if (error.failure === 'refused' || error.failure === 'invalid_request')
    return new RunError(400, refused, error.message, { details: { path: 'url' } })
  return new RunError(500, failed, error.message)
}

/** Headers that `postTo` sets, in lower case. */
const RESERVED = new Set(['content-type', 'traceparent'])

function headersChosenIn({ headers = {}, fragments }: PostRequest): Record<string, string> {
  const chosen = chosenHeaders(headers, RESERVED)
  for (const [name, value] of chosen) {
    const mistake = headerMistakeIn(name, value)
    if (mistake === null) continue
    const details = { path: `headers.${name}` }
    throw new RunError(400, fragments.refused, `The header ${JSON.stringify(name)} ${mistake}`, { details })
  }
  return Object.fromEntries(chosen)
}

/** The query string may contain a token. */
const withoutQuery = (url: string): string =>
  URL.canParse(url) ? `${new URL(url).origin}${new URL(url).pathname}` : url
