import { type Aggregation, compileAggregation, compileMerge, compileStates, printSql, STATES } from '@spanhouse/query'
import type { Engine } from '../engine/engine.ts'
import { isResultTooLarge } from '../engine/failures.ts'
import type { Holder } from '../engine/holder.ts'
import type { SentTable } from '../engine/http-client.ts'

/**
 * The groups of an aggregation. Of a cluster, each shard computes the states of its own rows at the same time, and one of
 * them merges the states of all. If one does not respond there is no result. States that are too large to be sent through
 * this process are sent among the servers, by a statement over Distributed tables.
 */
export async function readAggregates<Row>(engine: Engine, asked: Aggregation, holder?: Holder): Promise<Row[]> {
  // A cluster refuses the same statements as one server.
  const whole = printSql(compileAggregation(asked))
  const shards = (await engine.shards?.()) ?? [engine]
  if (shards.length === 1) return (shards[0] as Engine).rows(whole, holder)
  const statement = printSql(compileStates(asked))
  let tables: SentTable[]
  try {
    tables = await Promise.all(shards.map(shard => shard.table(statement, STATES, holder)))
  } catch (error) {
    if (!isResultTooLarge(error)) throw error
    return engine.rows(whole, holder)
  }
  const table = { ...(tables[0] as SentTable), rows: tables.flatMap(({ rows }) => rows) }
  const merging = shards[Math.floor(Math.random() * shards.length)] as Engine
  const rows = await merging.rows<Row>({ ...printSql(compileMerge(asked)), table }, holder)
  holder?.release(table.rows.reduce((sum, { length }) => sum + length, 0))
  return rows
}
