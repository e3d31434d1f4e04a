import {
  commitRevision,
  type Delta,
  editRevision,
  findRow,
  listRevisions,
  logRevisions,
  type RevisionRow,
  seedRevision,
  setRevisionArchived,
  toRevisionJson,
} from '@spanhouse/registry'
import { jsonObject, optional, referenceList, uuid, z } from '@spanhouse/validation'
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
  optionalSlugMember,
  wrapped,
  wrappedEither,
} from './bodies.ts'
import { contentOptions, withContent } from './content.ts'
import { addKindEndpoint, type KindRoutes, manyAnswer, oneAnswer } from './endpoint.ts'
import { mergedQuery, queryBody, queryString } from './queries.ts'
import { notedList, noteRead } from './read-events.ts'
import type { ShownCall } from './shown-content.ts'

/** Revisions of one kind: seed, fetch, edit, archive, query, commit, log. */
export function addRevisionRoutes(routes: KindRoutes): void {
  const { kind } = routes
  const { view, edit } = kind.permissions
  const name = nameOf(kind, 'revision')
  const path = `/${kind.plural}/revisions`
  const id = `${name}_id`
  const params = z.object({ [id]: uuid })
  const answer = oneAnswer(name)
  const options = z.object(contentOptions(kind.name))
  const shown = async (call: Pick<ShownCall, 'scope' | 'principal'>, row: RevisionRow | undefined, options = {}) => {
    const record = row && toRevisionJson(call.scope, row)
    return one(name, await withContent({ ...call, occasion: 'fetch' }, record, options))
  }

  addSeedRoute(routes, { name, path })
  addKindEndpoint(routes, {
    method: 'GET',
    path: `${path}/:${id}`,
    permission: view,
    answer,
    params,
    query: options,
    summary: 'Fetches a revision, archived or not.',
    handle: async ({ scope, principal, params, query }) => {
      const row = await findRow(scope, 'revision', params[id] as string)
      noteRead(routes, principal, { verb: 'fetched', row })
      return shown({ scope, principal }, row, query)
    },
  })
  addKindEndpoint(routes, {
    bodyBytesMax: CONTENT_BODY_BYTES_MAX,
    method: 'PUT',
    path: `${path}/:${id}`,
    permission: edit,
    answer,
    params,
    summary: 'Edits the labels of a revision; its data never changes.',
    body: wrapped(name, z.object(editedHeader(kind, 'revision'))),
    handle: async ({ scope, principal, params, body: { id: inBody, ...changes } }) => {
      requireSameId(name, params[id] as string, inBody)
      return shown({ scope, principal }, await editRevision(scope, params[id] as string, changes))
    },
  })
  addArchiveRoutes(routes, {
    path,
    id,
    answer,
    summaries: { archive: 'Archives a revision.', unarchive: 'Restores an archived revision.' },
    set: async (call, target, isArchived) => shown(call, await setRevisionArchived(call.scope, target, isArchived)),
  })
  addQueryRoute(routes, { name, path })
  addCommitRoute(routes, { name, path })
  addLogRoute(routes, { name, path })
}

interface Place {
  /** `{kind}_revision` */
  name: string
  path: string
}

function addSeedRoute(routes: KindRoutes, { name, path }: Place): void {
  const { kind } = routes
  const [artifact, variant] = [idMembers(kind, 'artifact'), idMembers(kind, 'variant')]
  const header = { ...optionalSlugMember, ...newHeader(kind, 'revision') }
  addKindEndpoint(routes, {
    bodyBytesMax: CONTENT_BODY_BYTES_MAX,
    method: 'POST',
    path,
    permission: kind.permissions.edit,
    answer: oneAnswer(name),
    summary: 'Creates the first revision of a variant, without data.',
    body: wrapped(name, z.object({ ...artifact.members, ...variant.members, ...header })),
    handle: async ({ scope, body }) => {
      const variant_id = variant.pick(body)
      if (variant_id === undefined) throw missing(['body', name, `${kind.name}_variant_id`])
      const row = await seedRevision(scope, { ...body, variant_id, artifact_id: artifact.pick(body) })
      return one(name, toRevisionJson(scope, row))
    },
  })
}

