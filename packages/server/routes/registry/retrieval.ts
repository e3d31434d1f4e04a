import { deployRevision, retrievalInfo, retrieveRevision, toRevisionJson } from '@spanhouse/registry'
import { jsonObject, optional, windowing, z } from '@spanhouse/validation'
import { one } from '../../http/answer/envelopes.ts'
import { nameOf, retrievalMembers } from './bodies.ts'
import { contentOptions, restOfContent, withContent } from './content.ts'
import { resolvedIfAsked, resolveOption } from './embeds.ts'
import { addKindEndpoint, type KindRoutes, oneAnswer } from './endpoint.ts'
import { noteRead } from './read-events.ts'

/** Retrieval of a revision by references or through an environment, and deployment to an environment. */
export function addRetrievalRoutes(routes: KindRoutes): void {
  const { kind } = routes
  const name = nameOf(kind, 'revision')
  const path = `/${kind.plural}/revisions`
  const query = retrievalMembers(kind)

  addKindEndpoint(routes, {
    method: 'POST',
    path: `${path}/retrieve`,
    permission: kind.permissions.view,
    // A retrieved saved query may be run.
    share: kind.name === 'query' ? 'read' : 'call',
    summary: 'Returns the revision identified by references to it, its variant or its artifact.',
    answer: oneAnswer(name).extend({
      retrieval_info: jsonObject.optional(),
      resolution_info: jsonObject.optional(),
      windowing: jsonObject.optional(),
    }),
    body: z.object({
      ...query.members,
      windowing: optional(windowing),
      ...contentOptions(kind.name),
      ...resolveOption(kind),
    }),
    handle: async ({ scope, principal, body, holder }) => {
      const found = await retrieveRevision(scope, query.pick(body))
      if (!found) return one(name, undefined)
      noteRead(routes, principal, { verb: 'retrieved', row: found.row })
      const { row, resolution } = await resolvedIfAsked(scope, found.row, body)
      const { engine } = routes.registry
      const reading = engine && { engine, project_id: scope.project_id, holder }
      const call = { scope, principal, occasion: 'retrieve', reading } as const
      const stored = toRevisionJson(scope, row)
      const record = await withContent(call, stored, body)
      const rest = restOfContent(kind.name, stored, body)
      return { ...one(name, record), retrieval_info: retrievalInfo(kind, found), ...resolution, ...rest }
    },
  })
  if (!kind.deployable) return
  addKindEndpoint(routes, {
    method: 'POST',
    path: `${path}/deploy`,
    permission: [kind.permissions.edit, 'edit_environments'],
    summary: 'Deploys a revision to a key of an environment.',
    answer: oneAnswer(name),
    body: z.object({ ...query.members, message: optional(z.string()) }),
    handle: async ({ scope, body }) => {
      const { message } = body as { message?: string }
      return one(name, toRevisionJson(scope, await deployRevision(scope, { ...query.pick(body), message })))
    },
  })
}
