import { invalid, type Uuid } from '@spanhouse/model'
import { newId, sql, toJsonb } from '@spanhouse/postgres'
import { recordCommits } from './commit-events.ts'
import { requireUnguarded } from './guard.ts'
import type { Scope } from './kind.ts'
import { identifies, type References } from './references.ts'
import { findRevision, hasReference } from './rows/find.ts'
import { newSlug } from './rows/header.ts'
import type { RevisionRow, VariantRow } from './rows/rows.ts'
import { inTransaction } from './scope.ts'
import { insertVariant, type NewVariant } from './variants.ts'

/**
 * Creates a variant of the same artifact with copies of a variant's revisions, all or up to the pinned one. Copies keep
 * data, message and labels, and get new ids, slugs, author, date, and versions from 0; archived revisions are not
 * copied. 400 if the references identify no revision, 409 if the slug is taken. All or nothing. The interface lets a
 * version alone pin a revision for every kind except environments.
 */
export function forkVariant(
  scope: Scope,
  source: Pick<References, 'variant' | 'revision'>,
  input: Omit<NewVariant, 'artifact_id'>,
): Promise<VariantRow> {
  return inTransaction(scope, async inside => {
    const pinned = await pinnedRevision(inside, source)
    // By their ids: which revisions are archived may change between the statements.
    const { rows: sources } = await sql<{ id: Uuid }>`
      select r.id from revisions r where r.project_id = ${scope.project_id} and r.variant_id = ${pinned.variant_id}
        and r.deleted_at is null and r.version <= ${pinned.version}
      order by r.version`.execute(inside.db)
    if (sources.length === 0)
      throw invalid(`${scope.kind.name}_variant_ref: the source variant has no revisions to copy`)
    requireUnguarded(scope, pinned.artifact_flags)
    const artifact = { id: pinned.artifact_id, slug: pinned.artifact_slug, flags: pinned.artifact_flags }
    const variant = await insertVariant(inside, artifact, input)
    const copies = sources.map(({ id: source_id }, version) => ({ source_id, version, id: newId(), slug: newSlug() }))
    const copied = await sql<Copied>`
      insert into revisions (project_id, family, artifact_id, variant_id, id, slug, version,
        name, description, flags, tags, meta, message, data, created_by_id)
      select r.project_id, r.family, r.artifact_id, ${variant.id}, c.id, c.slug, c.version,
        r.name, r.description, r.flags, r.tags, r.meta, r.message, r.data, ${scope.user_id}
      from jsonb_to_recordset(${toJsonb(copies)}::jsonb) as c (source_id uuid, version int, id uuid, slug text)
      join revisions r on r.project_id = ${scope.project_id} and r.id = c.source_id
      returning id, slug, version, message
    `.execute(inside.db)
    const ascending = copied.rows.toSorted((one, other) => one.version - other.version)
    await recordCommits(inside, variant, ascending)
    return variant
  })
}

type Copied = Pick<RevisionRow, 'id' | 'slug' | 'version' | 'message'>

interface Pinned {
  artifact_id: Uuid
  artifact_slug: string
  artifact_flags: VariantRow['artifact_flags']
  variant_id: Uuid
  version: number
}

async function pinnedRevision(scope: Scope, source: Pick<References, 'variant' | 'revision'>): Promise<Pinned> {
  const { name } = scope.kind
  if (!hasReference(scope.kind, source)) throw invalid(`${name}_variant_ref: a source variant is required`)
  if (scope.kind.isEnvironment && source.revision?.version !== undefined && !identifies(source.revision))
    throw invalid(`${name}_revision_ref: the source revision of an environment must have an id or a slug`)
  const pinned = await findRevision(scope, source)
  if (pinned) return pinned
  const { variant } = source
  const isNamed = variant && identifies(variant) && source.revision
  throw invalid(
    isNamed
      ? `${name}_revision_ref: the source revision does not exist on the source variant`
      : `${name}_variant_ref: the source variant does not exist or has no revisions`,
  )
}
