import { SENT_ATTRIBUTES } from './copies.ts'
import { SPAN_DATA } from './long-data.ts'
import { identifier, join, type Sql, sql } from './sql.ts'

/*
 * Statements that group rows and compute something from aggregates of each group. On one server that is one statement.
 * Of a cluster, each shard computes the states of these aggregates for its rows, and a second statement merges all
 * states and computes the rest, as a single server does with the states of its threads: so the result is the same.
 */

/** The groups of some rows. Its aggregates are marked by `aggregate`. */
export interface Aggregation {
  /** A WITH clause with aggregates. */
  readonly prefix?: Sql
  /** What the rows are grouped by. */
  readonly keys: readonly { readonly name: Sql; readonly value: Sql }[]
  /** What is computed for each group; refers to rows only by aggregates. */
  readonly columns: Sql
  /** FROM and WHERE. */
  readonly rows: Sql
  /** HAVING, ORDER BY and LIMIT, by names of keys and columns. */
  readonly order: Sql
  readonly settings: Sql
  /** Whether its aggregates are long arrays: the numbers of all rows of a group. */
  readonly isLong?: boolean
}

/** The table with the states of all shards, which {@link compileMerge} reads. */
export const STATES = 'states'

/** All of it as one statement. */
export function compileAggregation({ prefix = sql``, keys, columns, rows, order, settings }: Aggregation): Sql {
  return sql`${prefix}SELECT ${keysOf(keys)}, ${columns} ${rows} GROUP BY ${namesOf(keys)} ${order} ${settings}`
}

/** Rows of a block that is read: ClickHouse's default. */
const READ_ROWS = sql`65409`
/** Groups whose aggregates are computed at a time; see DECISIONS.md. */
const GROUPS = sql`32`

/**
 * The same for the tables of one server. What is computed from long arrays is computed for some groups at a time, in
 * blocks that threads share: each step of an expression makes another array, and those of all groups fit neither into a
 * processor's cache nor into the memory that the engine keeps. Blocks of an aggregation are as long as those that are
 * read for it, unless a sub-query reads; of Distributed tables, that would send all rows instead of states.
 */
export function compileLocalAggregation(asked: Aggregation): Sql {
  if (!asked.isLong) return compileAggregation(asked)
  const rows = sql`FROM (SELECT *, ${SENT_ATTRIBUTES}, ${SPAN_DATA} ${asked.rows} SETTINGS max_block_size = ${READ_ROWS})`
  return compileAggregation({ ...asked, rows, settings: sql`${asked.settings}, max_block_size = ${GROUPS}` })
}

/** The states of the aggregates of one shard's rows: the keys, then one column for each aggregate. */
export function compileStates({ prefix = sql``, keys, columns, rows, settings }: Aggregation): Sql {
  const states: Sql[] = []
  sql`${prefix}${columns}`.mapAggregates(({ name, parameters, args }) => {
    states.push(sql`${name}State${parameters}(${args}) AS ${stateName(states.length)}`)
    return sql``
  })
  return sql`SELECT ${join([keysOf(keys), ...states])} ${rows} GROUP BY ${namesOf(keys)} ${settings}`
}

/** The result of {@link compileAggregation} from the states of all shards. */
export function compileMerge({ prefix = sql``, keys, columns, order, settings }: Aggregation): Sql {
  let states = 0
  const merge = (part: Sql): Sql =>
    part.mapAggregates(({ name, parameters }) => sql`${name}Merge${parameters}(${stateName(states++)})`)
  const names = namesOf(keys)
  return sql`${merge(prefix)}SELECT ${names}, ${merge(columns)} FROM ${identifier(STATES)} GROUP BY ${names} ${order} ${settings}`
}

const keysOf = (keys: Aggregation['keys']): Sql => join(keys.map(({ name, value }) => sql`${value} AS ${name}`))

const namesOf = (keys: Aggregation['keys']): Sql => join(keys.map(({ name }) => name))

const stateName = (index: number): Sql => identifier(`state${index}`)
