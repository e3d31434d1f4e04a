import type { TraceId } from '@spanhouse/model'
import type { Engine } from '../engine/engine.ts'

/**
 * Rows of a single trace, read by `read`. Of a cluster, the shards are asked first that should have it: a trace is on
 * one shard, so the first with a row has all of them. All shards together are asked only if none of these has one.
 */
export async function readOneTrace<Row>(
  engine: Engine,
  trace_id: TraceId,
  read: (engine: Engine) => Promise<Row[]>,
): Promise<Row[]> {
  for (const shard of (await engine.shardsOf?.(trace_id)) ?? []) {
    const rows = await read(shard)
    if (rows.length > 0) return rows
  }
  return read(engine)
}
