import { type JsonObject, parseJsonInTurns, type Uuid } from '@spanhouse/model'
import { newId, toJsonb, toJsonbInTurns } from '@spanhouse/postgres'
import { recordCommits } from './commit-events.ts'
import { requireUnguarded } from './guard.ts'
import type { Prepared, Scope } from './kind.ts'
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
import { findRow, RECORD_COLUMNS, type RevisionRow, type VariantRow } from './rows/rows.ts'
import { inTransaction } from './scope.ts'

/** A revision to be stored. */
export interface NewRevision extends HeaderInput {
  version: number
  slug?: string
  message?: string | null
  content: EncodedContent
}

/** What a revision holds, as it is stored: made before the transaction, since long JSON takes its time. */
export interface EncodedContent {
  /** As it will be read. */
  data: JsonObject | null
  text: string | null
  write?: Prepared['write']
}

export const NO_CONTENT: EncodedContent = { data: null, text: null }

export async function encodeContent({ data, write }: Prepared): Promise<EncodedContent> {
  const text = await toJsonbInTurns(data)
  if (text === null) return NO_CONTENT
  return { text, data: (await parseJsonInTurns(Buffer.from(text))) as JsonObject, write }
}

/**
 * Stores revisions of a variant whose row the caller has locked or created in the same transaction. 409 if a slug is
 * taken. Their commits are recorded as events, that of the first as a change of `head`, the variant's so far. Flags that
 * depend on the data are computed; an empty first revision has none.
 */
export async function insertRevisions(
  scope: Scope,
  variant: VariantRow,
  revisions: readonly NewRevision[],
  head?: Pick<RevisionRow, 'data'>,
): Promise<RevisionRow[]> {
  const { db } = scope
  for (const { content } of revisions) await content.write?.(scope)
  const rows = revisions.map(revision => toRow(scope, variant, revision))
  const stored = await withRegistryProblems(() =>
    db.insertInto('revisions').values(rows).returning(STORED_COLUMNS).execute(),
  )
  const { artifact_slug, artifact_flags, slug: variant_slug } = variant
  const dataOf = new Map(rows.map(({ id }, at) => [id, revisions[at]?.content.data ?? null]))
  const complete = stored.map(row => ({
    ...row,
    artifact_slug,
    artifact_flags,
    variant_slug,
    data: dataOf.get(row.id) as JsonObject | null,
  }))
  await recordCommits(
    scope,
    variant,
    complete.toSorted((one, other) => one.version - other.version),
    head,
  )
  return complete
}

/** All that the database may have made of what was sent. The data is stored as it was sent, and may be long. */
const STORED_COLUMNS = [...RECORD_COLUMNS, 'artifact_id', 'variant_id', 'version', 'message'] as const

function toRow(scope: Scope, variant: VariantRow, revision: NewRevision) {
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
    data: revision.content.text,
    created_by_id: user_id,
  }
}

function storedFlags(scope: Scope, revision: NewRevision, slug: string): JsonObject | null {
  const { content, freeFlags } = scope.kind
  if (content.flags) return content.flags(revision.content.data, slug, scope)
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

/**
 * Archives or restores one revision. One that was archived with its variant is then archived by itself: restoring the
 * variant does not restore it. Undefined if it does not exist.
 */
export function setRevisionArchived(scope: Scope, id: Uuid, isArchived: boolean): Promise<RevisionRow | undefined> {
  return changeRevision(scope, id, ({ deleted_at }) => {
    const isChange = (deleted_at === null) === isArchived
    return { ...(isChange && (isArchived ? archived(scope) : restored(scope))), deleted_with_variant: false }
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
