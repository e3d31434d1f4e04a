import { Problem } from '@spanhouse/model'
import {
  type ArtifactRow,
  createArtifact,
  editArtifact,
  findRow,
  listRows,
  setArtifactArchived,
  toArtifactJson,
} from '@spanhouse/registry'
import { optional, uuid, z } from '@spanhouse/validation'
import { CONTENT_BODY_BYTES_MAX, QUERY_BODY_BYTES_MAX } from '../../budget/limits.ts'
import { manyRead, one } from '../../http/answer/envelopes.ts'
import { requireSameId } from '../../http/ids.ts'
import { addArchiveRoutes } from './archiving.ts'
import { editedHeader, newHeader, newSlugMember, withArticle, wrapped } from './bodies.ts'
import { addKindEndpoint, type KindRoutes, manyAnswer, oneAnswer } from './endpoint.ts'
import { mergedQuery, queryBody, queryString } from './queries.ts'

/** Artifacts of one kind: create, fetch, edit, archive, query. */
export function addArtifactRoutes(routes: KindRoutes): void {
  const { kind } = routes
  const { name, plural } = kind
  const { view, edit } = kind.permissions
  const id = `${name}_id`
  const params = z.object({ [id]: uuid })
  const answer = oneAnswer(name)
  const folder = { folder_id: uuid.nullish() }
  const shown = (row: ArtifactRow | undefined) => one(name, row && toArtifactJson(row))

  addKindEndpoint(routes, {
    bodyBytesMax: CONTENT_BODY_BYTES_MAX,
    method: 'POST',
    path: `/${plural}`,
    permission: edit,
    answer,
    summary: `Creates ${withArticle(name)} without variants.`,
    query: z.object(name === 'workflow' ? {} : { [id]: optional(uuid) }),
    body: wrapped(name, z.object({ ...newSlugMember, ...newHeader(kind, 'artifact'), ...folder })),
    handle: async ({ scope, query, body }) => {
      const chosen = (query as Record<string, string | undefined>)[id]
      return shown(await createArtifact(scope, { ...body, ...(chosen !== undefined && { id: chosen }) }))
    },
  })
  addKindEndpoint(routes, {
    method: 'GET',
    path: `/${plural}/:${id}`,
    permission: view,
    answer,
    params,
    summary: `Fetches ${withArticle(name)}, archived or not.`,
    handle: async ({ scope, params }) => shown(await findRow(scope, 'artifact', params[id] as string)),
  })
  addKindEndpoint(routes, {
    bodyBytesMax: CONTENT_BODY_BYTES_MAX,
    method: 'PUT',
    path: `/${plural}/:${id}`,
    permission: edit,
    answer,
    params,
    summary: `Edits ${withArticle(name)}: omitted members stay unchanged, null clears.`,
    body: wrapped(name, z.object({ ...editedHeader(kind, 'artifact'), ...folder })),
    handle: async ({ scope, params, body: { id: inBody, ...changes } }) => {
      const target = params[id] as string
      requireSameId(name, target, inBody)
      const row = await editArtifact(scope, target, changes)
      if (!row && kind.missingIsNotFound.artifact)
        throw new Problem('not_found', `The ${name} ${target} does not exist.`)
      return shown(row)
    },
  })
  addArchiveRoutes(routes, {
    path: `/${plural}`,
    id,
    answer,
    summaries: { archive: `Archives ${withArticle(name)}.`, unarchive: `Restores an archived ${name}.` },
    set: async ({ scope }, target, isArchived) => shown(await setArtifactArchived(scope, target, isArchived)),
  })
  addKindEndpoint(routes, {
    bodyBytesMax: QUERY_BODY_BYTES_MAX,
    method: 'POST',
    path: `/${plural}/query`,
    permission: view,
    share: 'heavy',
    answer: manyAnswer(plural),
    summary: `Lists ${plural}, newest first.`,
    query: queryString(kind, 'artifact'),
    body: queryBody(kind, 'artifact', {}, kind.bodyOptional.includes('artifact')),
    handle: async ({ scope, query, body, holder }) => {
      const list = await listRows(scope, 'artifact', mergedQuery(query, body.query))
      return manyRead(plural, list, { holder, record: toArtifactJson })
    },
  })
}
