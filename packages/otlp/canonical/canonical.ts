import type { Json, Span, SpanLink, TraceType } from '@spanhouse/model'
import { addEnvelope } from '../bytes/envelope.ts'
import { hashOf, isName } from '../bytes/hash.ts'
import type { ToldFailure } from '../conventions/convention.ts'
import { recognise } from '../conventions/conventions.ts'
import { renameOlder } from '../conventions/native.ts'
import type { SpanDraft } from '../span-draft.ts'
import { completeAg, type FittingAg } from './ag-complete.ts'
import { fit } from './ag-fit.ts'
import { AG } from './ag-schema.ts'
import { type AttributeTree, attributeTree } from './attribute-tree.ts'
import { Parking } from './parking.ts'
import { fitReferenceList, referencesOf } from './references.ts'
import { mergeBelow } from './unflatten.ts'

/**
 * A draft in canonical form: attributes are nested, `ag` contains only what its schema allows, the rest of `ag` is
 * under `ag.unsupported`, and members derived from the attributes (types, references, hash, errors, exception) are set.
 * Attributes never cause an error. Totals over the trace are not computed here.
 */
export function canonicalise(draft: SpanDraft): Span {
  const { events = [], links = [] } = draft
  const recognised = draft.isInstrumented ? recognise({ attributes: draft.attributes, events }) : undefined
  const placed = attributeTree(draft.attributes)
  const attributes = placed.tree
  renameOlder(attributes.ag)
  // Values sent under `ag.*` win. The others remain in the attributes from which they were recognised.
  if (recognised) mergeBelow(attributes.ag, recognised.ag)
  const parking = parkingOf(placed, draft)
  const fitting = (fit(AG, attributes.ag, [], parking) ?? {}) as FittingAg
  if (draft.envelope) addEnvelope(attributes, draft.envelope, parking)
  const listed = referencesOf(fitting.references ?? {})
  const references = draft.references ? fitReferenceList(draft.references, listed, parking) : listed
  const hash = hashOf(references, links)
  const { start_time, end_time } = timesOf(draft)
  const { declared_trace_type, is_trace_type_explicit } = traceTypeOf(fitting.type?.trace, links)
  // Must come last: by now everything that does not fit is parked.
  attributes.ag = completeAg(fitting, parking, {
    events,
    hasDuration: end_time > start_time,
    isRecognised: recognised !== undefined,
    failure: draft.isInstrumented ? (failureOf(draft) ?? recognised?.failure) : undefined,
  })
  return {
    trace_id: draft.trace_id,
    span_id: draft.span_id,
    parent_id: draft.parent_id,
    declared_trace_type,
    is_trace_type_explicit,
    repeats_usage: recognised?.repeatsUsage || undefined,
    span_type: fitting.type?.span ?? draft.span_type ?? 'task',
    span_kind: draft.span_kind,
    span_name: draft.span_name,
    start_time,
    end_time,
    status_code: draft.status_code,
    status_message: draft.status_message || undefined,
    session_id: fitting.session?.id || undefined,
    user_id: fitting.user?.id || undefined,
    agent_id: fitting.agent?.id || undefined,
    attributes,
    references: orAbsent(references),
    links: orAbsent(links.map(withAttributes)),
    hashes: hash && [hash],
    events: orAbsent(events),
  }
}

/** Instrumentation need not record an exception as an event: the status and `error.type` tell of a failure as well. */
function failureOf({ status_code, status_message, attributes }: SpanDraft): ToldFailure | undefined {
  if (status_code !== 'STATUS_CODE_ERROR') return undefined
  const type = attributes.get('error.type')
  if (typeof type !== 'string' || type === '') return undefined
  return status_message ? { type, message: status_message } : { type }
}

/** What is parked before the schema is applied. Removes from `ag` what the client has parked itself. */
function parkingOf({ tree: { ag }, misplaced, conflicts }: AttributeTree, draft: SpanDraft): Parking {
  const { unsupported } = ag
  // The schema treats null as absent, and an object with a deleted key is slow.
  if (unsupported !== undefined) ag.unsupported = null
  const parking = new Parking(unsupported)
  for (const [key, value] of misplaced) parking.park([key], value)
  for (const key in conflicts) parking.parkConflict(key, conflicts[key] as Json)
  const { unsupported: fromSource } = draft
  for (const key in fromSource) parking.park([key], fromSource[key] as Json)
  return parking
}

function timesOf(draft: SpanDraft): Pick<Span, 'start_time' | 'end_time'> {
  const start_time = draft.start_time ?? draft.end_time ?? draft.accepted_at
  return { start_time, end_time: draft.end_time ?? start_time }
}

/** A declared type wins; a named link means that the trace annotates something. */
function traceTypeOf(
  declared: TraceType | undefined,
  links: readonly SpanLink[],
): Pick<Span, 'declared_trace_type' | 'is_trace_type_explicit'> {
  if (declared) return { declared_trace_type: declared, is_trace_type_explicit: true }
  const isAnnotation = links.some(({ attributes }) => isName(attributes?.key))
  return isAnnotation ? { declared_trace_type: 'annotation', is_trace_type_explicit: false } : {}
}

const withAttributes = (link: SpanLink): SpanLink => (link.attributes ? link : { ...link, attributes: {} })

const orAbsent = <Item>(list: readonly Item[]): Item[] | undefined => (list.length > 0 ? [...list] : undefined)
