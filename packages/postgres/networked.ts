import { Socket } from 'node:net'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import type { PostgresLimits } from './limits.ts'
import type { Database, Tables } from './tables.ts'
import { VALUE_PARSERS } from './values.ts'

const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    VALUE_PARSERS[oid] ?? pg.types.getTypeParser(oid, format ?? 'text'),
} as pg.CustomTypesConfig

export interface NetworkedOptions {
  url: string
  limits: PostgresLimits
  /** Told of connections that broke while nobody used them; the pool has replaced them already. */
  onIdleError: (error: Error) => void
}

/** A bounded pool: every wait in it ends by a limit, also when the server's machine vanishes without a word. */
export function openPool({ url, limits, onIdleError }: NetworkedOptions): Database {
  const pool = new pg.Pool({
    ...connectionConfig(url, limits),
    max: limits.connectionsMax,
    idleTimeoutMillis: limits.idleMs,
    statement_timeout: limits.statementMs,
    idle_in_transaction_session_timeout: limits.statementMs,
    stream: () => socketThatGivesUp(limits.silentMs),
  })
  return databaseOn(pool, onIdleError)
}

/** One connection without a limit on its statements: migrations wait for each other and may have much to rewrite. */
export function openMigrationConnection(url: string, limits: PostgresLimits): Database {
  return databaseOn(new pg.Pool({ ...connectionConfig(url, limits), max: 1 }), () => undefined)
}

/**
 * A connection that breaks while it is lent out says so twice: its statement, or the next one, fails, and it emits
 * `error`, which ends the process where nobody listens.
 */
function databaseOn(pool: pg.Pool, onIdleError: (error: Error) => void): Database {
  pool.on('error', onIdleError)
  pool.on('connect', client => client.on('error', () => undefined))
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
}

export function connectionConfig(url: string, limits: PostgresLimits): pg.ClientConfig {
  return {
    connectionString: url,
    connectionTimeoutMillis: limits.connectMs,
    keepAlive: true,
    application_name: 'spanhouse',
    types,
  }
}

/**
 * The server's own statement limit cannot end a wait for an answer that will never come; without this the operating
 * system does, after a quarter of an hour.
 */
function socketThatGivesUp(silentMs: number): Socket {
  const socket = new Socket()
  return socket.setTimeout(silentMs, () => socket.destroy(new Error(`Postgres did not answer for ${silentMs} ms`)))
}
