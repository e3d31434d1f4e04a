import { invalid, Problem, type Uuid } from '@spanhouse/model'
import { newId, sql, toJsonb } from '@spanhouse/postgres'
import { artifactFlags } from './flags.ts'
import { refuseReservedSlug, requireUnguarded } from './guard.ts'
import type { Scope } from './kind.ts'
import { withRegistryProblems } from './problems.ts'
import { archived, changedHeader, type HeaderInput, newHeader, restored, touched } from './rows/header.ts'
import { type ArtifactRow, findRow, selectRows } from './rows/rows.ts'
import { inTransaction } from './scope.ts'
import { setVariantArchived } from './variants.ts'

export interface NewArtifact extends HeaderInput {
  /** The caller's choice; otherwise one is made. */
  id?: Uuid
  slug: string
  folder_id?: Uuid | null
}

export interface ArtifactEdit extends HeaderInput {
  folder_id?: Uuid | null
}

/** Makes an artifact without variants. 409 when its slug or id is taken, 404 when its folder is not there. */
export async function createArtifact(scope: Scope, input: NewArtifact): Promise<ArtifactRow> {
  const { db, project_id, user_id, kind } = scope
  refuseReservedSlug(kind, input.slug)
  return withRegistryProblems(() =>
    db
      .insertInto('artifacts')
      .values({
        project_id,
        family: kind.storedAs,
        id: input.id ?? newId(),
        slug: input.slug,
        ...newHeader(input),
        flags: toJsonb(artifactFlags(kind, input.flags)),
        folder_id: input.folder_id,
        created_by_id: user_id,
      })
      .returningAll()
      .executeTakeFirstOrThrow(),
  )
}

/** The artifact with this id, which nobody else changes until the transaction ends; undefined when there is none. */
export async function lockArtifact(scope: Scope, id: Uuid): Promise<ArtifactRow | undefined> {
  const [row] = await selectRows(scope, 'artifact', { where: [sql`a.id = ${id}`], tail: sql`for no key update` })
  return row
}

/**
 * Changes what the edit names and returns the artifact; undefined when there is none, or when it is archived and the
 * kind does not let such be changed. 400 for a name that the kind does not allow to change, 404 for an unknown folder.
 */
export function editArtifact(scope: Scope, id: Uuid, edit: ArtifactEdit): Promise<ArtifactRow | undefined> {
  return inTransaction(scope, async inside => {
    const stored = await lockArtifact(inside, id)
    if (!stored || (stored.deleted_at !== null && !scope.kind.editableArchived)) return undefined
    requireUnguarded(scope, stored.flags)
    requireNameAllowed(scope, stored, edit)
    // A client that sends every field sends null for a name it does not know.
    const { name: _fixed, ...labels } = edit
    await update(inside, id, {
      ...changedHeader(scope.kind.nameRule === 'fixed' ? labels : edit),
      ...(edit.flags === undefined ? {} : { flags: toJsonb(artifactFlags(scope.kind, edit.flags, stored.flags)) }),
      ...(edit.folder_id === undefined ? {} : { folder_id: edit.folder_id }),
      ...touched(scope),
    })
    return findRow(inside, 'artifact', id)
  })
}

/**
 * Sets or takes away the mark of an archived record, once; what hangs on it is hidden with it. Variants that were archived
 * together with the record, in one transaction, come back with it. Undefined: not there.
 */
export function setArtifactArchived(scope: Scope, id: Uuid, isArchived: boolean): Promise<ArtifactRow | undefined> {
  return inTransaction(scope, async inside => {
    const stored = await lockArtifact(inside, id)
    if (!stored) return undefined
    requireUnguarded(scope, stored.flags)
    if ((stored.deleted_at !== null) === isArchived) return stored
    await update(inside, id, isArchived ? archived(scope) : restored(scope))
    if (!isArchived) await restoreVariantsOf(inside, stored)
    return findRow(inside, 'artifact', id)
  })
}

/** Those that carry the artifact's own time of archiving: `now()` is the time at which a transaction began. */
async function restoreVariantsOf(scope: Scope, { id, deleted_at }: ArtifactRow): Promise<void> {
  const where = [sql`v.artifact_id = ${id}`, sql`v.deleted_at = ${deleted_at}::timestamptz`]
  for (const variant of await selectRows(scope, 'variant', { where }))
    await setVariantArchived(scope, variant.id, false)
}

async function update({ db, project_id, kind }: Scope, id: Uuid, changes: object): Promise<void> {
  await withRegistryProblems(() =>
    db
      .updateTable('artifacts')
      .set(changes)
      .where('project_id', '=', project_id)
      .where('family', '=', kind.storedAs)
      .where('id', '=', id)
      .execute(),
  )
}

function requireNameAllowed({ kind }: Scope, stored: ArtifactRow, { name }: ArtifactEdit): void {
  const { name: kindName, nameRule } = kind
  if (nameRule === 'fixed' && name !== undefined && name !== null && name !== stored.name)
    throw invalid(`${kindName}.name: the name of an ${kindName} cannot be changed`)
  if (nameRule === 'not blank' && typeof name === 'string' && name.trim() === '')
    throw new Problem('unprocessable', `${kindName}.name must not be blank`)
}
