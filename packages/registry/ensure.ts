import { type JsonObject, Problem, type Uuid } from '@spanhouse/model'
import type { Scope } from './kind.ts'
import type { References } from './references.ts'
import { findRevision, namesRevision } from './rows/find.ts'
import { newSlug } from './rows/header.ts'
import type { RevisionRow } from './rows/rows.ts'
import { createSimple } from './simple.ts'

/** A revision with its parents, as references name them, and its data. */
export interface ResolvedRevision {
  artifact: { id: Uuid; slug: string }
  variant: { id: Uuid; slug: string }
  revision: { id: Uuid; slug: string; version: string }
  /** The data as shown; null if the revision has none. */
  data: JsonObject | null
}

/**
 * The revision that references identify; undefined if it does not exist or nothing is referenced. 400 on
 * contradictions.
 */
export async function resolveReferences(scope: Scope, references: References): Promise<ResolvedRevision | undefined> {
  if (!namesRevision(scope.kind, references)) return undefined
  const row = await findRevision(scope, references)
  return row && resolved(scope, row)
}

export interface Wanted {
  /** Generated if omitted, so a new artifact is always created. */
  slug?: string
  name?: string
  /** If omitted, the new artifact's first revision is empty. */
  data?: JsonObject
}

/**
 * The newest revision of the artifact with this slug. The artifact is created with the data if it does not exist. Must
 * not run inside a transaction: two callers may create the same artifact, and the failure of the second would abort it.
 */
export async function ensureRecord(
  scope: Scope,
  { slug = newSlug(), name = slug, data }: Wanted,
): Promise<ResolvedRevision> {
  const found = await resolveReferences(scope, { artifact: { slug } })
  if (found) return found
  try {
    await createSimple(scope, { slug, name, data })
  } catch (error) {
    // Another caller created it in the meantime.
    if (!(error instanceof Problem) || error.code !== 'conflict') throw error
  }
  const made = await resolveReferences(scope, { artifact: { slug } })
  if (!made)
    throw new Problem('conflict', { message: 'The slug belongs to an artifact without revisions.', conflict: { slug } })
  return made
}

function resolved({ kind, ...scope }: Scope, row: RevisionRow): ResolvedRevision {
  return {
    artifact: { id: row.artifact_id, slug: row.artifact_slug },
    variant: { id: row.variant_id, slug: row.variant_slug },
    revision: { id: row.id, slug: row.slug, version: String(row.version) },
    data: row.data && kind.content.show(row.data, { ...scope, kind }),
  }
}
