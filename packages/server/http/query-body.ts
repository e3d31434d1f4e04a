import { type ProjectPrincipal, requirePermission } from '@spanhouse/access'
import type { Json } from '@spanhouse/model'
import { type Focus, namesSavedQuery, parseSpanQuery, type SpanQuery } from '@spanhouse/query'
import { json, optional } from '@spanhouse/validation'

/** Checked by the parser of `query`; here it is only described. */
export const spanQueryBody = optional(json).meta({
  description:
    '`filtering` and `windowing`, or flat `filter`, `oldest`, `newest`, `next`, `limit`, `order`, `rate`; or the saved ' +
    'query to use, as `query_ref`, `query_variant_ref`, `query_revision_ref`.',
})

/**
 * The query for spans or traces in a request's body; no body asks for everything. Undefined when it names a saved query
 * that the project does not have, which finds nothing, and never everything. Projects hold no saved queries so far.
 */
export async function readSpanQuery<F extends Focus>(
  principal: ProjectPrincipal,
  body: Json | undefined,
  focus: F,
): Promise<SpanQuery<F> | undefined> {
  if (!namesSavedQuery(body)) return parseSpanQuery(body ?? {}, focus)
  requirePermission(principal, 'view_queries')
  return undefined
}
