import type { JsonObject, Uuid } from '@spanhouse/model'
import { type RawBuilder, sql } from '@spanhouse/postgres'
import type { Family, Layer } from './kinds.ts'
import type { Scope } from './scope.ts'

/** What every layer has. Times are ISO 8601 text in UTC. */
interface RecordRow {
  id: Uuid
  slug: string
  name: string | null
  description: string | null
  flags: JsonObject | null
  tags: JsonObject | null
  meta: JsonObject | null
  created_at: string
  updated_at: string | null
  deleted_at: string | null
  created_by_id: Uuid | null
  updated_by_id: Uuid | null
  deleted_by_id: Uuid | null
}

export interface ArtifactRow extends RecordRow {
  folder_id: Uuid | null
}

/** The flags are its own; those of the artifact stand beside them. */
export interface VariantRow extends RecordRow {
  artifact_id: Uuid
  artifact_slug: string
  artifact_flags: JsonObject | null
}

export interface RevisionRow extends VariantRow {
  variant_id: Uuid
  variant_slug: string
  version: number
  message: string | null
  data: JsonObject | null
}

export interface RowOf {
  artifact: ArtifactRow
  variant: VariantRow
  revision: RevisionRow
}

export const recordColumns = (table: string): RawBuilder<unknown> =>
  sql.raw(
    [
      ...['id', 'slug', 'name', 'description', 'flags', 'tags', 'meta', 'created_at', 'updated_at', 'deleted_at'],
      ...['created_by_id', 'updated_by_id', 'deleted_by_id'],
    ]
      .map(column => `${table}.${column}`)
      .join(', '),
  )

const ARTIFACT_OF_VARIANT = sql`
  join artifacts a on a.project_id = v.project_id and a.family = v.family and a.id = v.artifact_id`
const VARIANT_COLUMNS = sql`v.artifact_id, a.slug as artifact_slug, a.flags as artifact_flags`

/** How each layer is read, together with what is shown of its parents. The layer's table is called by its first letter. */
const LAYERS: Record<Layer, { table: string; columns: RawBuilder<unknown>; from: RawBuilder<unknown> }> = {
  artifact: { table: 'a', columns: sql`${recordColumns('a')}, a.folder_id`, from: sql`artifacts a` },
  variant: {
    table: 'v',
    columns: sql`${recordColumns('v')}, ${VARIANT_COLUMNS}`,
    from: sql`variants v ${ARTIFACT_OF_VARIANT}`,
  },
  revision: {
    table: 'r',
    columns: sql`${recordColumns('r')}, ${VARIANT_COLUMNS}, r.variant_id, v.slug as variant_slug, r.version, r.message, r.data`,
    from: sql`revisions r
      join variants v on v.project_id = r.project_id and v.family = r.family and v.id = r.variant_id
      ${ARTIFACT_OF_VARIANT}`,
  },
}

/** A column of a layer's own table. */
export const column = (layer: Layer, name: string): RawBuilder<unknown> => sql.ref(`${LAYERS[layer].table}.${name}`)

export interface Selection {
  where: readonly RawBuilder<unknown>[]
  /** `order by`, `limit`, `for no key update` (which does not wait for, nor hold up, who only refers to the row). */
  tail?: RawBuilder<unknown>
  /** Instead of the scope's own. */
  family?: Family
}

/** Rows of a layer, of the scope's project and one family only. */
export async function selectRows<L extends Layer>(
  { db, project_id, kind }: Scope,
  layer: L,
  { where, tail = sql``, family = kind.storedAs }: Selection,
): Promise<RowOf[L][]> {
  const { columns, from } = LAYERS[layer]
  const own = sql`${column(layer, 'project_id')} = ${project_id} and ${column(layer, 'family')} = ${family}`
  const conditions = sql.join([own, ...where], sql` and `)
  const { rows } = await sql<RowOf[L]>`select ${columns} from ${from} where ${conditions} ${tail}`.execute(db)
  return rows
}

/** The row with this id, archived or not. */
export async function findRow<L extends Layer>(scope: Scope, layer: L, id: Uuid): Promise<RowOf[L] | undefined> {
  const [row] = await selectRows(scope, layer, { where: [sql`${column(layer, 'id')} = ${id}`] })
  return row
}
