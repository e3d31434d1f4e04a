import { type JsonObject, Problem, type Uuid } from '@spanhouse/model'
import { HELD_PER_BYTE, type RawBuilder, type RowSize, sql } from '@spanhouse/postgres'
import { parseLarge } from '../content/large-json.ts'
import type { Family, Layer, Scope } from '../kind.ts'
import { dataSizeOf, LABELS, sizeOf } from './row-size.ts'

/** The columns of every layer. Times are ISO 8601 text in UTC. */
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

/** `flags` are the variant's own; `artifact_flags` those of its artifact. */
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

/** The columns that artifacts, variants and revisions have in common. */
export const RECORD_COLUMNS = [
  'id',
  'slug',
  'name',
  'description',
  'flags',
  'tags',
  'meta',
  'created_at',
  'updated_at',
  'deleted_at',
  'created_by_id',
  'updated_by_id',
  'deleted_by_id',
] as const

export const recordColumns = (table: string): RawBuilder<unknown> =>
  sql.raw(RECORD_COLUMNS.map(column => `${table}.${column}`).join(', '))

const ARTIFACT_OF_VARIANT = sql`
  join artifacts a on a.project_id = v.project_id and a.family = v.family and a.id = v.artifact_id`
const VARIANT_COLUMNS = sql`v.artifact_id, a.slug as artifact_slug, a.flags as artifact_flags`

const REVISION_HEAD = sql`${recordColumns('r')}, ${VARIANT_COLUMNS}, r.variant_id, v.slug as variant_slug, r.version, r.message`
/** Data with more bytes as stored is read by itself, once they are counted. */
const SHORT_BYTES = 64 * 1024

/** Of a revision `r`: its data, or how many bytes it has where it is not short. For {@link withLongData}. */
export const SHORT_DATA = sql.raw(`
  case when pg_column_size(r.data) <= ${SHORT_BYTES} then r.data end as data,
  nullif(greatest(pg_column_size(r.data), ${SHORT_BYTES}), ${SHORT_BYTES}) as long_bytes`)

/** Of longer data, large members are kept as text. */
const LARGE_BYTES = 1024 * 1024

/** With its data, or the text of large data, which is not parsed yet. */
const REVISION_IN_LIST = sql`${REVISION_HEAD},
  case when pg_column_size(r.data) <= ${sql.lit(LARGE_BYTES)} then r.data end as data,
  case when pg_column_size(r.data) > ${sql.lit(LARGE_BYTES)} then r.data::text end as text`

/** How each layer is read, with the columns shown of its parents. The alias of a layer's table is its first letter. */
const LAYERS: Record<Layer, { table: string; columns: RawBuilder<unknown>; from: RawBuilder<unknown> }> = {
  artifact: { table: 'a', columns: sql`${recordColumns('a')}, a.folder_id`, from: sql`artifacts a` },
  variant: {
    table: 'v',
    columns: sql`${recordColumns('v')}, ${VARIANT_COLUMNS}`,
    from: sql`variants v ${ARTIFACT_OF_VARIANT}`,
  },
  revision: {
    table: 'r',
    columns: REVISION_HEAD,
    from: sql`revisions r
      join variants v on v.project_id = r.project_id and v.family = r.family and v.id = r.variant_id
      ${ARTIFACT_OF_VARIANT}`,
  },
}

/** A column of a layer's own table. */
export const column = (layer: Layer, name: string): RawBuilder<unknown> => sql.ref(`${LAYERS[layer].table}.${name}`)

export interface Selection {
  where: readonly RawBuilder<unknown>[]
  /**
   * `order by`, `limit`, or `for no key update`, which neither waits for nor blocks statements that only refer to the
   * row.
   */
  tail?: RawBuilder<unknown>
  /** Instead of the scope's own family. */
  family?: Family
  /** What is read as the data of a revision `r`, instead of all of it, which may be large. */
  data?: RawBuilder<unknown>
}

/** For {@link Selection.data}: nothing is read, and the rows have null. */
export const NO_DATA = sql`null`

