import type { JsonObject, Micros, TraceId, Uuid } from '@spanhouse/model'
import { compileSpanQuery, parseSpanQuery, printSql, sql } from '@spanhouse/query'
import type { Engine } from '../engine/engine.ts'

/** A version of a root span that was stored. */
export interface StoredRoot {
  trace_id: TraceId
  /** When the writer began to store this version. */
  written_at: Micros
}

const ROOTS = `
SELECT lower(hex(trace_id)) AS trace_id, toUnixTimestamp64Micro(greatest(created_at, updated_at)) AS written_at
FROM spans
PREWHERE project_id = {project_id:UUID} AND is_root
  AND greatest(created_at, updated_at) >= fromUnixTimestamp64Micro({since:Int64}, 'UTC')
WHERE toUnixTimestamp64Micro(greatest(created_at, updated_at)) > {since:Int64} OR lower(hex(spans.trace_id)) > {after:String}
ORDER BY written_at, lower(hex(spans.trace_id)) LIMIT {limit:UInt64}`

/** Roots that were stored from a time on, in the order of `written_at` and their ids, at most `limit`. */
export const rootsSince = (
  engine: Engine,
  project_id: Uuid,
  { since, after, limit }: { since: Micros; after: TraceId | ''; limit: number },
): Promise<StoredRoot[]> => engine.rows<StoredRoot>({ text: ROOTS, params: { project_id, since, after, limit } })

const FIRST_STORED = `
SELECT toUnixTimestamp64Micro(created_at) AS stored_at
FROM spans
PREWHERE project_id = {project_id:UUID} AND trace_id = unhex({trace_id:String}) AND is_root
ORDER BY stored_at LIMIT 1`

/** When the first root of a trace was stored; undefined: none is there. */
export async function firstRootStoredAt(
  engine: Engine,
  project_id: Uuid,
  trace_id: TraceId,
): Promise<Micros | undefined> {
  const [root] = await engine.rows<{ stored_at: Micros }>({ text: FIRST_STORED, params: { project_id, trace_id } })
  return root?.stored_at
}

/** A trace whose root a filter matches. */
export interface MatchingTrace {
  trace_id: TraceId
  start_time: Micros
}

/** Roots of the same trace that one statement reads at most, on average. */
const ROOTS_PER_TRACE = 10

/**
 * Those of these traces that have a root which the filters match, with the start of the earliest. Throws a Problem for
 * a filter that is not valid.
 */
export async function matchingRoots(
  engine: Engine,
  project_id: Uuid,
  { trace_ids, filters }: { trace_ids: readonly TraceId[]; filters: readonly JsonObject[] },
): Promise<MatchingTrace[]> {
  const starts = new Map<TraceId, Micros>()
  // Traces with many roots fill the rows of a statement; the next one asks for the traces that it did not come to.
  for (let rest = trace_ids; rest.length > 0; rest = rest.filter(id => !starts.has(id))) {
    const limit = rest.length * ROOTS_PER_TRACE
    const roots = await earliestRoots(engine, project_id, { trace_ids: rest, filters, limit })
    for (const { trace_id, start_time } of roots) if (!starts.has(trace_id)) starts.set(trace_id, start_time)
    if (roots.length < limit) break
  }
  return [...starts].map(([trace_id, start_time]) => ({ trace_id, start_time }))
}

/** Matching roots of any of the traces in the order of their start. */
async function earliestRoots(
  engine: Engine,
  project_id: Uuid,
  { trace_ids, filters, limit }: { trace_ids: readonly TraceId[]; filters: readonly JsonObject[]; limit: number },
): Promise<MatchingTrace[]> {
  const conditions = [
    { field: 'trace_id', operator: 'in', value: [...trace_ids] },
    { field: 'parent_id', operator: 'is', value: null },
    ...filters,
  ]
  const windowing = { limit, order: 'ascending' }
  const query = parseSpanQuery({ filtering: { operator: 'and', conditions }, windowing }, 'span')
  const columns = [
    sql`lower(hex(trace_id)) AS root_trace_id`,
    sql`toUnixTimestamp64Micro(start_time) AS root_start_time`,
  ]
  const rows = await engine.rows<{ root_trace_id: TraceId; root_start_time: Micros }>(
    printSql(compileSpanQuery({ project_id, columns, query })),
  )
  return rows.map(row => ({ trace_id: row.root_trace_id, start_time: row.root_start_time }))
}
