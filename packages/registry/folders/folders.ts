import { invalid, type JsonObject, Problem, present, type Uuid } from '@spanhouse/model'
import { newId, sql, type Trx, toJsonb } from '@spanhouse/postgres'
import type { Scope } from '../kind.ts'
import { withRegistryProblems } from '../problems.ts'
import { changedHeader, type HeaderInput, newHeader } from '../rows/header.ts'
import { inTransaction } from '../scope.ts'
import { type FolderRow, findFolder } from './rows.ts'
import {
  depthOf,
  FOLDERS_MAX,
  type FolderKind,
  isWithin,
  pathOf,
  requireDepth,
  requireName,
  requireSlug,
} from './rules.ts'

/** Folders belong to a project, not to what is filed in them. */
export type FolderScope = Pick<Scope, 'db' | 'project_id' | 'user_id'>
type InsideScope = FolderScope & { db: Trx }

export interface NewFolder extends HeaderInput {
  slug: string
  kind?: FolderKind
  parent_id?: Uuid | null
}

/** In an edit, undefined leaves a member unchanged and null clears it; a null `parent_id` means the root. */
export interface FolderEdit extends HeaderInput {
  slug?: string
  kind?: FolderKind
  parent_id?: Uuid | null
}

/** Creates a folder. 400 for an invalid name, slug or depth, 404 for an unknown parent, 409 if the path is taken. */
export async function createFolder(scope: FolderScope, input: NewFolder): Promise<FolderRow> {
  const slug = requireSlug(input.slug)
  const name = requireName(input.name)
  return changeTree(scope, async inside => {
    const { project_id, user_id, db } = inside
    const path = await pathBelow(inside, input.parent_id ?? null, slug)
    requireDepth(depthOf(path))
    await requireRoom(inside)
    return db
      .insertInto('folders')
      .values({
        project_id,
        id: newId(),
        parent_id: input.parent_id,
        kind: input.kind ?? 'applications',
        slug,
        path,
        ...newHeader(input),
        name,
        flags: toJsonb(input.flags ?? undefined),
        created_by_id: user_id,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
  })
}

/**
 * Changes a folder and, with its slug or parent, the paths of everything below it. Undefined if it does not exist. 400
 * also for a parent inside the folder itself. Otherwise as {@link createFolder}.
 */
export async function editFolder(scope: FolderScope, id: Uuid, edit: FolderEdit): Promise<FolderRow | undefined> {
  const name = requireName(edit.name)
  if (edit.slug !== undefined) requireSlug(edit.slug)
  return changeTree(scope, async inside => {
    const stored = await findFolder(inside, id)
    if (!stored) return undefined
    const parent_id = edit.parent_id === undefined ? stored.parent_id : edit.parent_id
    const slug = edit.slug ?? stored.slug
    const path = await pathBelow(inside, parent_id, slug, stored)
    if (path !== stored.path) await movePaths(inside, stored.path, path)
    await inside.db
      .updateTable('folders')
      .set({
        ...changedHeader(edit),
        name,
        slug,
        parent_id,
        kind: edit.kind ?? stored.kind,
        ...(edit.flags === undefined ? {} : { flags: toJsonb(edit.flags ?? undefined) }),
        updated_at: sql<string>`now()`,
        updated_by_id: scope.user_id,
      })
      .where('project_id', '=', scope.project_id)
      .where('id', '=', id)
      .execute()
    return findFolder(inside, id)
  })
}

/**
 * Permanently deletes a folder and everything below it; artifacts filed there are then in no folder. Returns false if
 * it does not exist.
 */
export function deleteFolder(scope: FolderScope, id: Uuid): Promise<boolean> {
  return changeTree(scope, async ({ db, project_id }) => {
    const deleted = await db
      .deleteFrom('folders')
      .where('project_id', '=', project_id)
      .where('id', '=', id)
      .returning('id')
      .execute()
    return deleted.length > 0
  })
}

/** Serialises changes to one project's tree, so that a move is checked against a stable tree. */
function changeTree<T>(scope: FolderScope, work: (inside: InsideScope) => Promise<T>): Promise<T> {
  return withRegistryProblems(() =>
    inTransaction(scope, async inside => {
      await sql`select 1 from projects where id = ${scope.project_id} for no key update`.execute(inside.db)
      return work(inside)
    }),
  )
}

async function pathBelow(scope: InsideScope, parent_id: Uuid | null, slug: string, moved?: FolderRow): Promise<string> {
  const parent = parent_id === null ? undefined : await findFolder(scope, parent_id)
  if (parent_id !== null && !parent)
    throw new Problem('not_found', `folder.parent_id: the folder ${parent_id} does not exist`)
  if (parent && moved && isWithin(parent.path, moved.path))
    throw invalid('folder.parent_id: a folder cannot be inside itself')
  return pathOf(parent?.path, slug)
}

/** Replaces the prefix of the paths of a folder and everything below it. */
async function movePaths({ db, project_id }: InsideScope, from: string, to: string): Promise<void> {
  const isBelow = sql`project_id = ${project_id} and (path = ${from} or starts_with(path, ${`${from}.`}))`
  const { rows } = await sql<{ depth: number }>`
    select max(array_length(string_to_array(path, '.'), 1)) as depth from folders where ${isBelow}`.execute(db)
  requireDepth((rows[0]?.depth ?? 0) + depthOf(to) - depthOf(from))
  await sql`update folders set path = ${to} || substr(path, ${from.length + 1}::int) where ${isBelow}`.execute(db)
}

async function requireRoom({ db, project_id }: InsideScope): Promise<void> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from folders where project_id = ${project_id}`.execute(db)
  if (Number(rows[0]?.count) >= FOLDERS_MAX) throw invalid(`folder: a project may have at most ${FOLDERS_MAX} folders`)
}

/** A folder as the interface shows it, without null members. */
export function toFolderJson(row: FolderRow): JsonObject {
  const { project_id: _, ...members } = row
  return present(members)
}
