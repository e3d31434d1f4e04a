import {
  deployRevision,
  KINDS,
  type References,
  retrievalInfo,
  retrieveRevision,
  revisionRecord,
} from '@spanhouse/registry'
import { jsonObject, optional, windowing, z } from '@spanhouse/validation'
import { nameOf, referenceMembers } from './registry-bodies.ts'
import { contentOptions, oneWithContent } from './registry-content.ts'
import { addKindEndpoint, type KindRoutes } from './registry-endpoint.ts'
import { one, oneAnswer } from './registry-envelopes.ts'

/** Finding a revision by references, or through an environment, and putting one into an environment. */
export function addRetrievalRoutes(routes: KindRoutes): void {
  const { kind } = routes
  const name = nameOf(kind, 'revision')
  const path = `/${kind.plural}/revisions`
  const references = referenceMembers(kind)
  const environment = referenceMembers(KINDS.environment)
  const through = kind.deployable ? { ...environment.members, key: optional(z.string()) } : {}
  const queryOf = (body: object): { references: References; environment: References; key?: string } => ({
    references: references.pick(body),
    environment: kind.deployable ? environment.pick(body) : {},
    key: (body as { key?: string }).key,
  })

  addKindEndpoint(routes, {
    ...{ method: 'POST', path: `${path}/retrieve`, permission: kind.permissions.view },
    summary: 'Finds one revision by references to it, its variant or its artifact.',
    answer: oneAnswer(name).extend({ retrieval_info: jsonObject.optional() }),
    body: z.object({ ...references.members, ...through, windowing: optional(windowing), ...contentOptions(kind.name) }),
    handle: async ({ scope, principal, body }) => {
      const found = await retrieveRevision(scope, queryOf(body))
      if (!found) return one(name, undefined)
      const call = { scope, principal, occasion: 'retrieve' } as const
      const record = await oneWithContent(call, revisionRecord(scope, found.row), body)
      return { ...one(name, record), retrieval_info: retrievalInfo(kind, found) }
    },
  })
  if (!kind.deployable) return
  addKindEndpoint(routes, {
    ...{ method: 'POST', path: `${path}/deploy`, permission: [kind.permissions.edit, 'edit_environments'] },
    summary: 'Makes a key of an environment point at a revision.',
    answer: oneAnswer(name),
    body: z.object({ ...references.members, ...through, message: optional(z.string()) }),
    handle: async ({ scope, body }) => {
      const { message } = body as { message?: string }
      return one(name, revisionRecord(scope, await deployRevision(scope, { ...queryOf(body), message })))
    },
  })
}
