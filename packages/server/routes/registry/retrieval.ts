import { deployRevision, retrievalInfo, retrieveRevision, toRevisionJson } from '@spanhouse/registry'
import { jsonObject, optional, windowing, z } from '@spanhouse/validation'
import { nameOf, retrievalMembers } from './bodies.ts'
import { contentOptions, withContent } from './content.ts'
import { resolvedIfAsked, resolveOption } from './embeds.ts'
import { addKindEndpoint, type KindRoutes } from './endpoint.ts'
import { one, oneAnswer } from './envelopes.ts'

/** Finding a revision by references, or through an environment, and putting one into an environment. */
export function addRetrievalRoutes(routes: KindRoutes): void {
  const { kind } = routes
  const name = nameOf(kind, 'revision')
  const path = `/${kind.plural}/revisions`
  const query = retrievalMembers(kind)

  addKindEndpoint(routes, {
    method: 'POST',
    path: `${path}/retrieve`,
    permission: kind.permissions.view,
    // A saved query that is retrieved may be carried out.
    share: kind.name === 'query' ? 'read' : 'call',
    summary: 'Finds one revision by references to it, its variant or its artifact.',
    answer: oneAnswer(name).extend({ retrieval_info: jsonObject.optional(), resolution_info: jsonObject.optional() }),
    body: z.object({
      ...query.members,
      windowing: optional(windowing),
      ...contentOptions(kind.name),
      ...resolveOption(kind),
    }),
    handle: async ({ scope, principal, body, holder }) => {
      const found = await retrieveRevision(scope, query.pick(body))
      if (!found) return one(name, undefined)
      const { row, resolution } = await resolvedIfAsked(scope, found.row, body)
      const { engine } = routes.registry
      const reading = engine && { engine, project_id: scope.project_id, holder }
      const call = { scope, principal, occasion: 'retrieve', reading } as const
      const record = await withContent(call, toRevisionJson(scope, row), body)
      return { ...one(name, record), retrieval_info: retrievalInfo(kind, found), ...resolution }
    },
  })
  if (!kind.deployable) return
  addKindEndpoint(routes, {
    method: 'POST',
    path: `${path}/deploy`,
    permission: [kind.permissions.edit, 'edit_environments'],
    summary: 'Makes a key of an environment point at a revision.',
    answer: oneAnswer(name),
    body: z.object({ ...query.members, message: optional(z.string()) }),
    handle: async ({ scope, body }) => {
      const { message } = body as { message?: string }
      return one(name, toRevisionJson(scope, await deployRevision(scope, { ...query.pick(body), message })))
    },
  })
}
