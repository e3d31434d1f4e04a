import { invalid, type Uuid } from '@spanhouse/model'
import {
  createFolder,
  deleteFolder,
  editFolder,
  FOLDER_KINDS,
  type FolderFilter,
  type FolderScope,
  findFolder,
  listFolders,
  toFolderJson,
} from '@spanhouse/registry'
import { jsonObject, list, optional, slugOfAnyLength, storedObject, tags, uuid, z } from '@spanhouse/validation'
import type { FastifyInstance } from 'fastify'
import { QUERY_BODY_BYTES_MAX } from '../../budget/limits.ts'
import { answerOfOne, manyRead, one } from '../../http/answer/envelopes.ts'
import { addEndpoint } from '../../http/endpoint.ts'
import type { Parts } from '../../parts.ts'

const tag = 'folders'

const kind = z.enum(FOLDER_KINDS)
const labels = {
  name: z.string().nullish(),
  description: z.string().nullish(),
  flags: storedObject.nullish(),
  tags: tags.nullish(),
  meta: storedObject.nullish(),
  kind: optional(kind),
  parent_id: uuid.nullish(),
}
const newFolder = z.object({ ...labels, slug: slugOfAnyLength })
const folderEdit = z.object({ ...labels, id: uuid, slug: optional(slugOfAnyLength) })
/** Each becomes a condition of the statement. */
const PREFIXES_MAX = 1_000
const listOf = <S extends z.ZodType>(member: S) => optional(list(member))
const folderFilter = z.object({
  id: optional(uuid),
  ids: listOf(uuid),
  slug: optional(z.string()),
  slugs: listOf(z.string()),
  kind: optional(kind),
  kinds: optional(z.union([z.boolean(), list(kind)])),
  parent_id: uuid.nullish(),
  parent_ids: listOf(uuid),
  path: optional(z.string()),
  paths: listOf(z.string()),
  prefix: optional(z.string()),
  prefixes: optional(list(z.string(), { max: PREFIXES_MAX })),
  flags: optional(storedObject),
  tags: optional(storedObject),
})

const count = z.int()
const record = z.object({
  id: uuid,
  slug: z.string(),
  name: z.string(),
  description: z.string().optional(),
  kind,
  path: z.string().meta({ description: 'The slugs from the root down, joined by dots.' }),
  parent_id: uuid.optional(),
  flags: jsonObject.optional(),
  tags: jsonObject.optional(),
  meta: jsonObject.optional(),
})
const oneFolder = answerOfOne('folder', record)
const byId = z.object({ id: uuid })

/** A tree of folders for artifacts. */
export function folderRoutes({ postgres: { db } }: Parts): (app: FastifyInstance) => void {
  const scopeOf = ({ project_id, user_id }: { project_id: Uuid; user_id: Uuid }): FolderScope => ({
    db,
    project_id,
    user_id,
  })
  return app => {
    addEndpoint(app, {
      method: 'POST',
      path: '/folders',
      tag,
      permission: 'edit_folders',
      answer: oneFolder,
      summary: 'Creates a folder.',
      body: z.object({ folder: newFolder }),
      handle: async ({ principal, body }) => found(await createFolder(scopeOf(principal), body.folder)),
    })
    addEndpoint(app, {
      method: 'GET',
      path: '/folders/:id',
      tag,
      permission: 'view_folders',
      answer: oneFolder,
      params: byId,
      summary: 'Returns a folder.',
      handle: async ({ principal, params }) => found(await findFolder(scopeOf(principal), params.id)),
    })
    addEndpoint(app, {
      method: 'PUT',
      path: '/folders/:id',
      tag,
      permission: 'edit_folders',
      answer: oneFolder,
      params: byId,
      summary: 'Changes a folder; a new slug or parent also changes the paths of everything in it.',
      body: z.object({ folder: folderEdit }),
      handle: async ({ principal, params, body }) => {
        const { id, ...edit } = body.folder
        if (id !== params.id) throw invalid('folder.id differs from the id in the path')
        return found(await editFolder(scopeOf(principal), id, edit))
      },
    })
    addEndpoint(app, {
      method: 'DELETE',
      path: '/folders/:id',
      tag,
      permission: 'edit_folders',
      params: byId,
      summary: 'Deletes a folder and its subfolders; artifacts in them are then in no folder.',
      answer: z.object({ count, id: uuid.optional() }),
      handle: async ({ principal, params: { id } }) =>
        (await deleteFolder(scopeOf(principal), id)) ? { count: 1, id } : { count: 0 },
    })
    addEndpoint(app, {
      bodyBytesMax: QUERY_BODY_BYTES_MAX,
      method: 'POST',
      path: '/folders/query',
      tag,
      permission: 'view_folders',
      share: 'heavy',
      summary: 'Lists folders, parents first.',
      body: z.object({ folder: folderFilter }),
      answer: z.object({ count, folders: z.array(record) }),
      handle: async ({ principal, body, holder }) => {
        const list = await listFolders(scopeOf(principal), filterOf(body.folder))
        return manyRead('folders', list, { holder, record: toFolderJson })
      },
    })
  }
}

const found = (row: Parameters<typeof toFolderJson>[0] | undefined) => one('folder', row && toFolderJson(row))

/** A singular condition is one more value of the plural one. */
function filterOf(body: z.output<typeof folderFilter>): FolderFilter {
  const { id, slug, kind, kinds, parent_id, parent_ids, path, prefix, flags, tags } = body
  return {
    ids: merged(id, body.ids),
    slugs: merged(slug, body.slugs),
    kinds: typeof kinds === 'boolean' ? kinds : merged(kind, kinds),
    parent_ids: merged(parent_id, parent_ids),
    paths: merged(path, body.paths),
    prefixes: merged(prefix, body.prefixes),
    flags,
    tags,
  }
}

const merged = <T>(one: T | undefined, many: readonly T[] | undefined): T[] | undefined =>
  one === undefined ? many?.slice() : [one, ...(many ?? [])]
