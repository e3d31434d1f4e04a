import { invalid, type Uuid } from '@spanhouse/model'
import { listOf, type RawBuilder, type RowList, sql } from '@spanhouse/postgres'
import type { Scope } from './kind.ts'
import { defaultVariantOf } from './rows/find.ts'
import { NO_DATA, type RevisionRow, readBatch, selectRows, selectSizes } from './rows/rows.ts'
import { PAGE_ROWS_MAX } from './rows/window.ts'

export interface LogQuery {
  /** At least one is required; the most specific one is used. */
  artifact_id?: Uuid
  variant_id?: Uuid
  revision_id?: Uuid
  /** Maximum number of revisions; below 1 there are none. */
  depth?: number
  include_archived?: boolean
  /** False: the data is not read, and the rows have none. */
  include_data?: boolean
}

/**
 * The history of a variant (for an artifact, its default variant), from its newest revision or the given one backwards.
 * Archived revisions are omitted by default. The list is empty if the variant or revision does not exist.
 */
export async function logRevisions(scope: Scope, query: LogQuery): Promise<RowList<RevisionRow>> {
  const { depth = PAGE_ROWS_MAX, include_archived = false, include_data = true } = query
  const from = depth < 1 ? undefined : await startOf(scope, query)
  if (!from) return listOf([], async () => [])
  const where = [...from, ...(include_archived ? [] : [sql`r.deleted_at is null`])]
  const tail = sql`order by r.version desc limit ${Math.min(depth, PAGE_ROWS_MAX)}`
  const data = include_data ? undefined : NO_DATA
  const sizes = await selectSizes(scope, 'revision', { where, tail, data })
  return listOf(sizes, batch => readBatch(scope, 'revision', batch, data))
}

async function startOf(scope: Scope, query: LogQuery): Promise<RawBuilder<unknown>[] | undefined> {
  const { artifact_id, variant_id, revision_id } = query
  if (revision_id !== undefined) {
    const [row] = await selectRows(scope, 'revision', { where: [sql`r.id = ${revision_id}`], data: NO_DATA })
    return row && [sql`r.variant_id = ${row.variant_id}`, sql`r.version <= ${row.version}`]
  }
  if (variant_id !== undefined) return [sql`r.variant_id = ${variant_id}`]
  const { name } = scope.kind
  if (artifact_id === undefined) throw invalid(`${name}_id, ${name}_variant_id or ${name}_revision_id is required`)
  return [sql`r.variant_id = (${defaultVariantOf(scope, sql`${artifact_id}::uuid`)})`]
}