/** Rows of a layer, only of the scope's project and one family. */
export async function selectRows<L extends Layer>(
  scope: Scope,
  layer: L,
  { where, tail = sql``, family = scope.kind.storedAs, data }: Selection,
): Promise<RowOf[L][]> {
  const { db, project_id } = scope
  const { columns } = LAYERS[layer]
  const shown = layer !== 'revision' ? columns : sql`${columns}, ${data ? sql`${data} as data` : SHORT_DATA}`
  const rows = await select<RowOf[L]>({ db, project_id, family, layer }, shown, { where, tail })
  if (layer !== 'revision' || data) return rows
  const whole: RevisionRow[] = []
  for (const row of rows as unknown as ShortRow<RevisionRow>[]) whole.push(await withLongData(scope, row.id, row))
  return whole as RowOf[L][]
}

export type ShortRow<Row> = Row & { long_bytes: number | null }

/**
 * The row with the data of a revision that was not short (null: there is no revision). What it takes in memory is
 * counted first.
 */
export async function withLongData<Row extends { data: JsonObject | null }>(
  { db, project_id, holder }: Scope,
  revisionId: Uuid | null,
  { long_bytes, ...row }: ShortRow<Row>,
): Promise<Row> {
  if (long_bytes === null) return row as unknown as Row
  holder?.hold(long_bytes * HELD_PER_BYTE)
  const { rows } = await sql<{ data: JsonObject | null }>`
    select data from revisions where project_id = ${project_id} and id = ${revisionId}`.execute(db)
  if (!rows[0]) throw new Problem('overloaded', 'The revision was deleted meanwhile; try again.')
  return { ...row, data: rows[0].data } as unknown as Row
}

/** As {@link selectRows}, but returns only the size of each row, and what `more` selects. */
export const selectSizes = <Row extends RowSize = RowSize>(
  { db, project_id, kind }: Scope,
  layer: Layer,
  { data, more = sql``, ...selection }: Selection & { more?: RawBuilder<unknown> },
): Promise<Row[]> => {
  const { table } = LAYERS[layer]
  const labels = layer === 'revision' ? sizeOf(table, [...LABELS, 'message']) : sizeOf(table)
  const bytes = layer === 'revision' && data !== NO_DATA ? sql`${labels} + ${dataSizeOf(table)}` : labels
  const columns = sql`${column(layer, 'id')}, ${bytes} as bytes${more}`
  return select({ db, project_id, family: kind.storedAs, layer }, columns, selection)
}

/**
 * The rows of a batch, in any order. The reader of a list counts the memory of its largest batch; counted here, it
 * would be that of all batches together.
 */
export async function readBatch<L extends Layer>(
  scope: Scope,
  layer: L,
  batch: readonly RowSize[],
  data?: RawBuilder<unknown>,
): Promise<RowOf[L][]> {
  const where = [sql`${column(layer, 'id')} = any(${batch.map(({ id }) => id)}::uuid[])`]
  if (layer !== 'revision' || data) return selectRows(scope, layer, { where, data })
  const place = { db: scope.db, project_id: scope.project_id, family: scope.kind.storedAs, layer }
  const read = await select<RevisionRow & { text: string | null }>(place, REVISION_IN_LIST, { where })
  const rows: RevisionRow[] = []
  for (const { text, ...row } of read)
    rows.push(text === null ? row : { ...row, data: (await parseLarge(text)) as JsonObject })
  return rows as RowOf[L][]
}

interface Place {
  db: Scope['db']
  project_id: Uuid
  family: Family
  layer: Layer
}

async function select<Row>(
  { db, project_id, family, layer }: Place,
  columns: RawBuilder<unknown>,
  { where, tail = sql`` }: Omit<Selection, 'family'>,
): Promise<Row[]> {
  const own = sql`${column(layer, 'project_id')} = ${project_id} and ${column(layer, 'family')} = ${family}`
  const conditions = sql.join([own, ...where], sql` and `)
  const { rows } = await sql<Row>`select ${columns} from ${LAYERS[layer].from} where ${conditions} ${tail}`.execute(db)
  return rows
}

/** The row with this id, archived or not. */
export async function findRow<L extends Layer>(scope: Scope, layer: L, id: Uuid): Promise<RowOf[L] | undefined> {
  const [row] = await selectRows(scope, layer, { where: [sql`${column(layer, 'id')} = ${id}`] })
  return row
}
