import type { JsonObject } from '@spanhouse/model'
import { invalid } from '@spanhouse/model'
import {
  type EmbedLimits,
  ERROR_POLICIES,
  embedLoader,
  hasReference,
  KINDS,
  type References,
  resolveEmbeds,
  resolveRevision,
  retrievalInfo,
  retrieveRevision,
  revisionRecord,
  type Scope,
} from '@spanhouse/registry'
import { jsonObject, optional, z } from '@spanhouse/validation'
import { nameOf, referenceMembers } from './registry-bodies.ts'
import { addKindEndpoint, type KindRoutes } from './registry-endpoint.ts'
import { one, oneAnswer } from './registry-envelopes.ts'

const limits = {
  max_depth: optional(z.int().nonnegative()),
  max_embeds: optional(z.int().nonnegative()),
  error_policy: optional(z.enum(ERROR_POLICIES)),
}

/** Replaces the embeds of a stored revision, or of data that is sent along. */
export function addResolveRoute(routes: KindRoutes): void {
  const { kind } = routes
  if (!kind.deployable && !kind.isEnvironment) return
  const name = nameOf(kind, 'revision')
  const references = referenceMembers(kind)
  const environment = referenceMembers(KINDS.environment)
  const through = kind.deployable ? { ...environment.members, key: optional(z.string()) } : {}
  const inline = { [name]: optional(inlineRevision(kind.content.data)) }
  addKindEndpoint(routes, {
    ...{ method: 'POST', path: `/${kind.plural}/revisions/resolve`, permission: kind.permissions.view },
    summary: 'Replaces what a revision embeds from others by their values.',
    answer: oneAnswer(name).extend({ retrieval_info: jsonObject.optional(), resolution_info: jsonObject.optional() }),
    body: z.object({ ...references.members, ...through, ...inline, ...limits }),
    handle: async ({ scope, body }) => {
      const sent = body as EmbedLimits & { key?: string } & Record<string, unknown>
      if (sent[name]) return resolveInline(scope, name, sent[name] as InlineRevision, sent)
      const query = { references: references.pick(body), environment: kind.deployable ? environment.pick(body) : {} }
      return resolveStored(scope, name, { ...query, key: sent.key }, sent)
    },
  })
}

interface InlineRevision extends JsonObject {
  data?: JsonObject
}

/** A revision that need not be stored: its labels come back as they are, its data resolved. */
const inlineRevision = (data: z.ZodType<JsonObject>) =>
  z.object({
    ...{ id: optional(z.string()), slug: optional(z.string()), version: optional(z.string()) },
    ...{ name: optional(z.string()), description: optional(z.string()) },
    ...{ tags: optional(jsonObject), meta: optional(jsonObject), data: optional(data) },
  })

async function resolveInline(
  scope: Scope,
  name: string,
  { data, ...labels }: InlineRevision,
  limits: EmbedLimits,
): Promise<JsonObject> {
  if (!data) throw invalid(`${name}.data is what would be resolved`)
  const resolved = await resolveEmbeds(data, embedLoader(scope), limits)
  const info = scope.kind.name === 'workflow' ? { retrieval_info: { references: {} } } : {}
  return { ...one(name, { ...labels, data: resolved.data }), ...info, resolution_info: resolved.info }
}

async function resolveStored(
  scope: Scope,
  name: string,
  query: { references: References; environment: References; key?: string },
  limits: EmbedLimits,
): Promise<JsonObject> {
  const isNamed = hasReference(KINDS.environment, query.environment) || hasReference(scope.kind, query.references)
  const found = isNamed ? await retrieveRevision(scope, query) : undefined
  if (!found) return one(name, undefined)
  const { row, info } = await resolveRevision(scope, found.row, limits)
  return {
    ...one(name, revisionRecord(scope, row)),
    retrieval_info: retrievalInfo(scope.kind, found),
    resolution_info: info,
  }
}
