import type { Uuid } from '@spanhouse/model'
import type { Engine } from '../engine/engine.ts'

/** A cell that was deleted. */
export interface DeletedCell {
  project_id: Uuid
  run_id: Uuid
  scenario_id: Uuid
  id: Uuid
}

/** The greatest version: nothing follows a deletion, since no id is used twice. */
const DELETED = '18446744073709551615'

const CELLS = `
INSERT INTO evaluation_cells (project_id, run_id, scenario_id, id, step_key, repeat_idx, status, trace_id, testcase_id,
  timestamp, interval, updated_at, is_deleted, version)
SELECT project_id, run_id, scenario_id, id, step_key, repeat_idx, status, UUIDStringToNum(toString(trace_id)), testcase_id,
  fromUnixTimestamp64Micro(timestamp, 'UTC'), interval, fromUnixTimestamp64Micro(updated_at, 'UTC'), false, version
FROM format(JSONCompactEachRow, 'project_id UUID, run_id UUID, scenario_id UUID, id UUID, step_key String, repeat_idx UInt32,
  status String, trace_id UUID, testcase_id UUID, interval Int32, timestamp Int64, updated_at Int64, version UInt64',
  {rows:String})`

const DELETED_CELLS = `
INSERT INTO evaluation_cells (project_id, run_id, scenario_id, id, is_deleted, version)
SELECT project_id, run_id, scenario_id, id, true, ${DELETED}
FROM format(JSONEachRow, 'project_id UUID, run_id UUID, scenario_id UUID, id UUID', {rows:String})`

const RUNS = `
INSERT INTO evaluation_runs (project_id, id, name, status, created_at, step_keys, step_types, step_revisions, version)
SELECT project_id, id, name, status, fromUnixTimestamp64Micro(created_at, 'UTC'), step_keys, step_types,
  arrayMap(x -> toUUIDOrZero(ifNull(x, '')), step_revisions), version
FROM format(JSONCompactEachRow, 'project_id UUID, id UUID, name String, status String, created_at Int64, version UInt64,
  step_keys Array(String), step_types Array(String), step_revisions Array(Nullable(String))', {rows:String})`

const DELETED_RUNS = `
INSERT INTO evaluation_runs (project_id, id, is_deleted, version)
SELECT project_id, id, true, ${DELETED} FROM format(JSONEachRow, 'project_id UUID, id UUID', {rows:String})`

/** Rows of one statement: its text is parsed as a whole. */
const ROWS_PER_STATEMENT = 10_000

async function insert(engine: Engine, text: string, all: readonly object[]): Promise<void> {
  for (let at = 0; at < all.length; at += ROWS_PER_STATEMENT) {
    const rows = all.slice(at, at + ROWS_PER_STATEMENT).map(row => JSON.stringify(row))
    await engine.command({ text, params: { rows: rows.join('\n') } })
  }
}

/**
 * Stores versions of cells, at most {@link ROWS_PER_STATEMENT}. Storing one again changes nothing. Each line is a JSON
 * list: project, run, scenario, id, step, repeat, status, trace, testcase, interval, bucket and change in microseconds
 * since 1970, version; null where there is none.
 */
export const copyCells = (engine: Engine, lines: string): Promise<void> =>
  engine.command({ text: CELLS, params: { rows: lines } })

/** Stores that cells were deleted; versions that are copied later do not bring them back. */
export const copyDeletedCells = (engine: Engine, cells: readonly DeletedCell[]): Promise<void> =>
  insert(engine, DELETED_CELLS, cells)

/**
 * The same for runs: project, id, name, status, creation in microseconds since 1970, version, then lists with one
 * element for each step: key, type, and the id of the revision that it runs or null.
 */
export const copyRuns = (engine: Engine, lines: string): Promise<void> =>
  engine.command({ text: RUNS, params: { rows: lines } })

export const copyDeletedRuns = (engine: Engine, runs: readonly { project_id: Uuid; id: Uuid }[]): Promise<void> =>
  insert(engine, DELETED_RUNS, runs)

/** The number below which all transactions of Postgres have been copied; 0 before the first copy. */
export async function copiedBefore(engine: Engine): Promise<number> {
  const [row] = await engine.rows<{ copied_before: number }>({
    text: 'SELECT max(copied_before) AS copied_before FROM evaluation_feed',
    params: {},
  })
  return row?.copied_before ?? 0
}

/** Records that all transactions below this number have been copied. */
export const setCopiedBefore = (engine: Engine, copied_before: number): Promise<void> =>
  engine.command({
    text: 'INSERT INTO evaluation_feed SELECT {copied_before:UInt64}',
    params: { copied_before },
  })
