import type { Engine } from './engine.ts'
import type { Servers } from './on-servers.ts'

/**
 * Resolves when a server has everything that the servers of its shard had acknowledged before: the one in use, or with
 * `servers` those. It fetches what it lacks, so another one must have it. At once if the shard has one server.
 *
 * So that nothing depends on ClickHouse's own quorum, which leaves open whether a block that too few servers have is
 * stored, and does not count updates: a batch is acknowledged to the stream when most servers have it, and a writer
 * begins on a server that has what was acknowledged.
 */
export async function catchUp(
  engine: Engine,
  { tables, servers }: { tables: readonly string[]; servers?: Servers },
): Promise<void> {
  if (!engine.isReplicated) return
  for (const table of tables) {
    await engine.command({ text: `SYSTEM SYNC REPLICA ${table} LIGHTWEIGHT`, params: {}, ...(servers && { servers }) })
  }
}
