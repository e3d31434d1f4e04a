import type { JsonObject, Uuid } from '@spanhouse/model'
import {
  type FoldersTable,
  listOf,
  type RawBuilder,
  type RowList,
  type RowSize,
  type Selectable,
  sql,
} from '@spanhouse/postgres'
import type { Scope } from '../kind.ts'
import { anyOf, containing } from '../rows/list.ts'
import { sizeOf } from '../rows/row-size.ts'
import { FOLDERS_MAX, type FolderKind } from './rules.ts'

export type FolderRow = Selectable<FoldersTable>
type ReadScope = Pick<Scope, 'db' | 'project_id'>

/** Conditions on folders, all of which must hold. One value of each list must match. */
export interface FolderFilter {
  ids?: Uuid[]
  slugs?: string[]
  /** False matches no folder, since every folder has a kind. */
  kinds?: FolderKind[] | boolean
  /** Null means the root. */
  parent_ids?: (Uuid | null)[]
  paths?: string[]
  /** The folder with this path and everything below it. */
  prefixes?: string[]
  /** Contained in the folder's own flags. */
  flags?: JsonObject
  tags?: JsonObject
}

export function findFolder({ db, project_id }: ReadScope, id: Uuid): Promise<FolderRow | undefined> {
  return db
    .selectFrom('folders')
    .selectAll()
    .where('project_id', '=', project_id)
    .where('id', '=', id)
    .executeTakeFirst()
}

/** All folders that pass the filter, parents before what is in them. */
export async function listFolders({ db, project_id }: ReadScope, filter: FolderFilter): Promise<RowList<FolderRow>> {
  const own = sql`project_id = ${project_id}`
  const where = sql.join([own, ...conditionsOf(filter)], sql` and `)
  const { rows: sizes } = await sql<RowSize>`
    select id, ${sizeOf('folders')} as bytes from folders
    where ${where} order by path limit ${FOLDERS_MAX}`.execute(db)
  return listOf(sizes, async batch => {
    const ids = batch.map(({ id }) => id)
    const { rows } = await sql<FolderRow>`select * from folders where ${own} and id = any(${ids}::uuid[])`.execute(db)
    return rows
  })
}

/** One entry per member of the filter. */
function conditionsOf(filter: FolderFilter): RawBuilder<unknown>[] {
  const { ids, slugs, kinds, parent_ids, paths, prefixes, flags, tags } = filter
  return [
    ids && anyOf(sql.ref('id'), ids, 'uuid'),
    slugs && anyOf(sql.ref('slug'), slugs),
    typeof kinds === 'boolean' ? sql`${kinds}::boolean` : kinds && anyOf(sql.ref('kind'), kinds),
    parent_ids && parentIn(parent_ids),
    paths && anyOf(sql.ref('path'), paths),
    prefixes && either(prefixes.map(prefix => sql`path = ${prefix} or starts_with(path, ${`${prefix}.`})`)),
    ...containing(sql.ref('flags'), flags),
    ...containing(sql.ref('tags'), tags),
  ].filter(condition => condition !== undefined)
}

function parentIn(ids: readonly (Uuid | null)[]): RawBuilder<unknown> {
  const given = ids.filter(id => id !== null)
  const options = [anyOf(sql.ref('parent_id'), given, 'uuid')]
  if (given.length < ids.length) options.push(sql`parent_id is null`)
  return either(options)
}

const either = (options: readonly RawBuilder<unknown>[]): RawBuilder<unknown> =>
  options.length === 0 ? sql`false` : sql`(${sql.join(options, sql` or `)})`
