import { requirePermission } from '@spanhouse/access'
import { type JsonObject, microsToIso, type SpanJson } from '@spanhouse/model'
import { parseSavedQuery } from '@spanhouse/query'
import { type Engine, readSpanPage, readTraceHeads } from '@spanhouse/span-store'
import { optional, type WindowingBody, z } from '@spanhouse/validation'
import type { ShownContent } from './registry-content.ts'
import { savedFocus } from './saved-queries.ts'
import { readTraceSpans } from './whole-traces.ts'

interface QueryOptions {
  include_trace_ids?: boolean
  include_traces?: boolean
  windowing?: WindowingBody
}

/** Spans of each trace that was found, in the order in which the traces were. */
type Found = ReadonlyMap<string, readonly SpanJson[]>

/** A saved query that is retrieved can come with what it finds now. */
export const queriesShown: ShownContent = {
  options: { include_trace_ids: optional(z.boolean()), include_traces: optional(z.boolean()) },
  complete: async ({ scope, principal, occasion, engine }, records, options) => {
    const { include_trace_ids = false, include_traces = false, windowing } = options as QueryOptions
    if (occasion !== 'retrieve' || !(include_trace_ids || include_traces)) return records
    requirePermission(principal, 'view_spans')
    if (!engine) throw new Error('saved queries are carried out only where the store of spans is open')
    const complete = async (record: JsonObject): Promise<JsonObject> => {
      const { data } = record as { data?: JsonObject }
      if (!data) return record
      const found = await find(engine, scope.project_id, { saved: data, windowing, include_traces })
      return {
        ...record,
        data: { ...data, trace_ids: [...found.keys()], ...(include_traces && { traces: traces(found) }) },
      }
    }
    return Promise.all(records.map(complete))
  },
}

interface Search {
  saved: JsonObject
  windowing: WindowingBody | undefined
  include_traces: boolean
}

function find(engine: Engine, project_id: string, search: Search): Promise<Found> {
  return savedFocus(search.saved) === 'span'
    ? findSpans(engine, project_id, search)
    : findTraces(engine, project_id, search)
}

async function findTraces(engine: Engine, project_id: string, search: Search): Promise<Found> {
  const query = parseSavedQuery(search.saved, 'trace', { body: bodyOf(search) })
  const heads = await readTraceHeads(engine, { project_id, query })
  const ids = heads.map(head => head.trace_id)
  if (!search.include_traces) return new Map(ids.map(id => [id, []]))
  const groups = await readTraceSpans(engine, project_id, ids)
  return new Map(ids.flatMap(id => (groups.has(id) ? [[id, groups.get(id) as SpanJson[]]] : [])))
}

/** Of each trace only the spans that are as asked. */
async function findSpans(engine: Engine, project_id: string, search: Search): Promise<Found> {
  const query = parseSavedQuery(search.saved, 'span', { body: bodyOf(search) })
  const spans = await readSpanPage(engine, { project_id, query })
  return Map.groupBy(spans, span => span.trace_id as string)
}

/** The request's windowing as a request for spans has it. */
function bodyOf({ windowing }: Search): object {
  const { newest, oldest, ...rest } = windowing ?? {}
  const time = (micros: number | undefined): string | undefined =>
    micros === undefined ? undefined : microsToIso(micros)
  return { windowing: { ...rest, newest: time(newest), oldest: time(oldest) } }
}

const traces = (found: Found): JsonObject[] =>
  Array.from(found, ([trace_id, spans]) => ({
    trace_id,
    spans: Object.fromEntries(spans.map(span => [span.span_id as string, span as unknown as JsonObject])),
  }))
