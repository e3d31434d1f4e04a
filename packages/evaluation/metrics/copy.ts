import type { Uuid } from '@spanhouse/model'
import { type Database, type RawBuilder, sql, type Trx } from '@spanhouse/postgres'
import {
  copiedBefore,
  copyCells,
  copyDeletedCells,
  copyDeletedRuns,
  copyRuns,
  type DeletedCell,
  type Engine,
  setCopiedBefore,
} from '@spanhouse/span-store'

/*
 * ClickHouse has a copy of cells and runs. A background task (`copyChanges`) copies everything, in the order of
 * transactions; `copyRun` copies what is new of one run at once, for those who are about to compute from it. Both only
 * add versions, of which the newest counts, so they may overlap and be repeated.
 */

/** The two stores between which cells are copied. */
export interface CopyStores {
  db: Database | Trx
  engine: Engine
}

/** How long deletions are remembered: longer than any computation from cells takes. */
const DELETIONS_KEPT = '1 day'

/**
 * Copies all changes since the last call. Only one process may call it at a time. If a call fails, the next one
 * completes it. Resolves early if the signal aborts.
 */
export async function copyChanges(stores: CopyStores, signal?: AbortSignal): Promise<void> {
  const { db, engine } = stores
  const since = await copiedBefore(engine)
  const { horizon, snapshot } = await momentOf(db)
  if (!(await isAnythingNew(db, since))) return
  const changes: Changes = { since, copied: copiedIn(engine, EVERYTHING, since), signal }
  await copyPages(stores, RUNS, changes)
  await copyPages(stores, CELLS, changes)
  await copyDeletions(stores, changes)
  if (signal?.aborted) return
  if (horizon > since) await setCopiedBefore(engine, horizon)
  // With the number that ClickHouse has now: if it has a lower one later, older data was restored.
  remember(engine, EVERYTHING, { since: Math.max(since, horizon), snapshot })
  await sql`delete from evaluation_deletions where deleted_at < now() - ${DELETIONS_KEPT}::interval
    and changed_in < ${String(horizon)}::text::xid8`.execute(db)
}

/** Copies everything, to a store that has nothing yet. Resolves early if the signal aborts. */
export async function copyEverything(stores: CopyStores, signal: AbortSignal): Promise<void> {
  const changes: Changes = { since: 0, signal }
  await copyPages(stores, RUNS, changes)
  await copyPages(stores, CELLS, changes)
  await copyDeletions(stores, changes)
}

/** Copies what has changed of one run and returns the number below which all transactions were visible. */
export async function copyRun(stores: CopyStores, run: { project_id: Uuid; id: Uuid }): Promise<number> {
  const { db, engine } = stores
  const since = await copiedBefore(engine)
  const { horizon, snapshot } = await momentOf(db)
  const changes: Changes = { since, copied: copiedIn(engine, run.id, since), run }
  await copyPages(stores, CELLS, changes)
  await copyDeletions(stores, changes)
  remember(engine, run.id, { since, snapshot })
  return horizon
}

/** The number below which all transactions are visible, and which ones above it are. */
async function momentOf(db: Database | Trx): Promise<{ horizon: number; snapshot: string }> {
  const { rows } = await sql<{ horizon: number; snapshot: string }>`
    select pg_snapshot_xmin(s)::text::bigint as horizon, s::text as snapshot from pg_current_snapshot() s`.execute(db)
  return rows[0] as { horizon: number; snapshot: string }
}

/** What was copied: all that is of transactions from `since` on and visible in the snapshot. */
interface Copied {
  since: number
  snapshot: string
}

/*
 * A transaction that lasts, in any database of the server, holds back the number that ClickHouse has. So that not
 * everything after it is copied again and again meanwhile, a process remembers what it has copied: of each run, and of
 * all. Another process copies it once more, which changes nothing.
 */
const EVERYTHING = 'everything'
const RUNS_REMEMBERED_MAX = 1_000
const remembered = new WeakMap<Engine, Map<string, Copied>>()

/** The snapshot whose changes need not be copied. None if ClickHouse has less than it had then: it was emptied. */
function copiedIn(engine: Engine, key: string, since: number): string | undefined {
  const copied = remembered.get(engine)?.get(key)
  return copied && copied.since <= since ? copied.snapshot : undefined
}

function remember(engine: Engine, key: string, copied: Copied): void {
  const all = remembered.get(engine) ?? new Map<string, Copied>()
  remembered.set(engine, all)
  all.delete(key)
  all.set(key, copied)
  const [oldest] = all.keys()
  if (all.size > RUNS_REMEMBERED_MAX) all.delete(oldest as string)
}

const TABLES = ['evaluation_runs', 'evaluation_results', 'evaluation_deletions'].map(name => sql.table(name))

async function isAnythingNew(db: Database | Trx, since: number): Promise<boolean> {
  const checks = TABLES.map(
    table => sql`exists (select from ${table} where changed_in >= ${String(since)}::text::xid8)`,
  )
  const { rows } = await sql<{ is_new: boolean }>`select ${sql.join(checks, sql` or `)} as is_new`.execute(db)
  return rows[0]?.is_new ?? false
}

/** What is copied: everything of transactions from `since` on, or of one run. */
interface Changes {
  since: number
  /** What is visible in this snapshot has been copied. */
  copied?: string | undefined
  run?: { project_id: Uuid; id: Uuid }
  signal?: AbortSignal
}

