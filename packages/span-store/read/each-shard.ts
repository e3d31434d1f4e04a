import type { Engine } from '../engine/engine.ts'

/**
 * What is read from each shard of a cluster, on its own tables, or from the only server. Each shard plans and reads its
 * part at the same time as the others, so it takes as long as on one server with that part: a statement over a
 * Distributed table is planned three times one after the other, by the server that answers, for its own part and by the
 * others.
 */
export async function readEachShard<T>(engine: Engine, read: (shard: Engine) => Promise<T>): Promise<T[]> {
  return Promise.all(((await engine.shards?.()) ?? [engine]).map(read))
}

/** The first rows of all shards in an order, if each has given its first. */
export function firstOfShards<Row>(
  shards: readonly (readonly Row[])[],
  { compare, limit }: { compare(one: Row, other: Row): number; limit: number },
): Row[] {
  return shards.length === 1 ? shards.flat() : shards.flat().sort(compare).slice(0, limit)
}
