import { type JsonObject, Problem, type Uuid } from '@spanhouse/model'
import { newId, toJsonb } from '@spanhouse/postgres'
import { refuseReservedSlug, requireUnguarded } from './guard.ts'
import type { Scope } from './kind.ts'
import { withRegistryProblems } from './problems.ts'
import { archived, changedFlags, changedHeader, type HeaderInput, newHeader, restored, touched } from './rows/header.ts'
import { findRow, type VariantRow } from './rows/rows.ts'
import { inTransaction } from './scope.ts'

export interface NewVariant extends HeaderInput {
  artifact_id: Uuid
  slug: string
}

/** The part of the artifact that its variants show. */
interface Parent {
  id: Uuid
  slug: string
  flags: JsonObject | null
}

/** Creates a variant without revisions. 404 if the artifact does not exist, 409 if the slug is taken. */
export async function createVariant(scope: Scope, input: NewVariant): Promise<VariantRow> {
  const artifact = await findRow(scope, 'artifact', input.artifact_id)
  if (!artifact) throw new Problem('not_found', `The ${scope.kind.name} ${input.artifact_id} does not exist.`)
  requireUnguarded(scope, artifact.flags)
  return insertVariant(scope, artifact, input)
}

/** Creates a variant of an existing artifact. Its name defaults to its slug. */
export async function insertVariant(
  { db, project_id, user_id, kind }: Scope,
  artifact: Parent,
  input: Omit<NewVariant, 'artifact_id'>,
): Promise<VariantRow> {
  refuseReservedSlug(kind, input.slug)
  const row = await withRegistryProblems(() =>
    db
      .insertInto('variants')
      .values({
        project_id,
        family: kind.storedAs,
        id: newId(),
        artifact_id: artifact.id,
        slug: input.slug,
        ...newHeader({ ...input, name: input.name ?? input.slug }),
        flags: kind.freeFlags ? toJsonb(input.flags) : null,
        created_by_id: user_id,
      })
      .returningAll()
      .executeTakeFirstOrThrow(),
  )
  return { ...row, artifact_slug: artifact.slug, artifact_flags: artifact.flags }
}

/** Changes the members that the edit sets and returns the variant; undefined if it does not exist. */
export function editVariant(scope: Scope, id: Uuid, edit: HeaderInput): Promise<VariantRow | undefined> {
  const { freeFlags } = scope.kind
  return changeVariant(scope, id, async inside => {
    await update(inside, id, { ...changedHeader(edit), ...(freeFlags && changedFlags(edit)), ...touched(scope) })
  })
}

/**
 * Archives a variant with all its revisions, or restores it with those that were archived with it. Undefined if it does
 * not exist.
 */
export function setVariantArchived(scope: Scope, id: Uuid, isArchived: boolean): Promise<VariantRow | undefined> {
  return changeVariant(scope, id, async (inside, variant) => {
    if ((variant.deleted_at !== null) === isArchived) return
    const changes = isArchived ? archived(scope) : restored(scope)
    await update(inside, id, changes)
    await inside.db
      .updateTable('revisions')
      .set({ ...changes, deleted_with_variant: isArchived })
      .where('project_id', '=', scope.project_id)
      .where('variant_id', '=', id)
      .where(eb => (isArchived ? eb('deleted_at', 'is', null) : eb('deleted_with_variant', '=', true)))
      .execute()
  })
}

function changeVariant(
  scope: Scope,
  id: Uuid,
  change: (inside: Scope, variant: VariantRow) => Promise<void>,
): Promise<VariantRow | undefined> {
  return inTransaction(scope, async inside => {
    const variant = await findRow(inside, 'variant', id)
    if (!variant) return undefined
    requireUnguarded(scope, variant.artifact_flags)
    await change(inside, variant)
    return findRow(inside, 'variant', id)
  })
}

async function update({ db, project_id, kind }: Scope, id: Uuid, changes: object): Promise<void> {
  await db
    .updateTable('variants')
    .set(changes)
    .where('project_id', '=', project_id)
    .where('family', '=', kind.storedAs)
    .where('id', '=', id)
    .execute()
}
