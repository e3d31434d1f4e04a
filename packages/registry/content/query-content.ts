import { isJsonObject, type Json, type JsonObject, present } from '@spanhouse/model'
import { parseFilter, parseGivenWindowing } from '@spanhouse/query'
import { json, optional, storedObject, z } from '@spanhouse/validation'
import type { Content } from '../kind.ts'

/** The data of a saved query. Results (`trace_ids`, `traces`) may be sent back and are dropped. */
const queryData = z
  .strictObject({
    formatting: optional(
      z.object({
        focus: optional(z.enum(['trace', 'span'])),
        format: optional(z.enum(['agenta', 'opentelemetry'])),
      }),
    ),
    filtering: optional(storedObject),
    windowing: optional(storedObject),
    trace_ids: optional(json),
    traces: optional(json),
  })
  .transform(({ formatting, filtering, windowing }) => withoutNulls({ formatting, filtering, windowing }))

/** The filter is parsed as for a query, so that no filter is stored that cannot be executed. */
export const queryContent: Content = {
  data: queryData,
  prepare: (data, { loc }) => {
    const focus = isJsonObject(data.formatting) && data.formatting.focus === 'span' ? 'span' : 'trace'
    parseFilter(data.filtering, [...loc, 'filtering'])
    parseGivenWindowing(data.windowing, focus, [...loc, 'windowing'])
    return { data: Object.keys(data).length === 0 ? null : data }
  },
  flags: null,
  show: data => data,
}

const withoutNulls = (object: object): JsonObject =>
  Object.fromEntries(Object.entries(present(object)).map(([name, value]) => [name, inner(value)]))

function inner(value: Json): Json {
  if (Array.isArray(value)) return value.map(inner)
  return isJsonObject(value) ? withoutNulls(value) : value
}
