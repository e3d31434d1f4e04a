import { requirePermission } from '@spanhouse/access'
import { type JsonObject, microsToIso } from '@spanhouse/model'
import { parseSavedQuery } from '@spanhouse/query'
import { readTraceHeads, readWholePage, type StoredSpan } from '@spanhouse/span-store'
import { optional, type WindowingBody, z } from '@spanhouse/validation'
import { savedFocus } from '../tracing/saved-queries.ts'
import { type Reading, readTraceSpans } from '../tracing/whole-traces.ts'
import type { ShownContent } from './shown-content.ts'

interface QueryOptions {
  include_trace_ids?: boolean
  include_traces?: boolean
  windowing?: WindowingBody
}

/** Spans of each trace that was found, in the order in which the traces were. */
type Found = ReadonlyMap<string, readonly StoredSpan[]>

/** A saved query that is retrieved can come with what it finds now. */
export const queriesShown: ShownContent = {
  options: { include_trace_ids: optional(z.boolean()), include_traces: optional(z.boolean()) },
  complete: async ({ principal, occasion, reading }, record, options) => {
    const { include_trace_ids = false, include_traces = false, windowing } = options as QueryOptions
    if (occasion !== 'retrieve' || !(include_trace_ids || include_traces)) return record
    requirePermission(principal, 'view_spans')
    if (!reading) throw new Error('saved queries are carried out only where the store of spans is open')
    const { data } = record as { data?: JsonObject }
    if (!data) return record
    const found = await find(reading, { saved: data, windowing, include_traces })
    return {
      ...record,
      data: {
        ...data,
        trace_ids: [...found.keys()],
        ...(include_traces && { traces: traces(found) as JsonObject[] }),
      },
    }
  },
}

interface Search {
  saved: JsonObject
  windowing: WindowingBody | undefined
  include_traces: boolean
}

const find = (reading: Reading, search: Search): Promise<Found> =>
  savedFocus(search.saved) === 'span' ? findSpans(reading, search) : findTraces(reading, search)

async function findTraces(reading: Reading, search: Search): Promise<Found> {
  const query = parseSavedQuery(search.saved, 'trace', { body: bodyOf(search) })
  const heads = await readTraceHeads(reading.engine, { project_id: reading.project_id, query })
  const ids = heads.map(head => head.trace_id)
  if (!search.include_traces) return new Map(ids.map(id => [id, []]))
  const groups = await readTraceSpans(reading, ids)
  return new Map(ids.flatMap(id => (groups.has(id) ? [[id, groups.get(id) as StoredSpan[]]] : [])))
}

/** Of each trace only the spans that are as asked. */
async function findSpans({ engine, project_id, holder }: Reading, search: Search): Promise<Found> {
  const query = parseSavedQuery(search.saved, 'span', { body: bodyOf(search) })
  const spans = await readWholePage(engine, { project_id, query }, holder)
  return Map.groupBy(spans, span => span.trace_id as string)
}

/** The request's windowing as a request for spans has it. */
function bodyOf({ windowing }: Search): object {
  const { newest, oldest, ...rest } = windowing ?? {}
  const time = (micros: number | undefined): string | undefined =>
    micros === undefined ? undefined : microsToIso(micros)
  return { windowing: { ...rest, newest: time(newest), oldest: time(oldest) } }
}

const traces = (found: Found): object[] =>
  Array.from(found, ([trace_id, spans]) => ({
    trace_id,
    spans: Object.fromEntries(spans.map(span => [span.span_id, span])),
  }))
