import { type JsonObject, Problem, type Uuid } from '@spanhouse/model'
import { newId, sql } from '@spanhouse/postgres'
import { createArtifact, editArtifact, lockArtifact, type NewArtifact, setArtifactArchived } from './artifacts.ts'
import { isSameJson } from './delta/equality.ts'
import { refuseReservedSlug, requireUnguarded } from './guard.ts'
import type { Scope } from './kind.ts'
import { type EncodedContent, encodeContent, insertRevisions, NO_CONTENT } from './revisions.ts'
import { defaultVariantOf } from './rows/find.ts'
import { type HeaderInput, newSlug } from './rows/header.ts'
import type { ArtifactRow } from './rows/rows.ts'
import { type FoundSimpleRow, findSimple, type SimpleRow } from './rows/simple-rows.ts'
import { inTransaction } from './scope.ts'
import { headOf, lockVariant, positionOn } from './variant-lock.ts'
import { insertVariant, setVariantArchived } from './variants.ts'

export interface NewSimple extends Omit<NewArtifact, 'folder_id'> {
  data?: JsonObject
  /** The location of the data in the request, for a 422. */
  loc?: (string | number)[]
}

export interface SimpleEdit extends HeaderInput {
  /** Replaces the head's data as a whole; if omitted, the head's data stays. */
  data?: JsonObject
  loc?: (string | number)[]
}

/**
 * Creates an artifact, its default variant, an empty first revision and one with the data: all or nothing. 409 if the
 * slug or id is taken, 422 for invalid data.
 */
export async function createSimple(scope: Scope, input: NewSimple): Promise<SimpleRow> {
  const { kind } = scope
  refuseReservedSlug(kind, input.slug)
  const { id = newId() } = input
  const content = await contentOf(scope, id, input)
  return inTransaction(scope, async inside => {
    const flags = kind.storedAs === 'workflow' ? (input.flags ?? {}) : input.flags
    const artifact = await createArtifact(inside, { ...input, id, flags })
    const variant = await insertVariant(inside, artifact, { ...input, slug: newSlug(), flags: undefined })
    const header = { name: input.name, description: input.description, tags: input.tags, meta: input.meta }
    const [, head] = await insertRevisions(inside, variant, [
      { ...(kind.content.flags ? header : {}), version: 0, message: 'Initial commit', content: NO_CONTENT },
      { ...header, version: 1, content },
    ])
    if (!head) throw new Error('the database returned one row of two')
    return { ...artifact, ...headOfRecord(head) }
  })
}

const headOfRecord = (head: {
  id: Uuid
  variant_id: Uuid
  slug: string
  flags: JsonObject | null
  data: JsonObject | null
}) => ({
  variant_id: head.variant_id,
  revision_id: head.id,
  revision_slug: head.slug,
  revision_flags: head.flags,
  data: head.data,
})

async function contentOf(scope: Scope, artifact_id: Uuid, input: SimpleEdit): Promise<EncodedContent> {
  const { content, simpleData } = scope.kind
  const data = simpleData ? await simpleData(input.data, scope) : input.data
  if (!data) return NO_CONTENT
  return encodeContent(await content.prepare(data, { scope, artifact_id, loc: [...(input.loc ?? ['body']), 'data'] }))
}

/**
 * Changes the members that the edit sets, and commits to the default variant, if there is one, if the data or a label
 * changes. Undefined if the artifact does not exist, or if it is archived and the kind does not allow editing archived
 * artifacts. 404 for data if there is no variant. Otherwise as `editArtifact`.
 */
export async function editSimple(scope: Scope, id: Uuid, edit: SimpleEdit): Promise<FoundSimpleRow | undefined> {
  const read = await findSimple(scope, id)
  if (!read || (read.deleted_at !== null && !scope.kind.editableArchived)) return undefined
  requireUnguarded(scope, read.flags)
  const { variant_id } = read
  if (variant_id === null && edit.data)
    throw new Problem('not_found', `The ${scope.kind.name} ${id} has no variant to commit to.`)
  const given = edit.data && (await contentOf(scope, id, edit))
  const kept = given ? undefined : await encodeContent(read)
  return inTransaction(scope, async inside => {
    const before = await lockArtifact(inside, id)
    const artifact = before && (await editArtifact(inside, id, edit))
    if (!artifact) return undefined
    if (variant_id === null) return findSimple(inside, id)
    const variant = await lockVariant(inside, variant_id)
    const { headId, nextVersion } = await positionOn(inside, variant.id)
    // What was read before the lock is valid unless another request has committed since.
    const stored = headId === read.revision_id ? read.data : ((await headOf(inside, variant.id))?.data ?? null)
    const content = given ?? (stored === read.data && kept ? kept : await encodeContent({ data: stored }))
    if (!hasNewLabels(before, artifact) && isSameJson(content.data, stored)) return findSimple(inside, id)
    const { name, description, tags, meta } = artifact
    const revision = { name, description, tags, meta, version: nextVersion, content }
    await insertRevisions(inside, variant, [revision], { data: stored })
    return findSimple(inside, id)
  })
}

const LABELS = ['name', 'description', 'tags', 'meta'] as const

const hasNewLabels = (before: ArtifactRow, after: ArtifactRow): boolean =>
  LABELS.some(label => !isSameJson(before[label], after[label]))

/**
 * Archives or restores the artifact and, for kinds that do so, its default variant. No effect if it is already
 * archived. Undefined if it does not exist.
 */
export function setSimpleArchived(scope: Scope, id: Uuid, isArchived: boolean): Promise<FoundSimpleRow | undefined> {
  return inTransaction(scope, async inside => {
    const before = await lockArtifact(inside, id)
    if (!before) return undefined
    await setArtifactArchived(inside, id, isArchived)
    if (isArchived && before.deleted_at === null && scope.kind.simpleArchivesVariant)
      await archiveDefaultVariant(inside, id)
    return findSimple(inside, id)
  })
}

async function archiveDefaultVariant(scope: Scope, artifactId: Uuid): Promise<void> {
  const { rows } = await sql<{ id: Uuid }>`${defaultVariantOf(scope, sql`${artifactId}::uuid`)}`.execute(scope.db)
  if (rows[0]) await setVariantArchived(scope, rows[0].id, true)
}

/** Sets whether changing an environment requires the permission to deploy. Undefined if it does not exist. */
export async function setGuarded(scope: Scope, id: Uuid, is_guarded: boolean): Promise<FoundSimpleRow | undefined> {
  const artifact = await editArtifact(scope, id, { flags: { is_guarded } })
  return artifact && findSimple(scope, id)
}
