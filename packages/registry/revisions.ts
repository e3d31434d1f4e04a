import type { JsonObject, Uuid } from '@spanhouse/model'
import { newId, toJsonb, toJsonbInTurns } from '@spanhouse/postgres'
import { requireUnguarded } from './guard.ts'
import type { Scope } from './kind.ts'
import { withRegistryProblems } from './problems.ts'
import {
  archived,
  changedFlags,
  changedHeader,
  type HeaderInput,
  newHeader,
  newSlug,
  restored,
  touched,
} from './rows/header.ts'
import { findRow, type RevisionRow, type VariantRow } from './rows/rows.ts'
import { inTransaction } from './scope.ts'

/** A revision to be stored. */
export interface NewRevision extends HeaderInput {
  version: number
  slug?: string
  message?: string | null
  data: JsonObject | null
}

/**
 * Stores revisions of a variant whose row the caller has locked or created in the same transaction. 409 if a slug is
 * taken. Flags that depend on the data are computed; an empty first revision has none.
 */
export async function insertRevisions(
  scope: Scope,
  variant: VariantRow,
  revisions: readonly NewRevision[],
): Promise<RevisionRow[]> {
  const { db } = scope
  const rows: Awaited<ReturnType<typeof toRow>>[] = []
  for (const revision of revisions) rows.push(await toRow(scope, variant, revision))
  const stored = await withRegistryProblems(() => db.insertInto('revisions').values(rows).returningAll().execute())
  const { artifact_slug, artifact_flags, slug: variant_slug } = variant
  return stored.map(row => ({ ...row, artifact_slug, artifact_flags, variant_slug }))
}

async function toRow(scope: Scope, variant: VariantRow, revision: NewRevision) {
  const { project_id, user_id, kind } = scope
  const slug = revision.slug ?? newSlug()
  return {
    project_id,
    family: kind.storedAs,
    id: newId(),
    artifact_id: variant.artifact_id,
    variant_id: variant.id,
    version: revision.version,
    slug,
    ...newHeader(revision),
    flags: toJsonb(storedFlags(scope, revision, slug)),
    message: revision.message,
    data: await toJsonbInTurns(revision.data),
    created_by_id: user_id,
  }
}

function storedFlags(scope: Scope, revision: NewRevision, slug: string): JsonObject | null {
  const { content, freeFlags } = scope.kind
  if (content.flags) return content.flags(revision.data, slug, scope)
  return freeFlags ? (revision.flags ?? null) : null
}

/**
 * Changes the labels of a revision and returns it; undefined if it does not exist. The data of a revision never
 * changes.
 */
export function editRevision(scope: Scope, id: Uuid, edit: HeaderInput): Promise<RevisionRow | undefined> {
  const { freeFlags } = scope.kind
  return changeRevision(scope, id, () => ({
    ...changedHeader(edit),
    ...(freeFlags && changedFlags(edit)),
    ...touched(scope),
  }))
}

/** Archives or restores one revision. Undefined if it does not exist. */
export function setRevisionArchived(scope: Scope, id: Uuid, isArchived: boolean): Promise<RevisionRow | undefined> {
  return changeRevision(scope, id, ({ deleted_at }) => {
    if ((deleted_at !== null) === isArchived) return undefined
    return { ...(isArchived ? archived(scope) : restored(scope)), deleted_with_variant: false }
  })
}

function changeRevision(
  scope: Scope,
  id: Uuid,
  changesOf: (row: RevisionRow) => object | undefined,
): Promise<RevisionRow | undefined> {
  return inTransaction(scope, async inside => {
    const row = await findRow(inside, 'revision', id)
    if (!row) return undefined
    requireUnguarded(scope, row.artifact_flags)
    const changes = changesOf(row)
    if (!changes) return row
    await inside.db
      .updateTable('revisions')
      .set(changes)
      .where('project_id', '=', scope.project_id)
      .where('family', '=', scope.kind.storedAs)
      .where('id', '=', id)
      .execute()
    return findRow(inside, 'revision', id)
  })
}
