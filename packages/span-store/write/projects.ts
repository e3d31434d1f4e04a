import type { Micros, Uuid } from '@spanhouse/model'
import type { Engine } from '../engine/engine.ts'

/** Rows deleted per statement, plus those that start in the same microsecond as the last of them. */
const ROWS_PER_STATEMENT = 200_000

/**
 * Deletes the spans of these projects and their recorded deletions, in consecutive bounded statements. (Retention
 * settings stay: that kind of table cannot delete a row.) Spans written meanwhile may remain, so it is called again for
 * as long as spans can arrive. It can be repeated after a failure. Resolves early if the signal aborts.
 */
export async function removeProjects(
  engine: Engine,
  project_ids: readonly Uuid[],
  signal?: AbortSignal,
): Promise<void> {
  const params = { projects: project_ids }
  const stored = await engine.rows<{ project_id: Uuid }>({ text: STORED, params })
  for (const { project_id } of stored)
    for (const is_root of [true, false]) await removeSpans(engine, { project_id, is_root }, signal)
  // Deletions of traces are in a table without lightweight DELETE, and there are few.
  const [noted] = await engine.rows<{ rows: number }>({ text: NOTED, params })
  if (noted?.rows && !signal?.aborted) await engine.command({ text: REMOVE_NOTES, params })
}

const OF_THEM = 'has({projects:Array(UUID)}, project_id)'
const NOTED = `SELECT count() AS rows FROM deleted_traces WHERE ${OF_THEM}`
const REMOVE_NOTES = `ALTER TABLE deleted_traces DELETE WHERE ${OF_THEM} SETTINGS mutations_sync = 1`
const STORED = 'SELECT DISTINCT project_id FROM spans WHERE project_id IN (SELECT arrayJoin({projects:Array(UUID)}))'

/** The columns of the table's key, in its order. */
interface Stretch {
  project_id: Uuid
  is_root: boolean
}

/** Each statement starts where the previous one ended; otherwise ClickHouse would read deleted rows again and again. */
async function removeSpans(engine: Engine, stretch: Stretch, signal: AbortSignal | undefined): Promise<void> {
  const [first] = await engine.rows<{ at: Micros; rows: number }>({ text: FIRST, params: { ...stretch } })
  if (!first?.rows) return
  for (let from: Micros | undefined = first.at; from !== undefined && !signal?.aborted; ) {
    const params: Record<string, unknown> = { ...stretch, from, rows: ROWS_PER_STATEMENT }
    const [last]: { at: Micros }[] = await engine.rows<{ at: Micros }>({ text: LAST, params })
    const until = last === undefined ? '' : ` AND start_time <= ${timeOf('until')}`
    await engine.command({
      text: `DELETE FROM spans WHERE ${FROM}${until}`,
      params: { ...params, until: last?.at ?? 0 },
    })
    from = last?.at
  }
}

const timeOf = (name: string): string => `fromUnixTimestamp64Micro({${name}:Int64}, 'UTC')`
const OF_STRETCH = 'project_id = {project_id:UUID} AND is_root = {is_root:Bool}'
const FROM = `${OF_STRETCH} AND start_time >= ${timeOf('from')}`
const FIRST = `SELECT toUnixTimestamp64Micro(min(start_time)) AS at, count() AS rows FROM spans WHERE ${OF_STRETCH}`
const LAST = `
SELECT toUnixTimestamp64Micro(start_time) AS at FROM spans WHERE ${FROM} ORDER BY start_time LIMIT 1 OFFSET {rows:UInt32}`
