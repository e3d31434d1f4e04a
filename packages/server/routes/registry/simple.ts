import { type JsonObject, Problem } from '@spanhouse/model'
import {
  createSimple,
  editSimple,
  type FoundSimpleRow,
  findSimple,
  listSimple,
  type SimpleRow,
  setGuarded,
  setSimpleArchived,
  toSimpleJson,
} from '@spanhouse/registry'
import { ignoredBody, optional, uuid, z } from '@spanhouse/validation'
import { CONTENT_BODY_BYTES_MAX, QUERY_BODY_BYTES_MAX } from '../../budget/limits.ts'
import { manyRead, one } from '../../http/answer/envelopes.ts'
import { requireSameId } from '../../http/ids.ts'
import { addArchiveRoutes } from './archiving.ts'
import { editedHeader, newHeader, newSlugMember, withArticle } from './bodies.ts'
import { contentOptions, withContent } from './content.ts'
import { addKindEndpoint, type KindRoutes, manyAnswer, oneAnswer } from './endpoint.ts'
import { mergedQuery, queryBody, queryString } from './queries.ts'
import type { ShownCall } from './shown-content.ts'

/** Flat entities of one kind: an artifact with the head of its default variant. */
export function addSimpleRoutes(routes: KindRoutes): void {
  const { kind } = routes
  const { name, plural } = kind
  const { view, edit } = kind.permissions
  const path = `/simple/${plural}`
  const id = `${name}_id`
  const params = z.object({ [id]: uuid })
  const answer = oneAnswer(name)
  const data = optional(kind.content.data)
  const options = contentOptions(name)
  const loc = ['body', name]

  addKindEndpoint(routes, {
    bodyBytesMax: CONTENT_BODY_BYTES_MAX,
    method: 'POST',
    path,
    permission: edit,
    answer,
    summary: `Creates ${withArticle(name)} with a variant and a revision in one request.`,
    query: z.object({ [id]: optional(uuid) }),
    body: z.object({ [name]: z.object({ ...newSlugMember, ...newHeader(kind, 'artifact'), data }), ...options }),
    handle: async ({ scope, principal, query, body }) => {
      const { [name]: input, ...rest } = body as Record<string, unknown>
      const chosen = (query as Record<string, string | undefined>)[id]
      const row = await createSimple(scope, {
        ...(input as Parameters<typeof createSimple>[1]),
        ...(chosen !== undefined && { id: chosen }),
        loc,
      })
      return shownOne({ scope, principal, occasion: 'simple' }, row, rest)
    },
  })
  addKindEndpoint(routes, {
    method: 'GET',
    path: `${path}/:${id}`,
    permission: view,
    answer,
    params,
    query: z.object(options),
    summary: `Fetches ${withArticle(name)} with its newest data, archived or not.`,
    handle: async ({ scope, principal, params, query }) =>
      shownOne({ scope, principal, occasion: 'simple' }, await findSimple(scope, params[id] as string), query),
  })
  addKindEndpoint(routes, {
    bodyBytesMax: CONTENT_BODY_BYTES_MAX,
    method: 'PUT',
    path: `${path}/:${id}`,
    permission: edit,
    answer,
    params,
    summary: `Edits ${withArticle(name)}; new data or labels create a revision.`,
    body: z.object({ [name]: z.object({ ...editedHeader(kind, 'artifact'), data }), ...options }),
    handle: async ({ scope, principal, params, body }) => {
      const target = params[id] as string
      const { [name]: input, ...rest } = body as Record<string, unknown>
      const { id: inBody, ...changes } = input as { id?: string } & Parameters<typeof editSimple>[2]
      requireSameId(name, target, inBody)
      const row = await editSimple(scope, target, { ...changes, loc })
      if (!row && kind.missingIsNotFound.simple) throw new Problem('not_found', `The ${name} ${target} does not exist.`)
      return shownOne({ scope, principal, occasion: 'simple' }, row, rest)
    },
  })
  addArchiveRoutes(routes, {
    path,
    id,
    answer,
    summaries: { archive: `Archives ${withArticle(name)}.`, unarchive: `Restores an archived ${name}.` },
    set: async (call, target, isArchived) => {
      const row = await setSimpleArchived(call.scope, target, isArchived)
      // Only workflows are returned with their data here, as the interface specifies: a testset may be large.
      const shown = row && kind.storedAs !== 'workflow' ? { ...row, data: null } : row
      return shownOne({ ...call, occasion: 'simple' }, shown, {})
    },
  })
  addKindEndpoint(routes, {
    bodyBytesMax: QUERY_BODY_BYTES_MAX,
    method: 'POST',
    path: `${path}/query`,
    permission: view,
    share: 'heavy',
    answer: manyAnswer(plural),
    summary: `Lists ${plural} with their newest data, newest first.`,
    query: queryString(kind, 'artifact'),
    body: queryBody(kind, 'artifact', options, kind.bodyOptional.includes('artifact')),
    handle: async ({ scope, principal, query, body: { query: inBody, rest }, holder }) => {
      const list = await listSimple(scope, mergedQuery(query, inBody))
      const call = { scope, principal, occasion: 'simple' } as const
      const record = (row: SimpleRow): unknown => withContent(call, toSimpleJson(scope, row), rest)
      return manyRead(plural, list, { holder, record })
    },
  })
  if (kind.isEnvironment) addGuardRoutes(routes)
}

function addGuardRoutes(routes: KindRoutes): void {
  const params = z.object({ environment_id: uuid })
  const answer = oneAnswer('environment')
  for (const verb of ['guard', 'unguard'] as const) {
    addKindEndpoint(routes, {
      method: 'POST',
      path: `/simple/environments/:environment_id/${verb}`,
      answer,
      params,
      body: ignoredBody,
      permission: 'deploy_environments',
      summary:
        verb === 'guard' ? 'Allows changes to an environment only to members who may deploy.' : 'Lifts the guard.',
      handle: async ({ scope, principal, params }) => {
        const row = await setGuarded(scope, params.environment_id, verb === 'guard')
        return shownOne({ scope, principal, occasion: 'simple' }, row, {})
      },
    })
  }
}

async function shownOne(
  call: ShownCall,
  row: FoundSimpleRow | undefined,
  options: Record<string, unknown>,
): Promise<JsonObject> {
  const { scope } = call
  if (!row) return one(scope.kind.name, undefined)
  return one(scope.kind.name, await withContent(call, toSimpleJson(scope, row), options))
}
