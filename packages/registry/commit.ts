import { invalid, type JsonObject, nextTurn, Problem, type Uuid } from '@spanhouse/model'
import { sql } from '@spanhouse/postgres'
import { isSameContent } from './delta/equality.ts'
import { refuseReservedSlug, requireUnguarded } from './guard.ts'
import type { CommitWarning, ContentPlace, Delta, Kind, Scope } from './kind.ts'
import { commitRefused } from './problems.ts'
import { insertRevisions } from './revisions.ts'
import { defaultVariantOf } from './rows/find.ts'
import type { HeaderInput } from './rows/header.ts'
import { findRow, type RevisionRow } from './rows/rows.ts'
import { inTransaction } from './scope.ts'
import { headOf, type LockedVariant, lockVariant } from './variant-lock.ts'

export interface CommitInput extends HeaderInput {
  variant_id?: Uuid
  /** Must match the variant's artifact. If no variant is named, a kind may commit to the artifact's default variant. */
  artifact_id?: Uuid
  /** The head that the caller knows: the commit is rejected if there is a newer one. */
  base_revision_id?: Uuid
  /** The revision to apply the delta to instead of the head. */
  delta_base_id?: Uuid
  slug?: string
  message?: string | null
  data?: JsonObject
  delta?: Delta
  /** The location of the data in the request, for a 422. */
  loc?: (string | number)[]
}

export interface Committed {
  /** The new revision, or the head if there was no change. */
  row: RevisionRow
  status: 'committed' | 'no_change'
  warnings: CommitWarning[]
}

/**
 * Appends a revision to a variant, under a lock on the variant's row: versions have no gaps, and a delta is applied to
 * the current head. 404 for an unknown variant, 400 if it belongs to another artifact or the commit does not contain
 * exactly what is required, 409 if `base_revision_id` is not the head or the slug is taken, 422 for invalid data or
 * delta, 503 if the lock is not acquired in time.
 */
export function commitRevision(scope: Scope, input: CommitInput): Promise<Committed> {
  requireSources(scope.kind, input)
  refuseReservedSlug(scope.kind, input.slug)
  return inTransaction(scope, async inside => {
    const variant = await lockVariant(inside, await variantIdOf(inside, input))
    if (input.artifact_id !== undefined && input.artifact_id !== variant.artifact_id)
      throw invalid(`${scope.kind.name}_id: the variant belongs to another ${scope.kind.name}`)
    requireUnguarded(scope, variant.artifact_flags)
    const { head, nextVersion } = await headOf(inside, variant.id)
    return commitOnto(inside, { variant, head, nextVersion }, input)
  })
}

async function commitOnto(scope: Scope, locked: LockedVariant, input: CommitInput): Promise<Committed> {
  const { variant, head, nextVersion } = locked
  requireBase(input, head)
  if (scope.kind.commit.keepsData && !input.data && !input.delta && head?.data)
    throw invalid('data or delta is required: without them the data of the variant would be lost.')
  const { data, warnings, message } = await contentOf(scope, locked, input)
  await nextTurn()
  if (head && skipsEqual(scope.kind, input) && isSameContent(data ?? undefined, head.data ?? undefined)) {
    const warning = { code: 'no_change', message: 'The head already contains this content; no revision was created.' }
    return { row: head, status: 'no_change', warnings: [...warnings, warning] }
  }
  await nextTurn()
  const revision = { ...input, version: nextVersion, data, message: input.message ?? message }
  const [row] = await insertRevisions(scope, variant, [revision])
  return { row: row as RevisionRow, status: 'committed', warnings }
}

async function variantIdOf(scope: Scope, { variant_id, artifact_id, delta_base_id }: CommitInput): Promise<Uuid> {
  const { name, commit } = scope.kind
  if (variant_id !== undefined) return variant_id
  if (commit.needsVariant) throw invalid(`${name}_variant_id is required`)
  if (delta_base_id !== undefined) return (await deltaBaseOf(scope, delta_base_id)).variant_id
  if (artifact_id === undefined) throw invalid(`${name}_variant_id or ${name}_id is required`)
  const { rows } = await sql<{ id: Uuid }>`${defaultVariantOf(scope, sql`${artifact_id}::uuid`)}`.execute(scope.db)
  if (!rows[0]) throw new Problem('not_found', `There is no ${name} ${artifact_id} with a variant.`)
  return rows[0].id
}

async function deltaBaseOf(scope: Scope, id: Uuid): Promise<RevisionRow> {
  const base = await findRow(scope, 'revision', id)
  if (!base) throw new Problem('not_found', `There is no ${scope.kind.name} revision ${id}.`)
  return base
}

function requireSources({ name, commit }: Kind, { data, delta }: CommitInput): void {
  if (commit.takes === 'data only') return
  if (data && delta) throw invalid(`${name}_revision: data and delta are mutually exclusive`)
  if (commit.takes === 'exactly one' && !data && !delta) throw invalid(`${name}_revision: data or delta is required`)
}

function requireBase({ base_revision_id, delta }: CommitInput, head: RevisionRow | undefined): void {
  if (delta?.needsBase && base_revision_id === undefined)
    throw commitRefused(
      'unprocessable',
      'invalid_delta',
      'base_revision_id is required with operations: the id of the head they apply to.',
    )
  if (base_revision_id === undefined || base_revision_id === head?.id) return
  throw commitRefused('conflict', 'revision_conflict', 'base_revision_id is not the head of the variant.', {
    next_step: 'Fetch the current revision, make the change again and send its id as base_revision_id.',
    details: {
      base_revision_id,
      ...(head && { current_revision_id: head.id, current_revision_version: String(head.version) }),
    },
  })
}

const skipsEqual = ({ commit }: Kind, { base_revision_id }: CommitInput): boolean =>
  commit.skipsEqual === 'always' || (commit.skipsEqual === 'with a base' && base_revision_id !== undefined)

interface NewContent {
  data: JsonObject | null
  warnings: CommitWarning[]
  message?: string
}

/** The data to store for a commit: its own, or that of its base with the delta applied. */
async function contentOf(scope: Scope, { variant, head }: LockedVariant, input: CommitInput): Promise<NewContent> {
  const { data, delta, delta_base_id, loc = ['body'] } = input
  const place: ContentPlace = { scope, artifact_id: variant.artifact_id, loc: [...loc, delta ? 'delta' : 'data'] }
  const { content } = scope.kind
  if (delta) {
    const base = delta_base_id === undefined ? head : await deltaBaseOf(scope, delta_base_id)
    if (!base && delta.needsHead) throw new Problem('not_found', `The ${scope.kind.name} variant has no revision yet.`)
    const { warnings = [], message, ...changed } = await delta.apply(base?.data ?? null, place)
    const read = content.data.safeParse(changed.data)
    if (!read.success)
      throw commitRefused(
        'unprocessable',
        'final_validation_failed',
        read.error.issues.map(issue => `${issue.path.join('.')}: ${issue.message}`).join('; '),
      )
    return { data: await content.store(read.data, place), warnings, message }
  }
  return { data: data ? await content.store(data, place) : null, warnings: [] }
}
