import type { Uuid } from '@spanhouse/model'
import type { Engine } from '../engine/engine.ts'

/** Rows whose expiry one statement changes. */
const ROWS_PER_STATEMENT = 200_000

/** More than this means forever, and it is the maximum of the table's column. */
export const RETENTION_DAYS_MAX = 65_535

/**
 * Keeps a project's spans for this many days after they are stored; null: forever. New rows get their expiry when
 * inserted; that of stored rows is updated by consecutive bounded statements, none of which rewrites a part. When this
 * resolves, spans that expired under the new setting are deleted. It can be repeated after a failure.
 */
export async function setRetention(engine: Engine, project_id: Uuid, days: number | null): Promise<void> {
  if (days !== null && !(Number.isInteger(days) && days > 0 && days <= RETENTION_DAYS_MAX))
    throw new Error(`Spans cannot be kept for ${days} days`)
  await keepFor(engine, project_id, days ?? 0)
  const slices = await engine.rows<{ from: number; to: number }>({
    text: SLICES,
    params: { project_id, rows: ROWS_PER_STATEMENT },
  })
  for (const { from, to } of slices)
    await engine.command({ text: CHANGE, params: { project_id, from, to, seconds: (days ?? 0) * 86_400 } })
  await removeExpired(engine)
}

/** Keeps the spans of a project that are stored from now on for this many days; 0: forever. */
export const keepFor = (engine: Engine, project_id: Uuid, days: number): Promise<void> =>
  engine.command({
    text: 'INSERT INTO project_retention SELECT {project_id:UUID}, {days:UInt16}',
    params: { project_id, days },
    servers: 'all',
  })

/**
 * Deletes expired spans. The table's TTL does so for rows whose expiry was set when they were inserted; this handles
 * rows whose expiry was changed later, which a part's own metadata does not reflect. Must be called periodically.
 */
export function removeExpired(engine: Engine): Promise<void> {
  return engine.command({ text: 'DELETE FROM spans WHERE expires_at <= now()', params: {} })
}

const SLICES = `
SELECT toUnixTimestamp64Micro(min(created_at)) AS from, toUnixTimestamp64Micro(max(created_at)) AS to
FROM
(
  SELECT created_at, intDiv(rowNumberInAllBlocks(), {rows:UInt32}) AS slice
  FROM (SELECT created_at FROM spans WHERE project_id = {project_id:UUID} ORDER BY created_at)
)
GROUP BY slice ORDER BY slice`

const CHANGE = `
UPDATE spans SET expires_at = if({seconds:UInt32} = 0, toDateTime(4294967295, 'UTC'),
  toDateTime(least(toUnixTimestamp(created_at) + toUInt64({seconds:UInt32}), 4294967295), 'UTC'))
WHERE project_id = {project_id:UUID}
  AND created_at BETWEEN fromUnixTimestamp64Micro({from:Int64}, 'UTC') AND fromUnixTimestamp64Micro({to:Int64}, 'UTC')`
