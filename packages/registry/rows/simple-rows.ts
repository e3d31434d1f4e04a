import { type JsonObject, present, type Uuid } from '@spanhouse/model'
import { listOf, type RawBuilder, type RowList, type RowSize, sql } from '@spanhouse/postgres'
import type { Scope } from '../kind.ts'
import { header, lifecycle, shownData } from '../row-json.ts'
import { defaultVariantOf, ownOf } from './find.ts'
import { conditionsOf, flagsContain, type ListQuery } from './list.ts'
import { dataSizeOf, sizeOf } from './row-size.ts'
import { type ArtifactRow, recordColumns, SHORT_DATA, type ShortRow, withLongData } from './rows.ts'
import { pageOf, windowOf } from './window.ts'

interface Head {
  variant_id: Uuid
  revision_id: Uuid
  revision_slug: string
  revision_flags: JsonObject | null
  data: JsonObject | null
}

/** An artifact with the head of its default variant, as the simple surface shows it. */
export type SimpleRow = ArtifactRow & Head
/** The same of any artifact: without a variant, or without a revision on it, the members of these are null. */
export type FoundSimpleRow = ArtifactRow & { [name in keyof Head]: Head[name] | null }

/** The simple row with this id, archived or not; undefined if it does not exist. */
export async function findSimple(scope: Scope, id: Uuid): Promise<FoundSimpleRow | undefined> {
  const columns = sql`${HEAD}, ${SHORT_DATA}`
  const [row] = await selectSimple<ShortRow<FoundSimpleRow>>(scope, { columns, where: [sql`a.id = ${id}`] })
  return row && withLongData(scope, row.revision_id, row)
}

/** The simple rows that a query selects, of artifacts that have a revision. */
export async function listSimple(scope: Scope, query: ListQuery): Promise<RowList<SimpleRow>> {
  const window = windowOf('artifact', query.windowing)
  const { flags, ...filter } = query.filter ?? {}
  const where = [HAS_HEAD, ...conditionsOf(scope, 'artifact', { ...query, filter }), ...window.conditions]
  if (flags) where.push(...flagsContain(scope, scope.kind.content.flags ? 'revision' : 'artifact', flags))
  const sizes = await selectSimple<RowSize>(scope, { columns: SIZE, where, tail: window.tail })
  const page = pageOf(sizes, window, query.windowing)
  const read = (batch: readonly RowSize[]): Promise<SimpleRow[]> => {
    const isAmong = sql`a.id = any(${batch.map(({ id }) => id)}::uuid[])`
    return selectSimple(scope, { columns: COLUMNS, where: [HAS_HEAD, isAmong] })
  }
  return listOf(page.rows, read, { windowing: page.windowing })
}

const HEAD = sql`${recordColumns('a')}, a.folder_id, v.id as variant_id, r.id as revision_id, r.slug as revision_slug,
  r.flags as revision_flags`
const COLUMNS = sql`${HEAD}, r.data`
const HAS_HEAD = sql`r.id is not null`
const SIZE = sql`a.id, ${sizeOf('a')} + ${dataSizeOf('r')} as bytes`

interface SimpleSelection {
  columns: RawBuilder<unknown>
  where: readonly RawBuilder<unknown>[]
  tail?: RawBuilder<unknown>
}

/**
 * The variant that was archived together with the artifact `a`, so at the same time: it was the default until then, and
 * is again once both are restored.
 */
const ARCHIVED_WITH_ARTIFACT = sql`
  select w.id from variants w
  where a.deleted_at is not null and w.deleted_at = a.deleted_at
    and w.project_id = a.project_id and w.family = a.family and w.artifact_id = a.id
  limit 1`

async function selectSimple<Row>(scope: Scope, { columns, where, tail = sql`` }: SimpleSelection): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select ${columns}
    from artifacts a
    join lateral (select coalesce((${ARCHIVED_WITH_ARTIFACT}), (${defaultVariantOf(scope, sql`a.id`)})) as id) v on true
    left join lateral (
      select h.id, h.slug, h.flags, h.data from revisions h
      where h.project_id = a.project_id and h.variant_id = v.id
      order by (h.deleted_at is not null), h.version desc limit 1
    ) r on true
    where ${sql.join([ownOf('a', scope), ...where], sql` and `)} ${tail}`.execute(scope.db)
  return rows
}

export const toSimpleJson = (scope: Scope, row: FoundSimpleRow): JsonObject => ({
  ...header(row, simpleFlags(scope, row)),
  ...present({ folder_id: row.folder_id, variant_id: row.variant_id, revision_id: row.revision_id }),
  ...shownData(scope, row),
  ...lifecycle(row),
})

/** For a workflow, the flags derived from the head's data (without a head, from no data), and the roles. */
function simpleFlags(scope: Scope, row: FoundSimpleRow): JsonObject | null {
  const { content, artifactFlags } = scope.kind
  if (!content.flags) return row.flags
  const roles = Object.fromEntries(artifactFlags.map(name => [name, row.flags?.[name] ?? false]))
  return { ...roles, ...(row.revision_flags ?? content.flags(row.data, row.revision_slug ?? row.slug, scope)) }
}
