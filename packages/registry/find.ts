import { invalid, Problem, type Uuid } from '@spanhouse/model'
import { type RawBuilder, sql } from '@spanhouse/postgres'
import type { Kind, Layer } from './kinds.ts'
import { identifies, type Reference, type References, versionOf } from './references.ts'
import { column, type RevisionRow, selectRows } from './rows.ts'
import type { Scope } from './scope.ts'

/**
 * The one revision that references point at, undefined when there is none:
 *
 * | given                                    | found                                    |
 * | ---------------------------------------- | ---------------------------------------- |
 * | a revision's id or slug                  | that revision                            |
 * | a variant or an artifact, and a version  | that version of it                       |
 * | a variant or an artifact                 | its newest revision                      |
 *
 * Of an artifact it is the default variant that counts: the oldest. Default and newest are those that are not archived,
 * as long as there is one; what is named is found archived or not. Throws a 400 naming the reference when nothing
 * identifies a revision, or when something else that was sent is not what the row says.
 */
export async function findRevision(scope: Scope, references: References): Promise<RevisionRow | undefined> {
  const { where, tail } = pointsAt(scope, references)
  const [row] = await selectRows(scope, 'revision', { where: [where], tail })
  if (row) requireConsistent(scope.kind, references, row)
  return row
}

/**
 * As {@link findRevision} for any number of references, in two statements; in their order. A reference that is refused
 * has its problem in its place.
 */
export async function findRevisions(
  scope: Scope,
  wanted: readonly References[],
): Promise<(RevisionRow | Problem | undefined)[]> {
  const places = wanted.map(references => attempt(() => pointsAt(scope, references)))
  const ids = await firstIds(scope, places)
  const known = ids.filter(id => id !== null)
  const isOne = sql`r.id = any(${known}::uuid[])`
  const rows = known.length === 0 ? [] : await selectRows(scope, 'revision', { where: [isOne] })
  const byId = new Map(rows.map(row => [row.id, row]))
  return wanted.map((references, n) => {
    const place = places[n]
    if (place instanceof Problem) return place
    const row = byId.get(ids[n] ?? '')
    return row && (attempt(() => requireConsistent(scope.kind, references, row)) ?? row)
  })
}

async function firstIds(scope: Scope, places: readonly (Place | Problem)[]): Promise<(Uuid | null)[]> {
  if (!places.some(place => !(place instanceof Problem))) return []
  const chosen = places.map(place =>
    place instanceof Problem
      ? sql`null::uuid`
      : sql`(select r.id from revisions r where ${ownOf('r', scope)} and ${place.where} ${place.tail ?? sql``})`,
  )
  const { rows } = await sql<{ ids: (Uuid | null)[] }>`select array[${sql.join(chosen)}]::uuid[] as ids`.execute(
    scope.db,
  )
  return rows[0]?.ids ?? []
}

function attempt<T>(work: () => T): T | Problem {
  try {
    return work()
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}

interface Place {
  where: RawBuilder<unknown>
  tail?: RawBuilder<unknown>
}

function pointsAt(scope: Scope, references: References): Place {
  const { kind, project_id } = scope
  requireScoped(kind, references)
  const { artifact, variant, revision } = references
  const version = revision?.version
  if (identifies(revision)) return { where: matches('revision', revision as Reference) }
  const parent = identifies(variant)
    ? sql`select v.id from variants v where ${ownOf('v', scope)} and ${matches('variant', variant as Reference)}`
    : defaultVariantOf(
        scope,
        sql`select a.id from artifacts a where ${ownOf('a', scope)} and ${matches('artifact', artifact as Reference)}`,
      )
  const isOnVariant = sql`r.project_id = ${project_id} and r.variant_id = (${parent})`
  if (version !== undefined) return { where: sql`${isOnVariant} and r.version = ${versionOf(version)}` }
  return { where: isOnVariant, tail: NEWEST_FIRST }
}

/** The newest revision first: of those that are not archived, as long as there is one. */
export const NEWEST_FIRST = sql`order by (r.deleted_at is not null), r.version desc limit 1`

/** The id of the default variant of the artifact whose id a subquery gives. */
export const defaultVariantOf = ({ project_id }: Scope, artifactId: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  select d.id from variants d where d.project_id = ${project_id} and d.artifact_id = (${artifactId})
  order by (d.deleted_at is not null), d.created_at, d.id limit 1`

const ownOf = (table: string, { project_id, kind }: Scope): RawBuilder<unknown> =>
  sql`${sql.ref(`${table}.project_id`)} = ${project_id} and ${sql.ref(`${table}.family`)} = ${kind.storedAs}`

const matches = (layer: Layer, { id, slug }: Reference): RawBuilder<unknown> =>
  id === undefined ? sql`${column(layer, 'slug')} = ${slug}` : sql`${column(layer, 'id')} = ${id}::uuid`

/** Whether anything was sent that could identify a revision. A version alone is refused. */
export function hasReference({ name }: Kind, { artifact, variant, revision }: References): boolean {
  if (variant?.version !== undefined && !identifies(variant))
    throw invalid(`${name}_variant_ref: a version alone does not identify a variant`)
  if ([artifact, variant, revision].some(identifies)) return true
  if (revision?.version === undefined) return false
  throw invalid(`${name}_revision_ref.version needs a ${name}_variant_ref to be a version of`)
}

function requireScoped(kind: Kind, references: References): void {
  if (hasReference(kind, references)) return
  throw invalid(`${kind.name}_ref, ${kind.name}_variant_ref or ${kind.name}_revision_ref is required`)
}

/** Throws a 400 that names the first member of the references which is not what the row says. */
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
