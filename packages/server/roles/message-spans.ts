import { parseTraceId, parseUuid, type Span } from '@spanhouse/model'
import { canonicalise, decodeDrafts, decodeTraces, toSpan } from '@spanhouse/otlp'
import type { TraceDeletion } from '@spanhouse/span-store'
import type { SpanMessage } from '@spanhouse/span-stream'

/** The deletion in a message of the format `deletion`. Throws if it is invalid. */
export function deletionIn({ id, project_id, accepted_at, body }: SpanMessage): TraceDeletion {
  const trace_id = parseTraceId(Buffer.from(body).toString('hex'))
  if (!trace_id || parseUuid(id) !== id) throw new Error('the id of the trace or of the deletion is missing or invalid')
  return { id, project_id, trace_id, deleted_at: accepted_at }
}

/** A span of a message, and how many bytes of its body it takes, about. */
export interface MessageSpan {
  span: Span
  bytes: number
}

/**
 * The spans in a message in canonical form, whatever its format, one after the other. Throws if the body cannot be
 * decoded.
 */
export function* spansIn({ format, body, accepted_at }: SpanMessage): Iterable<MessageSpan> {
  if (format === 'json') {
    const drafts = decodeDrafts(body)
    for (const draft of drafts) yield { span: canonicalise(draft), bytes: body.length / drafts.length }
  } else for (const decoded of decodeTraces(body)) yield { span: toSpan(decoded, accepted_at), bytes: decoded.bytes }
}
