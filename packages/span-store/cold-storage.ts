import { stringLiteral } from '@spanhouse/query'
import type { Engine } from './engine/engine.ts'

/** Where old spans are kept. */
export interface ColdStorage {
  /**
   * A storage policy of the ClickHouse server with two volumes or more. The first must be the one that has the data
   * now: ClickHouse names it `default`, with the disk `default`.
   */
  policy: string
  /** Spans move to the second volume this many days after they were stored. */
  afterDays: number
}

/**
 * Lets ClickHouse move old spans to the second volume of a storage policy, in the background and part by part; queries
 * read both. It changes the table only if that is set differently, so every start may call it. What has moved stays
 * where it is when the policy is no longer set.
 *
 * Throws an Error for the operator if the server has no such policy, or if it has only one volume.
 */
export async function moveOldSpans(engine: Engine, coldStorage: ColdStorage): Promise<void> {
  await usePolicy(engine, coldStorage)
  const volume = await secondVolumeOf(engine, coldStorage.policy)
  const move = `toDateTime(created_at, 'UTC') + toIntervalDay(${coldStorage.afterDays}) TO VOLUME ${stringLiteral(volume)}`
  if (!(await tableOf(engine))?.ddl.includes(move))
    // It is not waited for: all parts of a large store take longer than a statement may.
    await engine.command({
      text: `ALTER TABLE spans MODIFY TTL ${EXPIRY}, ${move} SETTINGS mutations_sync = 0`,
      params: {},
    })
}

/** As without cold storage: see clickhouse/011. */
const EXPIRY = "expires_at DELETE WHERE expires_at < toDateTime(4294967295, 'UTC')"

/**
 * Sets the storage policy of one server's table. Replicas do not tell each other settings of tables, but what moves
 * when: each of them needs the policy first. Throws like {@link moveOldSpans}.
 */
export async function usePolicy(engine: Engine, { policy }: ColdStorage): Promise<void> {
  await secondVolumeOf(engine, policy)
  if ((await tableOf(engine))?.policy === policy) return
  await engine.command({
    // Stored parts learn when they move without being rewritten.
    text: `ALTER TABLE spans MODIFY SETTING storage_policy = ${stringLiteral(policy)}, materialize_ttl_recalculate_only = 1`,
    params: {},
  })
}

async function tableOf(engine: Engine): Promise<{ policy: string; ddl: string } | undefined> {
  const [table] = await engine.rows<{ policy: string; ddl: string }>({ text: TABLE, params: {} })
  return table
}

const TABLE = `SELECT storage_policy AS policy, create_table_query AS ddl FROM system.tables
WHERE database = currentDatabase() AND name = 'spans'`

async function secondVolumeOf(engine: Engine, policy: string): Promise<string> {
  const volumes = await engine.rows<{ name: string }>({
    text: 'SELECT volume_name AS name FROM system.storage_policies WHERE policy_name = {policy:String} ORDER BY volume_priority',
    params: { policy },
  })
  const [first, second] = volumes
  if (!first)
    throw new Error(`SPANHOUSE_STORAGE_POLICY=${policy}: the ClickHouse server has no storage policy of this name`)
  if (!second)
    throw new Error(
      `SPANHOUSE_STORAGE_POLICY=${policy}: the storage policy has one volume, and needs a second one for old spans`,
    )
  return second.name
}
