import { Socket } from 'node:net'
import { Kysely } from 'kysely'
import pg from 'pg'
import { ActingDialect } from './acting-as.ts'
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
  /** Called for connections that broke while idle; the pool has already replaced them. */
  onIdleError: (error: Error) => void
}

/** A bounded pool: every wait has a time limit, even if the server's machine vanishes silently. */
export function openPool({ url, limits, onIdleError }: NetworkedOptions): Database {
  const pool = new pg.Pool({
    ...connectionConfig(url, limits),
    max: limits.connectionsMax,
    idleTimeoutMillis: limits.idleMs,
    onConnect: having({
      statement_timeout: limits.statementMs,
      idle_in_transaction_session_timeout: limits.statementMs,
    }),
    stream: () => socketThatGivesUp(limits.silentMs),
  })
  return databaseOn(pool, onIdleError)
}

/** The operator may have limits for everybody, in the server's configuration, of the database or of the role. */
const WITHOUT_LIMITS = { statement_timeout: 0, lock_timeout: 0 }

/** A single connection without a statement limit: migrations wait for each other and may have much to rewrite. */
export function openMigrationConnection(url: string, limits: PostgresLimits): Database {
  const pool = new pg.Pool({ ...connectionConfig(url, limits), max: 1, onConnect: having(WITHOUT_LIMITS) })
  return databaseOn(pool, () => undefined)
}

/**
 * Gives a new session these settings. By a statement, since poolers refuse or ignore parameters of a connection that
 * they do not know.
 */
export const having =
  (settings: Readonly<Record<string, number>>) =>
  async (client: Pick<pg.ClientBase, 'query'>): Promise<void> => {
    await client.query(
      Object.entries(settings)
        .map(([name, value]) => `set ${name} = ${value}`)
        .join('; '),
    )
  }

/**
 * A connection that breaks while in use reports it twice: its current or next statement fails, and it emits `error`,
 * which would end the process without a listener.
 */
function databaseOn(pool: pg.Pool, onIdleError: (error: Error) => void): Database {
  pool.on('error', onIdleError)
  pool.on('connect', client => client.on('error', () => undefined))
  return new Kysely<Tables>({ dialect: new ActingDialect({ pool }) })
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
 * The server's own statement limit cannot end a wait for a response that never comes; without this, only the operating
 * system does, after a quarter of an hour.
 */
function socketThatGivesUp(silentMs: number): Socket {
  const socket = new Socket()
  return socket.setTimeout(silentMs, () => socket.destroy(new Error(`Postgres did not answer for ${silentMs} ms`)))
}
