import {
  type Aggregation,
  compileAggregation,
  compileLocalAggregation,
  compileMerge,
  compileStates,
  printSql,
  STATES,
} from '@spanhouse/query'
import type { Engine } from '../engine/engine.ts'
import type { Holder } from '../engine/holder.ts'
import type { SentTable } from '../engine/http-client.ts'

/**
 * The groups of an aggregation. Of a cluster, each shard computes the states of its own rows at the same time, and one
 * of them merges the states of all. If one does not respond there is no result. States that are too large to be sent
 * through this process are sent among the servers, by a statement over Distributed tables.
 */
export async function readAggregates<Row>(engine: Engine, asked: Aggregation, holder?: Holder): Promise<Row[]> {
  // A cluster refuses the same statements as one server.
  const local = printSql(compileLocalAggregation(asked))
  const shards = engine.shards ? await engine.shards() : [engine]
  if (shards?.length === 1) return (shards[0] as Engine).rows(local, holder)
  const rows = shards && (await mergeStates<Row>(shards, asked, holder))
  return rows ?? engine.rows(printSql(compileAggregation(asked)), holder)
}

/** Undefined if the states are too large. */
async function mergeStates<Row>(
  shards: readonly Engine[],
  asked: Aggregation,
  holder: Holder | undefined,
): Promise<Row[] | undefined> {
  const held = new HeldStates(holder)
  try {
    const statement = printSql(compileStates(asked))
    const tables = await Promise.all(shards.map(shard => shard.table(statement, STATES, held)))
    const table = { ...(tables[0] as SentTable), rows: tables.flatMap(({ rows }) => rows) }
    const merging = shards[Math.floor(Math.random() * shards.length)] as Engine
    return await merging.rows<Row>({ ...printSql(compileMerge(asked)), table }, holder)
  } catch (error) {
    if (!(error instanceof TooLarge)) throw error
    return undefined
  } finally {
    held.end()
  }
}

/** Of all shards: those of four million traces with the measures that are made by default. */
const STATES_BYTES_MAX = 128 * 1024 ** 2

class TooLarge extends Error {}

/**
 * The states in this process, until `end`. Throws {@link TooLarge} instead of holding more than it may, or anything
 * after that.
 */
class HeldStates implements Holder {
  readonly #holder: Holder | undefined
  #bytes = 0
  #isOver = false

  constructor(holder: Holder | undefined) {
    this.#holder = holder
  }

  hold(bytes: number): void {
    this.#isOver ||= this.#bytes + bytes > STATES_BYTES_MAX
    if (this.#isOver) throw new TooLarge()
    this.#holder?.hold(bytes)
    this.#bytes += bytes
  }

  release(bytes: number): void {
    this.#holder?.release(bytes)
    this.#bytes -= bytes
  }

  end(): void {
    this.#isOver = true
    this.release(this.#bytes)
  }
}