/** A table whose rows are copied. */
interface Source {
  table: RawBuilder<unknown>
  /** In the order of the lists that `copy` takes. */
  values: RawBuilder<unknown>
  /** Of one page. */
  rowsMax: number
  copy(engine: Engine, lines: string): Promise<void>
}

const micros = (name: string): RawBuilder<unknown> => sql`(extract(epoch from t.${sql.ref(name)}) * 1000000)::bigint`
const VERSION = sql`t.changed_in::text::bigint`

const CELLS: Source = {
  table: sql.table('evaluation_results'),
  values: sql`t.project_id, t.run_id, t.scenario_id, t.id, t.step_key, t.repeat_idx, t.status, t.trace_id, t.testcase_id,
    t."interval", ${micros('timestamp')}, ${micros('updated_at')}, ${VERSION}`,
  rowsMax: 5_000,
  copy: copyCells,
}

/** Steps are those of `data`; which revision one runs is in the reference whose key ends in `_revision`. */
const RUNS: Source = {
  table: sql.table('evaluation_runs'),
  values: sql`t.project_id, t.id, t.name, t.status, ${micros('created_at')}, ${VERSION},
    coalesce((select json_agg(s->>'key' order by n) from json_array_elements(t.data->'steps') with ordinality x(s, n)), '[]'),
    coalesce((select json_agg(s->>'type' order by n) from json_array_elements(t.data->'steps') with ordinality x(s, n)), '[]'),
    coalesce((select json_agg((select r.value->>'id' from json_each(coalesce(s->'references', '{}')) r
      where r.key like '%\\_revision' limit 1) order by n)
      from json_array_elements(t.data->'steps') with ordinality x(s, n)), '[]')`,
  // A run has up to a thousand steps.
  rowsMax: 100,
  copy: copyRuns,
}

interface Page {
  count: number
  /** Null without rows, like the other two, which are of the last row. */
  lines: string | null
  version: number | null
  id: Uuid | null
}

/**
 * Pages in the order of transactions, so that none that is committed meanwhile is skipped. The database makes the text
 * that ClickHouse reads: read as values and written again, a row took three times as much processor time. While one
 * page is stored, the next is read.
 */
async function copyPages(
  { db, engine }: CopyStores,
  { table, values, rowsMax, copy }: Source,
  { since, copied, run, signal }: Changes,
): Promise<void> {
  // As texts, so that the index of changes is read: by that of runs every page would read and sort the whole run.
  const ofRun = run ? sql`and t.run_id::text = ${run.id}::uuid::text and t.project_id = ${run.project_id}` : sql``
  let after: RawBuilder<unknown> = sql`t.changed_in >= ${String(since)}::text::xid8`
  let storing: Promise<void> | undefined
  while (!signal?.aborted) {
    const { rows } = await sql<Page>`
      select count(*)::integer as count, string_agg(line, chr(10)) as lines, max(version) as version,
        (array_agg(id order by version desc, id desc))[1] as id
      from (select json_build_array(${values})::text as line, ${VERSION} as version, t.id from ${table} t
        where ${after} ${ofRun} ${isNew(copied)} order by t.changed_in, t.id limit ${rowsMax}) page`.execute(db)
    const { count, lines, version, id } = rows[0] as Page
    await storing
    storing = lines === null ? undefined : copy(engine, lines)
    // Awaited after the next page was read; until then its failure must not count as unhandled.
    storing?.catch(() => undefined)
    if (count < rowsMax) break
    after = sql`(t.changed_in, t.id) > (${String(version)}::text::xid8, ${id}::uuid)`
  }
  await storing
}

const isNew = (copied: string | undefined): RawBuilder<unknown> =>
  copied === undefined ? sql`` : sql`and not pg_visible_in_snapshot(t.changed_in, ${copied}::pg_snapshot)`

/** One row of a deletion may have a run's cells, so it is read alone. */
async function copyDeletions({ db, engine }: CopyStores, { since, copied, run, signal }: Changes): Promise<void> {
  const ofRun = run ? sql`and t.project_id = ${run.project_id} and t.run_id = ${run.id}` : sql``
  const { rows } = await sql<{ place: string }>`select t.ctid::text as place from evaluation_deletions t
    where t.changed_in >= ${String(since)}::text::xid8 ${ofRun} ${isNew(copied)}`.execute(db)
  for (const { place } of rows) {
    if (signal?.aborted) return
    await copyDeletion({ db, engine }, place)
  }
}

async function copyDeletion({ db, engine }: CopyStores, place: string): Promise<void> {
  const { rows } = await sql<{
    project_id: Uuid
    run_id: Uuid
    cells: Omit<DeletedCell, 'project_id' | 'run_id'>[] | null
  }>`
    select t.project_id, t.run_id,
      (select json_agg(json_build_object('scenario_id', x.scenario_id, 'id', x.id))
        from unnest(t.scenario_ids, t.result_ids) x(scenario_id, id)) as cells
    from evaluation_deletions t where t.ctid = ${place}::tid`.execute(db)
  for (const { project_id, run_id, cells } of rows)
    if (cells)
      await copyDeletedCells(
        engine,
        cells.map(cell => ({ ...cell, project_id, run_id })),
      )
    else await copyDeletedRuns(engine, [{ project_id, id: run_id }])
}
