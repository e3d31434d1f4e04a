import type { Engine } from '../engine/engine.ts'

/** Fewer parts are merged with larger ones beside them, which takes longer than searching them. */
const PARTS_MIN = 3

/** Bytes of rows, uncompressed: a search without the index reads so many in some 15 ms. */
const BYTES_MIN = 8_000_000

/** Longer than ClickHouse takes to begin a merge of its own. */
const AGE_S = 20

/**
 * Merges what the last inserts of a burst have left, and resolves to whether there was anything to merge. Searches read
 * all texts of such parts, since inserts do not build the index of words, and ClickHouse merges ten parts at a time: up
 * to nine stay as they are until more comes in. Must be called periodically, and by one process at a time: a second
 * merge at the same time would be one of larger parts.
 */
export async function mergeLeftovers(engine: Engine, { ageS = AGE_S } = {}): Promise<boolean> {
  const [found] = await engine.rows<{ parts: number; bytes: number; merges: number }>({ text: LEFT, params: { ageS } })
  if (!found || found.merges > 0 || found.parts < PARTS_MIN || found.bytes < BYTES_MIN) return false
  await engine.command({ text: 'OPTIMIZE TABLE spans', params: {} })
  return true
}

/** Updates are in parts of their own, and parts that were attached have lost their level: larger than any insert. */
const LEFT = `
SELECT count() AS parts, sum(data_uncompressed_bytes) AS bytes,
  (SELECT count() FROM system.merges WHERE database = currentDatabase() AND table = 'spans') AS merges
FROM system.parts
WHERE database = currentDatabase() AND table = 'spans' AND active AND level = 0
  AND NOT startsWith(partition_id, 'patch-') AND data_uncompressed_bytes < 268435456 AND modification_time <= now() - {ageS:UInt16}`
