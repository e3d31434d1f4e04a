import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ServerProcess } from '@spanhouse/server/server-process.testing.ts'
import { startClusterStores } from '../../test/sets/cluster.ts'
import { rounded } from '../measured.ts'
import { checkStored, Roles, WriterSet } from '../writers/writer-set.ts'

/** Descending, as in the bench of writers. */
const SHARDS = [2, 1]
const RECEIVERS = 2

/**
 * How the rate of storing grows with the number of shards: each shard is a ClickHouse server with a writer, and each of
 * these processes is held to an eighth of the time, so that they and not the machine are what limits it. Each number of
 * shards gets as many of the `spans` as it has a share of all shards.
 */
export async function benchClusterWrites({ spans }: { spans: number }): Promise<object> {
  const spansPerShard = Math.ceil(spans / SHARDS.reduce((sum, count) => sum + count))
  const results: { shards: number; queryableSpansPerSecond: number }[] = []
  for (const shards of SHARDS) results.push({ shards, ...(await measure(shards, spansPerShard * shards)) })
  const one = results.at(-1)?.queryableSpansPerSecond ?? 0
  return {
    spansPerShard,
    results: results.map(result => ({ ...result, ratioToOne: rounded(result.queryableSpansPerSecond / one) })),
  }
}

async function measure(shards: number, spans: number) {
  const dataDir = await mkdtemp(join(tmpdir(), 'spanhouse-bench-'))
  const { stores, clickhouse } = await startClusterStores(shards)
  const roles = new Roles(stores, dataDir)
  try {
    await roles.start('api')
    const receivers: ServerProcess[] = []
    while (receivers.length < RECEIVERS) receivers.push(await roles.start('receiver'))
    const set = new WriterSet(receivers, clickhouse.servers)
    while (set.writers.length < shards) set.writers.push(await roles.start('writer'))
    await set.warmUp()
    const result = await set.measure(spans)
    await checkStored(
      clickhouse.servers.map(({ url }) => url),
      set.accepted,
    )
    return result
  } finally {
    await roles.kill()
    await stores.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}
