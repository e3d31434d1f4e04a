import type { Uuid } from '@spanhouse/model'
import { type Database, type RawBuilder, sql, type Trx } from '@spanhouse/postgres'
import {
  type CopiedCell,
  type CopiedRun,
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

/** Rows of one page. */
const ROWS_MAX = 5_000

/** How long deletions are remembered: longer than any computation from cells takes. */
const DELETIONS_KEPT = '1 day'

/**
 * Copies all changes since the last call. Only one process may call it at a time. If a call fails, the next one
 * completes it. Resolves early if the signal aborts.
 */
export async function copyChanges(stores: CopyStores, signal?: AbortSignal): Promise<void> {
  const { db, engine } = stores
  const since = await copiedBefore(engine)
  const horizon = await horizonOf(db)
  if (!(await isAnythingNew(db, since))) return
  const changes: Changes = { since, signal }
  await copyPages(stores, RUNS, changes)
  await copyPages(stores, CELLS, changes)
  await copyDeletions(stores, changes)
  if (signal?.aborted) return
  if (horizon > since) await setCopiedBefore(engine, horizon)
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
  const changes: Changes = { since: await copiedBefore(stores.engine), run }
  const horizon = await horizonOf(stores.db)
  await copyPages(stores, CELLS, changes)
  await copyDeletions(stores, changes)
  return horizon
}

async function horizonOf(db: Database | Trx): Promise<number> {
  const { rows } = await sql<{ horizon: number }>`
    select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as horizon`.execute(db)
  return rows[0]?.horizon as number
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
  run?: { project_id: Uuid; id: Uuid }
  signal?: AbortSignal
}

/** A table whose rows are copied. */
interface Source<Row> {
  table: RawBuilder<unknown>
  columns: RawBuilder<unknown>
  copy(engine: Engine, rows: readonly Row[]): Promise<void>
}

const micros = (name: string): RawBuilder<unknown> =>
  sql`(extract(epoch from t.${sql.ref(name)}) * 1000000)::bigint as ${sql.ref(name)}`
const VERSION = sql`t.changed_in::text::bigint as version`

const CELLS: Source<CopiedCell> = {
  table: sql.table('evaluation_results'),
  columns: sql`t.project_id, t.run_id, t.scenario_id, t.id, t.step_key, t.repeat_idx, t.status, t.trace_id, t.testcase_id,
    t."interval", ${micros('timestamp')}, ${micros('updated_at')}, ${VERSION}`,
  copy: copyCells,
}

/** Steps are those of `data`; which revision one runs is in the reference whose key ends in `_revision`. */
const RUNS: Source<CopiedRun> = {
  table: sql.table('evaluation_runs'),
  columns: sql`t.project_id, t.id, t.name, t.status, ${micros('created_at')}, ${VERSION},
    coalesce((select json_agg(s->>'key' order by n) from json_array_elements(t.data->'steps') with ordinality x(s, n)), '[]') as step_keys,
    coalesce((select json_agg(s->>'type' order by n) from json_array_elements(t.data->'steps') with ordinality x(s, n)), '[]') as step_types,
    coalesce((select json_agg((select r.value->>'id' from json_each(coalesce(s->'references', '{}')) r
      where r.key like '%\\_revision' limit 1) order by n)
      from json_array_elements(t.data->'steps') with ordinality x(s, n)), '[]') as step_revisions`,
  copy: copyRuns,
}

/** Pages in the order of transactions, so that none that is committed meanwhile is skipped. */
async function copyPages<Row extends { id: Uuid; version: number }>(
  { db, engine }: CopyStores,
  { table, columns, copy }: Source<Row>,
  { since, run, signal }: Changes,
): Promise<void> {
  // As texts, so that the index of changes is read: by that of runs every page would read and sort the whole run.
  const ofRun = run ? sql`and t.run_id::text = ${run.id}::uuid::text and t.project_id = ${run.project_id}` : sql``
  let after: RawBuilder<unknown> = sql`t.changed_in >= ${String(since)}::text::xid8`
  while (!signal?.aborted) {
    const { rows } = await sql<Row>`select ${columns} from ${table} t
      where ${after} ${ofRun} order by t.changed_in, t.id limit ${ROWS_MAX}`.execute(db)
    await copy(engine, rows)
    const last = rows.at(-1)
    if (last === undefined || rows.length < ROWS_MAX) return
    after = sql`(t.changed_in, t.id) > (${String(last.version)}::text::xid8, ${last.id}::uuid)`
  }
}

/** One row of a deletion may have a run's cells, so it is read alone. */
async function copyDeletions({ db, engine }: CopyStores, { since, run, signal }: Changes): Promise<void> {
  const ofRun = run ? sql`and t.project_id = ${run.project_id} and t.run_id = ${run.id}` : sql``
  const { rows } = await sql<{ place: string }>`select t.ctid::text as place from evaluation_deletions t
    where t.changed_in >= ${String(since)}::text::xid8 ${ofRun}`.execute(db)
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
