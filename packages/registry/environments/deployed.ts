import { isJsonObject, type JsonObject, parseUuid, type Uuid } from '@spanhouse/model'
import { sql } from '@spanhouse/postgres'
import type { Kind, Scope } from '../kind.ts'
import { anyOf } from '../rows/list.ts'
import type { RevisionRow } from '../rows/rows.ts'

/** The names under which an entry of an environment can refer to a workflow's revision. */
const FAMILY_NAMES = ['workflow', 'application', 'evaluator'] as const

/** The entry for a revision that is deployed as one of a kind. */
export function entryOf({ name }: Kind, revision: RevisionRow): JsonObject {
  return {
    [name]: { id: revision.artifact_id },
    [`${name}_variant`]: { id: revision.variant_id },
    [`${name}_revision`]: { id: revision.id, slug: revision.slug, version: String(revision.version) },
  }
}

/** The default key under which a workflow is deployed. */
export const defaultKey = (artifactSlug: string): string => `${artifactSlug}.revision`

/**
 * The data with its slugs replaced by those of the revisions that its ids refer to. Only existing slugs are rewritten,
 * and entries that refer to nothing are unchanged.
 */
export async function fillSlugs(scope: Scope, data: JsonObject): Promise<JsonObject> {
  const entries = isJsonObject(data.references) ? data.references : undefined
  if (!entries) return data
  const ids = [...new Set(Object.values(entries).flatMap(revisionIdsOf))]
  if (ids.length === 0) return data
  const byId = await slugsOf(scope, ids)
  const filled = Object.entries(entries).map(([key, entry]) => [
    key,
    isJsonObject(entry) ? filledEntry(entry, byId) : entry,
  ])
  return { ...data, references: Object.fromEntries(filled) }
}

/** Without their data, which may be large. */
async function slugsOf({ db, project_id }: Scope, ids: readonly Uuid[]): Promise<ReadonlyMap<Uuid, Slugs>> {
  const { rows } = await sql<Slugs>`
    select r.id, r.slug, v.slug as variant_slug, a.slug as artifact_slug
    from revisions r
    join variants v on v.project_id = r.project_id and v.family = r.family and v.id = r.variant_id
    join artifacts a on a.project_id = v.project_id and a.family = v.family and a.id = v.artifact_id
    where r.project_id = ${project_id} and r.family = 'workflow' and ${anyOf(sql.ref('r.id'), ids, 'uuid')}`.execute(db)
  return new Map(rows.map(row => [row.id, row]))
}

type Slugs = Pick<RevisionRow, 'id' | 'slug' | 'variant_slug' | 'artifact_slug'>

function revisionIdsOf(entry: unknown): Uuid[] {
  return FAMILY_NAMES.map(name => idOf(entry, `${name}_revision`)).filter(id => id !== undefined)
}

function idOf(entry: unknown, name: string): Uuid | undefined {
  const reference = isJsonObject(entry) ? entry[name] : undefined
  const id = isJsonObject(reference) ? reference.id : undefined
  return typeof id === 'string' && parseUuid(id) === id ? id : undefined
}

function filledEntry(entry: JsonObject, rows: ReadonlyMap<Uuid, Slugs>): JsonObject {
  const filled = { ...entry }
  for (const name of FAMILY_NAMES) {
    const row = rows.get(idOf(entry, `${name}_revision`) ?? '')
    if (!row) continue
    const slugs = { [name]: row.artifact_slug, [`${name}_variant`]: row.variant_slug, [`${name}_revision`]: row.slug }
    for (const [entity, slug] of Object.entries(slugs)) {
      const reference = filled[entity]
      if (isJsonObject(reference) && reference.slug !== undefined) filled[entity] = { ...reference, slug }
    }
  }
  return filled
}
