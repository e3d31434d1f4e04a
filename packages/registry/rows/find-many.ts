import { invalid, type JsonObject, Problem, type Uuid } from '@spanhouse/model'
import { batchesOf, type RawBuilder, type RowSize, sql, toJsonb } from '@spanhouse/postgres'
import type { Scope } from '../kind.ts'
import { type References, versionOf } from '../references.ts'
import { ownOf, type Pointers, pointsAt, requireConsistent, requireScoped } from './find.ts'
import { type RevisionRow, selectRows } from './rows.ts'

/** Revisions that one statement reads. Stored data may be a hundredth of its text. */
const BATCH = { rows: Number.POSITIVE_INFINITY, bytes: 256 * 1024 }

/**
 * As `findRevision` for any number of references, in their order, with two statements unless there is much data.
 * Invalid references yield a Problem in their place. Throws a 400 for data of more than `bytesMax` as JSON.
 */
export async function findRevisions(
  scope: Scope,
  wanted: readonly References[],
  { bytesMax }: { bytesMax: number },
): Promise<(RevisionRow | Problem | undefined)[]> {
  const refusals = wanted.map(references => refusalOf(() => requireScoped(scope.kind, references)))
  const asked = wanted.flatMap((references, n) => (refusals[n] ? [] : [{ n, references }]))
  const found = await findAll(scope, asked)
  const distinct = new Map(Array.from(found.values(), one => [one.id, one]))
  const byId = await readAll(scope, [...distinct.values()], bytesMax)
  return wanted.map((references, n) => {
    const row = byId.get(found.get(n)?.id ?? '')
    return refusals[n] ?? (row && (refusalOf(() => requireConsistent(scope.kind, references, row)) ?? row))
  })
}

/** Reads in batches, so that little more than `bytesMax` is in memory at any time. */
async function readAll(
  scope: Scope,
  sizes: readonly RowSize[],
  bytesMax: number,
): Promise<ReadonlyMap<Uuid, RevisionRow>> {
  const byId = new Map<Uuid, RevisionRow>()
  const batches = [...batchesOf(sizes, BATCH)]
  let bytes = 0
  for (const batch of batches) {
    const ids = batch.map(({ id }) => id)
    const where = [sql`r.id = any(${ids}::uuid[])`]
    if (batches.length > 1) bytes += await jsonBytesOf(scope, ids)
    if (bytes > bytesMax) throw invalid(`embeds: the referenced revisions contain more than ${bytesMax} bytes`)
    for (const row of await selectRows(scope, 'revision', { where })) byId.set(row.id, row)
  }
  return byId
}

async function jsonBytesOf({ db, project_id, kind }: Scope, ids: readonly Uuid[]): Promise<number> {
  const { rows } = await sql<{ bytes: number | null }>`
    select sum(octet_length(data::text)) as bytes from revisions
    where project_id = ${project_id} and family = ${kind.storedAs} and id = any(${ids}::uuid[])`.execute(db)
  return rows[0]?.bytes ?? 0
}

function refusalOf(work: () => void): Problem | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}

/** References, and their position in the request. */
interface Asked {
  n: number
  references: References
}

/** Members of references as columns of a table `t`, with their types. */
const COLUMNS = {
  artifact_id: { type: 'uuid', of: ({ artifact }: References) => artifact?.id },
  artifact_slug: { type: 'text', of: ({ artifact }: References) => artifact?.slug },
  variant_id: { type: 'uuid', of: ({ variant }: References) => variant?.id },
  variant_slug: { type: 'text', of: ({ variant }: References) => variant?.slug },
  revision_id: { type: 'uuid', of: ({ revision }: References) => revision?.id },
  revision_slug: { type: 'text', of: ({ revision }: References) => revision?.slug },
  version: {
    type: 'integer',
    of: ({ revision }: References) => (revision?.version === undefined ? undefined : versionOf(revision.version)),
  },
} as const
type Column = keyof typeof COLUMNS
const NAMES = Object.keys(COLUMNS) as Column[]
const TABLE = sql.raw(`t(n integer, ${NAMES.map(name => `${name} ${COLUMNS[name].type}`).join(', ')})`)

/** A revision, and the stored size of its data in bytes. */
interface Found {
  n: number
  id: Uuid
  bytes: number
}

/** The found revisions by position. References with the same members are looked up by one query over their values. */
async function findAll(scope: Scope, asked: readonly Asked[]): Promise<Map<number, Found>> {
  if (asked.length === 0) return new Map()
  const groups = Map.groupBy(asked, ({ references }) => membersOf(references).join())
  const queries = [...groups.values()].map(group => findGroup(scope, group))
  const { rows } = await sql<Found>`${sql.join(queries, sql` union all `)}`.execute(scope.db)
  return new Map(rows.map(found => [found.n, found]))
}

const membersOf = (references: References): Column[] => NAMES.filter(name => COLUMNS[name].of(references) !== undefined)

function findGroup(scope: Scope, group: readonly Asked[]): RawBuilder<unknown> {
  const values = group.map(({ n, references }) => ({ n, ...valuesOf(references) }))
  const { where, tail = sql`` } = pointsAt(scope, columnsOf(membersOf(group[0]?.references ?? {})))
  return sql`select t.n, f.id, f.bytes from json_to_recordset(${toJsonb(values)}::json) as ${TABLE}
    cross join lateral (
      select r.id, coalesce(pg_column_size(r.data), 0) as bytes from revisions r
      where ${ownOf('r', scope)} and ${where} ${tail}
    ) f`
}

const valuesOf = (references: References): JsonObject =>
  Object.fromEntries(membersOf(references).map(name => [name, COLUMNS[name].of(references) ?? null]))

/** Pointers to the columns of `t`. */
function columnsOf(members: readonly Column[]): Pointers {
  const at = (name: Column): unknown => (members.includes(name) ? sql.ref(`t.${name}`) : undefined)
  return {
    artifact: { id: at('artifact_id'), slug: at('artifact_slug') },
    variant: { id: at('variant_id'), slug: at('variant_slug') },
    revision: { id: at('revision_id'), slug: at('revision_slug'), version: at('version') },
  }
}
