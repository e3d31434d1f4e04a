import { type ProjectPrincipal, requirePermission } from '@spanhouse/access'
import { isJsonObject, type Json, type JsonObject, Problem } from '@spanhouse/model'
import {
  type Focus,
  namesSavedQuery,
  parseSavedQuery,
  parseSpanQuery,
  refuseUnknownMembers,
  type SpanQuery,
} from '@spanhouse/query'
import { findRevision, KINDS, namesRevision, type References } from '@spanhouse/registry'
import type { Engine } from '@spanhouse/span-store'
import { validate, z } from '@spanhouse/validation'
import { referenceMembers } from '../registry/bodies.ts'
import { type Registry, scopeOf } from '../registry/endpoint.ts'

/** What is needed to find spans and traces. */
export interface ReadParts {
  engine: Engine
  registry: Registry
}

const references = referenceMembers(KINDS.query)
const named = z.object(references.members)

/**
 * The query for spans or traces in a request's body; without a body it matches everything. A saved query that the body
 * names supplies the filter, and the window if it has one. Undefined if the project has no such query or the query is
 * empty: that matches nothing, never everything. 403 without the permission to view queries, 400 for references that
 * are insufficient or contradict each other and for unknown members (`more` are known in addition), 422 for a window that
 * is not valid, 409 for a query saved for the other shape.
 */
export async function readSpanQuery<F extends Focus>(
  registry: Registry,
  principal: ProjectPrincipal,
  { body, focus, more }: { body: Json | undefined; focus: F; more?: readonly string[] },
): Promise<SpanQuery<F> | undefined> {
  refuseUnknownMembers(body, more)
  if (!namesSavedQuery(body)) return parseSpanQuery(body ?? {}, focus)
  requirePermission(principal, 'view_queries')
  const saved = await savedAt(registry, principal, references.pick(validate(named, body, 'body')))
  const wanted = saved && savedFocus(saved)
  if (wanted && wanted !== focus)
    throw new Problem('conflict', `The saved query returns ${wanted}s: use it with /${wanted}s/query.`)
  // The window is parsed whatever the references lead to: whether it is valid does not depend on what is stored.
  const query = parseSavedQuery(saved ?? {}, focus, { body })
  return saved ? query : undefined
}

async function savedAt(
  registry: Registry,
  principal: ProjectPrincipal,
  references: References,
): Promise<JsonObject | null> {
  const scope = scopeOf(registry, 'query', { principal })
  if (!namesRevision(scope.kind, references)) return null
  return (await findRevision(scope, references))?.data ?? null
}

/** The shape that a saved query was saved for; undefined if for either. */
export function savedFocus({ formatting }: JsonObject): Focus | undefined {
  const focus = isJsonObject(formatting) ? formatting.focus : undefined
  return focus === 'span' || focus === 'trace' ? focus : undefined
}
