import { requirePermission } from '@spanhouse/access'
import { type Focus, namesSavedQuery, parseSpanQuery, type SpanQuery } from '@spanhouse/query'
import type { FastifyRequest } from 'fastify'
import { principalOf } from './auth.ts'
import { readJson } from './body.ts'

/**
 * The query for spans or traces in a request's body; no body asks for everything. Undefined when it names a saved query
 * that the project does not have, which finds nothing, and never everything. Projects hold no saved queries so far.
 */
export async function readSpanQuery<F extends Focus>(
  request: FastifyRequest,
  focus: F,
): Promise<SpanQuery<F> | undefined> {
  const body = (await readJson(request)) ?? {}
  if (!namesSavedQuery(body)) return parseSpanQuery(body, focus)
  requirePermission(principalOf(request), 'view_queries')
  return undefined
}
