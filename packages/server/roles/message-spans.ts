import type { Span } from '@spanhouse/model'
import { canonicalise, decodeDrafts, decodeTraces, toSpan } from '@spanhouse/otlp'
import type { SpanMessage } from '@spanhouse/span-stream'

/** The spans in a message, in canonical form, whichever way they came. Throws when the body cannot be decoded. */
export function* spansIn({ format, body, accepted_at }: SpanMessage): Iterable<Span> {
  if (format === 'json') for (const draft of decodeDrafts(body)) yield canonicalise(draft)
  else for (const decoded of decodeTraces(body)) yield toSpan(decoded, accepted_at)
}
