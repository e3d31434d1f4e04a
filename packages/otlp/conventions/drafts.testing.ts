import type { JsonObject, Span } from '@spanhouse/model'
import { canonicalise } from '../canonical/canonical.ts'
import { spanIdOf, traceIdOf } from '../exports.testing.ts'
import type { SpanDraft } from '../span-draft.ts'

/** A second long, and accepted some time after it began. */
export const START = 1_790_000_000_000_000
export const END = START + 1_000_000
export const ACCEPTED = START + 5_000_000

/** A draft with these attributes, flat or nested. */
const draftOf = (attributes: JsonObject, members: Partial<SpanDraft> = {}): SpanDraft => ({
  trace_id: traceIdOf('trace'),
  span_id: spanIdOf('span'),
  span_name: 'span',
  span_kind: 'SPAN_KIND_INTERNAL',
  start_time: START,
  end_time: END,
  accepted_at: ACCEPTED,
  status_code: 'STATUS_CODE_UNSET',
  attributes: new Map(Object.entries(structuredClone(attributes))),
  ...members,
})

export const spanOf = (attributes: JsonObject, members: Partial<SpanDraft> = {}): Span =>
  canonicalise(draftOf(attributes, members))

/** The members that every span's `ag` has. */
export const SKELETON = { type: {}, data: {}, metrics: { duration: {}, errors: {}, tokens: {}, costs: {} } }
