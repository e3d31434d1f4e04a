import type { JsonObject } from '@spanhouse/model'
import { type RawBuilder, sql, toJsonb } from '@spanhouse/postgres'

/** A condition of a statement about a table that is called `t`. */
export type Condition = RawBuilder<unknown>

export const column = (name: string): Condition => sql.ref(`t.${name}`)

export const equals = (name: string, value: unknown, type: string): Condition =>
  sql`${column(name)} = ${value}::${sql.raw(type)}`

/**
 * Whether a column is one of these: one parameter however many there are. An array, since the planner knows how many
 * values it has: with a subquery, a list with a limit compared each row of the project with all of them.
 */
export const isAmong = (name: string, values: readonly unknown[], type: string): Condition =>
  sql`${column(name)} = any(${values}::${sql.raw(type)}[])`

/** Whether a JSON column contains an object. Every value contains the empty object, also null. */
export const contains = (name: string, value: JsonObject): Condition =>
  Object.keys(value).length === 0 ? sql`true` : sql`${column(name)}::jsonb @> ${toJsonb(value)}::jsonb`

/** Whether a text is part of a column; `%` and `_` are what they look like. */
export const hasText = (name: string, text: string, comparison: 'like' | 'ilike'): Condition =>
  sql`${column(name)} ${sql.raw(comparison)} ${`%${text.replaceAll(/[\\%_]/g, '\\$&')}%`}`

export const isPresent = (name: string, isWanted: boolean): Condition =>
  sql`${column(name)} is ${sql.raw(isWanted ? 'not null' : 'null')}`