function addQueryRoute(routes: KindRoutes, { name, path }: Place): void {
  const { kind } = routes
  const more = {
    ...contentOptions(kind.name),
    ...(kind.isEnvironment && { references: optional(referenceList) }),
  }
  addKindEndpoint(routes, {
    bodyBytesMax: QUERY_BODY_BYTES_MAX,
    method: 'POST',
    path: `${path}/query`,
    permission: kind.permissions.view,
    answer: manyAnswer(`${name}s`),
    share: 'heavy',
    summary: 'Lists revisions, newest first.',
    query: queryString(kind, 'revision'),
    body: queryBody(kind, 'revision', more, kind.bodyOptional.includes('revision')),
    handle: async ({ scope, principal, query, body: { query: inBody, rest }, holder }) => {
      const { references } = rest as { references?: z.output<typeof referenceList> }
      const found = await listRevisions(scope, { ...mergedQuery(query, inBody), changed_references: references })
      const list = notedList(routes, principal, { verb: 'queried', list: found })
      const call = { scope, principal, occasion: 'query' } as const
      const record = (row: RevisionRow): unknown => withContent(call, toRevisionJson(scope, row), rest)
      return manyRead(`${name}s`, list, { holder, record })
    },
  })
}

function addCommitRoute(routes: KindRoutes, { name, path }: Place): void {
  const { kind } = routes
  const { content } = kind
  const [artifact, variant] = [idMembers(kind, 'artifact'), idMembers(kind, 'variant')]
  const deltaBase = idMembers(kind, 'revision')
  const input = z.object({
    ...artifact.members,
    ...variant.members,
    ...deltaBase.members,
    base_revision_id: optional(uuid),
    ...optionalSlugMember,
    ...newHeader(kind, 'revision'),
    message: optional(z.string()),
    data: optional(content.data),
    ...(content.delta && { delta: optional(content.delta) }),
  })
  const extra = z.object({ status: z.string().optional(), warnings: z.array(jsonObject).optional() }).shape
  addKindEndpoint(routes, {
    bodyBytesMax: CONTENT_BODY_BYTES_MAX,
    method: 'POST',
    path: `${path}/commit`,
    permission: kind.permissions.edit,
    summary: 'Appends a revision to a variant.',
    answer: oneAnswer(name).extend(extra),
    query: z.object({ [`${kind.name}_variant_id`]: optional(uuid) }),
    body: wrappedEither([name, `${name}_commit`], input, contentOptions(kind.name)),
    handle: async ({ scope, principal, query, body: { wrapper, value, rest } }) => {
      const variant_id = variant.pick(value)
      const inQuery = (query as Record<string, string | undefined>)[`${kind.name}_variant_id`]
      if (inQuery !== undefined && variant_id !== undefined && inQuery !== variant_id) return one(name, undefined)
      const { row, status, warnings } = await commitRevision(scope, {
        ...(value as typeof value & { delta?: Delta }),
        variant_id: variant_id ?? inQuery,
        artifact_id: artifact.pick(value),
        delta_base_id: kind.commit.deltaNamesBase ? deltaBase.pick(value) : undefined,
        loc: ['body', wrapper],
      })
      const call = { scope, principal, occasion: 'commit' } as const
      const record = await withContent(call, toRevisionJson(scope, row), rest)
      const isChecked = kind.storedAs === 'workflow'
      return { ...one(name, record), ...(isChecked && { status, ...(warnings.length > 0 && { warnings }) }) }
    },
  })
}

function addLogRoute(routes: KindRoutes, { name, path }: Place): void {
  const { kind } = routes
  const layers = [idMembers(kind, 'artifact'), idMembers(kind, 'variant'), idMembers(kind, 'revision')] as const
  const [artifact, variant, revision] = layers
  // Accepted in the wrapper and next to it.
  const options = { include_archived: optional(z.boolean()), include_data: optional(z.boolean()) }
  const input = z.object({
    ...artifact.members,
    ...variant.members,
    ...revision.members,
    depth: optional(z.int()),
    ...options,
  })
  const more = { ...options, ...contentOptions(kind.name) }
  addKindEndpoint(routes, {
    method: 'POST',
    path: `${path}/log`,
    permission: kind.permissions.view,
    answer: manyAnswer(`${name}s`),
    share: 'heavy',
    summary: 'Lists the history of a variant, newest first.',
    body: wrappedEither([`${name}s`, kind.name], input, more),
    handle: async ({ scope, principal, body: { value, rest }, holder }) => {
      const { depth } = value
      const beside = rest as z.infer<z.ZodObject<typeof options>>
      const include_archived = value.include_archived ?? beside.include_archived
      const withData = value.include_data ?? beside.include_data ?? true
      const ids = {
        artifact_id: artifact.pick(value),
        variant_id: variant.pick(value),
        revision_id: revision.pick(value),
      }
      const found = await logRevisions(scope, { ...ids, depth, include_archived, include_data: withData })
      const list = notedList(routes, principal, { verb: 'logged', list: found })
      const call = { scope, principal, occasion: 'log' } as const
      const record = (row: RevisionRow): unknown => {
        const shown = toRevisionJson(scope, row, { withData })
        return withData ? withContent(call, shown, rest) : shown
      }
      return manyRead(`${name}s`, list, { holder, record })
    },
  })
}
