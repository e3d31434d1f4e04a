import { type JsonObject, Problem, type Uuid } from '@spanhouse/model'
import type { Scope } from './kind.ts'
import type { References } from './references.ts'
import { findRevision, namesRevision } from './rows/find.ts'
import { newSlug } from './rows/header.ts'
import type { RevisionRow } from './rows/rows.ts'
import { createSimple } from './simple.ts'

/** A revision with its parents, as references from elsewhere name them, and what it holds. */
export interface ResolvedRevision {
  artifact: { id: Uuid; slug: string }
  variant: { id: Uuid; slug: string }
  revision: { id: Uuid; slug: string; version: string }
  /** As it is shown; null when the revision holds nothing. */
  data: JsonObject | null
}

/** The revision that references lead to; undefined when there is none, or nothing was named. 400 on contradictions. */
export async function resolveReferences(scope: Scope, references: References): Promise<ResolvedRevision | undefined> {
  if (!namesRevision(scope.kind, references)) return undefined
  const row = await findRevision(scope, references)
  return row && resolved(scope, row)
}

export interface Wanted {
  /** Made up when it is left out: then there is always a new record. */
  slug?: string
  name?: string
  /** Left out, the new record's first revision holds nothing. */
  data?: JsonObject
}

/**
 * The newest revision of the artifact with this slug, which is made with the data when it is not there. Not inside a
 * transaction: two callers may make the same one, and the failure of the second would end it.
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
    // Somebody else has made it meanwhile.
    if (!(error instanceof Problem) || error.code !== 'conflict') throw error
  }
  const made = await resolveReferences(scope, { artifact: { slug } })
  if (!made)
    throw new Problem('conflict', { message: 'The slug belongs to a record without revisions.', conflict: { slug } })
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
