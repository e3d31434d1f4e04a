import { invalid } from '@spanhouse/model'
import { type RawBuilder, sql } from '@spanhouse/postgres'
import type { Kind, Layer, Scope } from '../kind.ts'
import { identifies, type References, versionOf } from '../references.ts'
import { column, type RevisionRow, type Selection, selectRows } from './rows.ts'

/**
 * The one revision that references identify, or undefined if it does not exist:
 *
 * | given                                    | found                                    |
 * | ---------------------------------------- | ---------------------------------------- |
 * | a revision's id or slug                  | that revision                            |
 * | a variant or an artifact, and a version  | that version of it                       |
 * | a variant or an artifact                 | its newest revision                      |
 *
 * For an artifact its default variant is used: the oldest. Default and newest prefer entries that are not archived; an
 * entry that is named explicitly is found archived or not. Throws a 400 that names the reference if nothing identifies
 * a revision, or if another reference does not match the row. For `data` see {@link Selection.data}.
 */
export async function findRevision(
  scope: Scope,
  references: References,
  data?: RawBuilder<unknown>,
): Promise<RevisionRow | undefined> {
  requireScoped(scope.kind, references)
  const { where, tail } = pointsAt(scope, withNumber(references))
  const [row] = await selectRows(scope, 'revision', { where: [where], tail, data })
  if (row) requireConsistent(scope.kind, references, row)
  return row
}

const withNumber = ({ revision, ...parents }: References): Pointers =>
  revision?.version === undefined
    ? { ...parents, revision }
    : { ...parents, revision: { ...revision, version: versionOf(revision.version) } }

/** References as a statement contains them: values, or columns that contain them; versions are numbers. */
export interface Pointers {
  artifact?: Pointer
  variant?: Pointer
  revision?: Pointer & { version?: unknown }
}
interface Pointer {
  id?: unknown
  slug?: unknown
}

/** The condition and tail of a statement on `revisions r` that finds what the pointers identify. */
export function pointsAt(
  scope: Scope,
  { artifact, variant, revision }: Pointers,
): { where: RawBuilder<unknown>; tail?: RawBuilder<unknown> } {
  if (revision && identifies(revision)) return { where: matches('revision', revision) }
  const parent =
    variant && identifies(variant)
      ? sql`select v.id from variants v where ${ownOf('v', scope)} and ${matches('variant', variant)}`
      : defaultVariantOf(
          scope,
          sql`select a.id from artifacts a where ${ownOf('a', scope)} and ${matches('artifact', artifact ?? {})}`,
        )
  const isOnVariant = sql`r.project_id = ${scope.project_id} and r.variant_id = (${parent})`
  if (revision?.version !== undefined) return { where: sql`${isOnVariant} and r.version = ${revision.version}` }
  return { where: isOnVariant, tail: sql`${HEAD_FIRST} limit 1` }
}

/** The newest revision first, preferring revisions that are not archived: the first one is the head of its variant. */
export const HEAD_FIRST = sql`order by (r.deleted_at is not null), r.version desc`

/** The id of the default variant of the artifact that a subquery selects. */
export const defaultVariantOf = (scope: Scope, artifactId: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  select d.id from variants d where ${ownOf('d', scope)} and d.artifact_id = (${artifactId})
  order by (d.deleted_at is not null), d.created_at, d.id limit 1`

/** Restricts a table to the scope's project and family. */
export const ownOf = (table: string, { project_id, kind }: Scope): RawBuilder<unknown> =>
  sql`${sql.ref(`${table}.project_id`)} = ${project_id} and ${sql.ref(`${table}.family`)} = ${kind.storedAs}`

const matches = (layer: Layer, { id, slug }: Pointer): RawBuilder<unknown> =>
  id === undefined ? sql`${column(layer, 'slug')} = ${slug}` : sql`${column(layer, 'id')} = ${id}::uuid`

/** Whether the references identify anything. A version alone is rejected. */
export function hasReference({ name }: Kind, { artifact, variant, revision }: References): boolean {
  if (variant?.version !== undefined && !identifies(variant))
    throw invalid(`${name}_variant_ref: a version alone does not identify a variant`)
  if ([artifact, variant, revision].some(identifies)) return true
  if (revision?.version === undefined) return false
  throw invalid(`${name}_revision_ref.version requires ${name}_variant_ref`)
}

/**
 * As {@link hasReference}, but also rejects an artifact's version alone, which would otherwise count as no reference.
 */
export function namesRevision(kind: Kind, references: References): boolean {
  if (hasReference(kind, references)) return true
  if (references.artifact?.version === undefined) return false
  throw invalid(`${kind.name}: a version alone does not identify a revision`)
}

/** Throws a 400 if the references identify no revision. */
export function requireScoped(kind: Kind, references: References): void {
  if (hasReference(kind, references)) return
  throw invalid(`${kind.name}_ref, ${kind.name}_variant_ref or ${kind.name}_revision_ref is required`)
}

/** Throws a 400 that names the first member of the references that does not match the row. */
export function requireConsistent({ name }: Kind, { artifact, variant, revision }: References, row: RevisionRow): void {
  const facts: [string, string | undefined, string][] = [
    [`${name}_ref.id`, artifact?.id, row.artifact_id],
    [`${name}_ref.slug`, artifact?.slug, row.artifact_slug],
    [`${name}_variant_ref.id`, variant?.id, row.variant_id],
    [`${name}_variant_ref.slug`, variant?.slug, row.variant_slug],
    [`${name}_revision_ref.id`, revision?.id, row.id],
    [`${name}_revision_ref.slug`, revision?.slug, row.slug],
    [`${name}_revision_ref.version`, revision?.version, String(row.version)],
  ]
  const wrong = facts.find(([, sent, stored]) => sent !== undefined && sent !== stored)
  if (wrong) throw invalid(`${wrong[0]} contradicts the other references: the revision found has ${wrong[2]}`)
}
