import {
  createVariant,
  editVariant,
  findRow,
  forkVariant,
  listRows,
  type Scope,
  setVariantArchived,
  toVariantJson,
  type VariantRow,
} from '@spanhouse/registry'
import { reference, uuid, z } from '@spanhouse/validation'
import { CONTENT_BODY_BYTES_MAX, QUERY_BODY_BYTES_MAX } from '../../budget/limits.ts'
import { manyRead, one } from '../../http/answer/envelopes.ts'
import { requireSameId } from '../../http/ids.ts'
import { addArchiveRoutes } from './archiving.ts'
import {
  editedHeader,
  idMembers,
  missing,
  nameOf,
  newHeader,
  newSlugMember,
  referenceMembers,
  withArticle,
  wrapped,
} from './bodies.ts'
import { addKindEndpoint, type KindRoutes, manyAnswer, oneAnswer } from './endpoint.ts'
import { mergedQuery, queryBody, queryString } from './queries.ts'

/** Variants of one kind: create, fetch, edit, archive, query, fork. */
export function addVariantRoutes(routes: KindRoutes): void {
  const { kind } = routes
  const { edit, viewVariants } = kind.permissions
  const name = nameOf(kind, 'variant')
  const path = `/${kind.plural}/variants`
  const id = `${name}_id`
  const params = z.object({ [id]: uuid })
  const answer = oneAnswer(name)
  const shown = (scope: Scope, row: VariantRow | undefined) => one(name, row && toVariantJson(scope, row))
  const parent = idMembers(kind, 'artifact')

  addKindEndpoint(routes, {
    bodyBytesMax: CONTENT_BODY_BYTES_MAX,
    method: 'POST',
    path,
    permission: edit,
    answer,
    summary: `Creates a variant of ${withArticle(kind.name)}, without revisions.`,
    body: wrapped(name, z.object({ ...parent.members, ...newSlugMember, ...newHeader(kind, 'variant') })),
    handle: async ({ scope, body }) => {
      const artifact_id = parent.pick(body)
      if (artifact_id === undefined) throw missing(['body', name, `${kind.name}_id`])
      return shown(scope, await createVariant(scope, { ...body, artifact_id }))
    },
  })
  addKindEndpoint(routes, {
    method: 'GET',
    path: `${path}/:${id}`,
    permission: viewVariants,
    answer,
    params,
    summary: 'Fetches a variant, archived or not.',
    handle: async ({ scope, params }) => shown(scope, await findRow(scope, 'variant', params[id] as string)),
  })
  addKindEndpoint(routes, {
    bodyBytesMax: CONTENT_BODY_BYTES_MAX,
    method: 'PUT',
    path: `${path}/:${id}`,
    permission: edit,
    answer,
    params,
    summary: 'Edits a variant: omitted members stay unchanged, null clears.',
    body: wrapped(name, z.object(editedHeader(kind, 'variant'))),
    handle: async ({ scope, params, body: { id: inBody, ...changes } }) => {
      requireSameId(name, params[id] as string, inBody)
      return shown(scope, await editVariant(scope, params[id] as string, changes))
    },
  })
  addArchiveRoutes(routes, {
    path,
    id,
    answer,
    summaries: {
      archive: 'Archives a variant with its revisions.',
      unarchive: 'Restores an archived variant, and the revisions that were archived with it.',
    },
    set: async ({ scope }, target, isArchived) => shown(scope, await setVariantArchived(scope, target, isArchived)),
  })
  addKindEndpoint(routes, {
    bodyBytesMax: QUERY_BODY_BYTES_MAX,
    method: 'POST',
    path: `${path}/query`,
    permission: viewVariants,
    answer: manyAnswer(`${name}s`),
    share: 'heavy',
    summary: 'Lists variants, newest first.',
    query: queryString(kind, 'variant'),
    body: queryBody(kind, 'variant', {}, kind.bodyOptional.includes('variant')),
    handle: async ({ scope, query, body, holder }) => {
      const list = await listRows(scope, 'variant', mergedQuery(query, body.query))
      return manyRead(`${name}s`, list, { holder, record: row => toVariantJson(scope, row) })
    },
  })
  addForkRoute(routes, { name, path: `${path}/fork` })
}

function addForkRoute(routes: KindRoutes, { name, path }: { name: string; path: string }): void {
  const { kind } = routes
  const references = referenceMembers(kind)
  addKindEndpoint(routes, {
    bodyBytesMax: CONTENT_BODY_BYTES_MAX,
    method: 'POST',
    path,
    permission: kind.permissions.edit,
    answer: oneAnswer(name),
    summary: "Creates a variant with copies of another variant's revisions, up to the given one.",
    body: z.object({
      ...references.members,
      [`${name}_ref`]: reference,
      [name]: z.object({ ...newSlugMember, ...newHeader(kind, 'variant') }),
    }),
    handle: async ({ scope, body }) => {
      const input = (body as Record<string, unknown>)[name] as Parameters<typeof forkVariant>[2]
      const { variant, revision } = references.pick(body)
      return one(name, toVariantJson(scope, await forkVariant(scope, { variant, revision }, input)))
    },
  })
}
