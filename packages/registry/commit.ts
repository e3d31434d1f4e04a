import { invalid, type JsonObject, nextTurn, Problem, type Uuid, unprocessable } from '@spanhouse/model'
import { sql } from '@spanhouse/postgres'
import { violationsOf } from '@spanhouse/validation'
import { isSameContent } from './delta/equality.ts'
import { refuseReservedSlug, requireUnguarded } from './guard.ts'
import type { CommitWarning, ContentPlace, Delta, Kind, Prepared, Scope } from './kind.ts'
import { commitRefused } from './problems.ts'
import { type EncodedContent, encodeContent, insertRevisions, NO_CONTENT } from './revisions.ts'
import { defaultVariantOf } from './rows/find.ts'
import type { HeaderInput } from './rows/header.ts'
import { findRow, type RevisionRow, type VariantRow } from './rows/rows.ts'
import { inTransaction } from './scope.ts'
import { headOf, lockVariant, positionOn } from './variant-lock.ts'

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
 * Appends a revision to a variant. It is prepared from the head that is read first, and prepared again under a lock on
 * the variant's row if the head has changed in between. So versions have no gaps, a delta is applied to the current
 * head, and the transaction only stores. 404 for an unknown variant, 400 if it belongs to another artifact or the
 * commit does not contain exactly what is required, 409 if `base_revision_id` is not the head or the slug is taken, 422
 * for invalid data or delta, 503 if the lock is not acquired in time.
 */
export async function commitRevision(scope: Scope, input: CommitInput): Promise<Committed> {
  requireSources(scope.kind, input)
  refuseReservedSlug(scope.kind, input.slug)
  const plan = await planCommit(scope, await variantOf(scope, input), input)
  if (plan.isUnchanged) return unchanged(plan)
  return inTransaction(scope, async inside => {
    const variant = await lockVariant(inside, plan.variant.id)
    const { headId, nextVersion } = await positionOn(inside, variant.id)
    requireUnguarded(scope, variant.artifact_flags)
    const current = headId === plan.head?.id ? plan : await planCommit(inside, variant, input)
    if (current.isUnchanged) return unchanged(current)
    const { content, warnings, message } = current
    const revision = { ...input, version: nextVersion, content, message: input.message ?? message }
    const [row] = await insertRevisions(inside, variant, [revision], current.head)
    return { row: row as RevisionRow, status: 'committed', warnings }
  })
}

/** The result of planning a commit on a head. */
interface Plan {
  variant: VariantRow
  head: RevisionRow | undefined
  /** The head already contains the same. */
  isUnchanged: boolean
  content: EncodedContent
  warnings: CommitWarning[]
  message?: string
}

async function planCommit(scope: Scope, variant: VariantRow, input: CommitInput): Promise<Plan> {
  const head = await headOf(scope, variant.id)
  requireBase(input, head)
  if (scope.kind.commit.keepsData && !input.data && !input.delta && head?.data)
    throw invalid('data or delta is required: without them the data of the variant would be lost.')
  const { prepared, warnings, message } = await preparedFor(scope, { variant, head }, input)
  await nextTurn()
  // What equals an archived head is stored all the same: it would stay hidden.
  const isUnchanged =
    head?.deleted_at === null &&
    skipsEqual(scope.kind, input) &&
    isSameContent(prepared.data ?? undefined, head.data ?? undefined)
  await nextTurn()
  const content = isUnchanged ? NO_CONTENT : await encodeContent(prepared)
  return { variant, head, isUnchanged, content, warnings, message }
}

function unchanged({ head, warnings }: Plan): Committed {
  const warning = { code: 'no_change', message: 'The head already contains this content; no revision was created.' }
  return { row: head as RevisionRow, status: 'no_change', warnings: [...warnings, warning] }
}

/** The variant that a commit goes to. */
async function variantOf(scope: Scope, input: CommitInput): Promise<VariantRow> {
  const { name } = scope.kind
  const id = await variantIdOf(scope, input)
  const variant = await findRow(scope, 'variant', id)
  if (!variant) throw new Problem('not_found', `The ${name} variant ${id} does not exist.`)
  if (input.artifact_id !== undefined && input.artifact_id !== variant.artifact_id)
    throw invalid(`${name}_id: the variant belongs to another ${name}`)
  requireUnguarded(scope, variant.artifact_flags)
  return variant
}

async function variantIdOf(scope: Scope, { variant_id, artifact_id, delta_base_id }: CommitInput): Promise<Uuid> {
  const { name, commit } = scope.kind
  if (variant_id !== undefined) return variant_id
  if (commit.needsVariant) throw invalid(`${name}_variant_id is required`)
  if (delta_base_id !== undefined) return (await deltaBaseOf(scope, delta_base_id)).variant_id
  if (artifact_id === undefined) throw invalid(`${name}_variant_id or ${name}_id is required`)
  const { rows } = await sql<{ id: Uuid }>`${defaultVariantOf(scope, sql`${artifact_id}::uuid`)}`.execute(scope.db)
  if (!rows[0]) throw new Problem('not_found', `The ${name} ${artifact_id} does not exist or has no variant.`)
  return rows[0].id
}

async function deltaBaseOf(scope: Scope, id: Uuid): Promise<RevisionRow> {
  const base = await findRow(scope, 'revision', id)
  if (!base) throw new Problem('not_found', `The ${scope.kind.name} revision ${id} does not exist.`)
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
  prepared: Prepared
  warnings: CommitWarning[]
  message?: string
}

/** What is to be stored for a commit: its data, or that of its base with the delta applied. */
async function preparedFor(
  scope: Scope,
  { variant, head }: { variant: VariantRow; head: RevisionRow | undefined },
  input: CommitInput,
): Promise<NewContent> {
  const { data, delta, delta_base_id, loc = ['body'] } = input
  const place: ContentPlace = { scope, artifact_id: variant.artifact_id, loc: [...loc, delta ? 'delta' : 'data'] }
  const { content } = scope.kind
  if (!delta) return { prepared: data ? await content.prepare(data, place) : { data: null }, warnings: [] }
  const base = delta_base_id === undefined ? head : await deltaBaseOf(scope, delta_base_id)
  if (!base && delta.needsHead) throw new Problem('not_found', `The ${scope.kind.name} variant has no revision yet.`)
  const { warnings = [], message, ...changed } = await delta.apply(base?.data ?? null, place)
  if (changed.isPrepared) return { prepared: changed, warnings, message }
  return { prepared: await preparedAfterDelta(scope, changed.data, place), warnings, message }
}

/** The data that a delta made, checked as if it had been sent. Where it is invalid is no place in the request. */
async function preparedAfterDelta({ kind }: Scope, data: JsonObject, place: ContentPlace): Promise<Prepared> {
  const loc = ['data']
  try {
    const read = kind.content.data.safeParse(data)
    if (!read.success) throw unprocessable(...violationsOf(read.error.issues, loc, data))
    return await kind.content.prepare(read.data, { ...place, loc })
  } catch (error) {
    if (!(error instanceof Problem && Array.isArray(error.detail))) throw error
    const details = { violations: error.detail }
    throw commitRefused('unprocessable', 'final_validation_failed', error.message, { details })
  }
}
