import { invalid, type JsonObject } from '@spanhouse/model'
import {
  type EmbedLimits,
  ERROR_POLICIES,
  embedLoader,
  hasReference,
  KINDS,
  type Kind,
  type References,
  type RetrieveQuery,
  type RevisionRow,
  resolveEmbeds,
  resolveRevision,
  retrievalInfo,
  retrieveRevision,
  type Scope,
  toRevisionJson,
} from '@spanhouse/registry'
import { jsonObject, optional, storedObject, z } from '@spanhouse/validation'
import { CONTENT_BODY_BYTES_MAX } from '../../budget/limits.ts'
import { answerOfOne, one } from '../../http/answer/envelopes.ts'
import { nameOf, retrievalMembers } from './bodies.ts'
import { addKindEndpoint, type KindRoutes } from './endpoint.ts'

const limits = {
  max_depth: optional(z.int().nonnegative()),
  max_embeds: optional(z.int().nonnegative()),
  error_policy: optional(z.enum(ERROR_POLICIES)),
}

/** Whether revisions of the kind can embed others. */
const canEmbed = ({ deployable, isEnvironment }: Kind): boolean => deployable || isEnvironment

/** The members of a retrieve request that control embeds. */
export const resolveOption = (kind: Kind): z.ZodRawShape => (canEmbed(kind) ? { resolve: optional(z.boolean()) } : {})

/** The revision, with its embeds resolved if the body asks for that, and the accompanying information. */
export async function resolvedIfAsked(
  scope: Scope,
  row: RevisionRow,
  body: object,
): Promise<{ row: RevisionRow; resolution?: JsonObject }> {
  if (!(body as { resolve?: boolean }).resolve) return { row }
  const resolved = await resolveRevision(scope, row)
  return { row: resolved.row, resolution: { resolution_info: resolved.info } }
}

/** A revision of which everything but the data may be absent, since it need not be stored. */
const revision = z.looseObject({ id: z.string().optional(), slug: z.string().optional() })

/** Resolves the embeds of a stored revision, or of data in the request. */
export function addResolveRoute(routes: KindRoutes): void {
  const { kind } = routes
  if (!canEmbed(kind)) return
  const name = nameOf(kind, 'revision')
  const query = retrievalMembers(kind)
  const inline = { [name]: optional(inlineRevision(kind.content.data)) }
  addKindEndpoint(routes, {
    bodyBytesMax: CONTENT_BODY_BYTES_MAX,
    method: 'POST',
    path: `/${kind.plural}/revisions/resolve`,
    permission: kind.permissions.view,
    share: 'heavy',
    summary: "Resolves a revision's embeds: replaces each with the value it refers to.",
    answer: answerOfOne(name, revision).extend({
      retrieval_info: jsonObject.optional(),
      resolution_info: jsonObject.optional(),
    }),
    body: z.object({ ...query.members, ...inline, ...limits }),
    handle: ({ scope, body }) => {
      const sent = (body as Record<string, unknown>)[name] as InlineRevision | undefined
      return sent
        ? resolveInline(scope, name, sent, body as EmbedLimits)
        : resolveStored(scope, name, query.pick(body), body as EmbedLimits)
    },
  })
}

type InlineRevision = z.output<ReturnType<typeof inlineRevision>>

/** A revision that need not be stored: its labels are returned unchanged, its data resolved. */
const inlineRevision = (data: z.ZodType<JsonObject>) =>
  z.object({
    id: optional(z.string()),
    slug: optional(z.string()),
    version: optional(z.string()),
    name: optional(z.string()),
    description: optional(z.string()),
    tags: optional(storedObject),
    meta: optional(storedObject),
    data: optional(data),
  })

async function resolveInline(
  scope: Scope,
  name: string,
  { data, ...labels }: InlineRevision,
  limits: EmbedLimits,
): Promise<object> {
  if (!data) throw invalid(`${name}.data is required: it contains the embeds to resolve`)
  const resolved = await resolveEmbeds(data, embedLoader(scope), limits)
  const answer = { count: 1, [name]: { ...labels, data: resolved.data }, resolution_info: resolved.info }
  return scope.kind.name === 'workflow' ? { ...answer, retrieval_info: { references: {} } } : answer
}

async function resolveStored(
  scope: Scope,
  name: string,
  query: RetrieveQuery & { environment: References },
  limits: EmbedLimits,
): Promise<JsonObject> {
  const isNamed = hasReference(KINDS.environment, query.environment) || hasReference(scope.kind, query.references)
  const found = isNamed ? await retrieveRevision(scope, query) : undefined
  if (!found) return one(name, undefined)
  const { row, info } = await resolveRevision(scope, found.row, limits)
  return {
    ...one(name, toRevisionJson(scope, row)),
    retrieval_info: retrievalInfo(scope.kind, found),
    resolution_info: info,
  }
}
