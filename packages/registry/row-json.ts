import { type JsonObject, present } from '@spanhouse/model'
import { revisionFlagsShown, variantFlags } from './flags.ts'
import type { Kind, KindName, Scope } from './kind.ts'
import type { ArtifactRow, RevisionRow, VariantRow } from './rows/rows.ts'

/** Rows as JSON of the interface: members without a value are omitted; nulls inside free-form JSON are kept. */

export const toArtifactJson = (row: ArtifactRow): JsonObject => ({
  ...header(row, row.flags),
  ...present({ folder_id: row.folder_id }),
  ...lifecycle(row),
})

export const toVariantJson = ({ kind }: Scope, row: VariantRow): JsonObject => ({
  ...header(row, variantFlags(kind, row)),
  ...lineage(kind, '', row.artifact_id, row.artifact_slug),
  ...lifecycle(row),
})

/** `withData: false` omits the data, which may be large. */
export const toRevisionJson = (scope: Scope, row: RevisionRow, { withData = true } = {}): JsonObject => ({
  ...header(row, revisionFlagsShown(scope, row)),
  ...lineage(scope.kind, '', row.artifact_id, row.artifact_slug),
  ...lineage(scope.kind, '_variant', row.variant_id, row.variant_slug),
  version: String(row.version),
  ...present({ message: row.message, author: row.created_by_id }),
  date: row.created_at,
  ...(withData ? shownData(scope, row) : {}),
  ...lifecycle(row),
})

/** A revision's data as shown: the `data` member, if any. */
export const shownData = (scope: Scope, { data }: { data: JsonObject | null }): JsonObject =>
  data === null ? {} : { data: scope.kind.content.show(data, scope) }

/** What identifies a revision and its parents. */
export type RevisionPlace = Pick<
  RevisionRow,
  'id' | 'slug' | 'version' | 'variant_id' | 'variant_slug' | 'artifact_id' | 'artifact_slug'
>

/** The references to a revision and its parents, under a kind's names: `workflow`, `workflow_variant`, … */
export const referencesTo = (name: KindName, row: RevisionPlace): JsonObject => ({
  [name]: { id: row.artifact_id, slug: row.artifact_slug },
  [`${name}_variant`]: { id: row.variant_id, slug: row.variant_slug },
  [`${name}_revision`]: { id: row.id, slug: row.slug, version: String(row.version) },
})

interface Header {
  id: string
  slug: string
  name: string | null
  description: string | null
  tags: JsonObject | null
  meta: JsonObject | null
}

/** The members that all layers begin with. */
export const header = ({ id, slug, name, description, tags, meta }: Header, flags: JsonObject | null): JsonObject => ({
  id,
  slug,
  ...present({ name, description, flags, tags, meta }),
})

type Lifecycle = Pick<
  ArtifactRow,
  'created_at' | 'updated_at' | 'deleted_at' | 'created_by_id' | 'updated_by_id' | 'deleted_by_id'
>

/** Who created, changed and archived the row, and when. */
export const lifecycle = (row: Lifecycle): JsonObject =>
  present({
    created_at: row.created_at,
    updated_at: row.updated_at,
    deleted_at: row.deleted_at,
    created_by_id: row.created_by_id,
    updated_by_id: row.updated_by_id,
    deleted_by_id: row.deleted_by_id,
  })

/** A parent's id and slug, under each name that the kind uses for it. */
function lineage({ lineage: names }: Kind, layer: '' | '_variant', id: string, slug: string): JsonObject {
  const generic = layer === '' ? 'artifact' : 'variant'
  const prefixes = [...names.map(name => `${name}${layer}`), generic]
  return Object.fromEntries(
    prefixes.flatMap(prefix => [
      [`${prefix}_id`, id],
      [`${prefix}_slug`, slug],
    ]),
  )
}
