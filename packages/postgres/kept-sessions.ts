import pg from 'pg'
import type { PostgresLimits } from './limits.ts'
import { connectionConfig } from './networked.ts'

/** How long a pooler may take to close the connection of a client whose session has ended. */
const CLOSED_MS_MAX = 5_000

const NOT_KEPT =
  'this is a pooler that gives each transaction a different session, so several processes could hold the same lease: ' +
  'use its session mode (in PgBouncer `pool_mode = session`), or the address of Postgres'

/**
 * Throws an Error for the operator if the address is that of a pooler in transaction mode. It cannot be asked for its
 * mode, but only where a connection has a session of its own it ends with that session.
 */
export async function requireKeptSessions(url: string, limits: PostgresLimits): Promise<void> {
  const client = new pg.Client(connectionConfig(url, limits))
  const closed = Promise.withResolvers<boolean>()
  client.on('error', () => closed.resolve(true)).on('end', () => closed.resolve(true))
  try {
    await client.connect()
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    // Poolers give their clients process ids of their own.
    if (rows[0]?.pid === (client as unknown as { processID: number }).processID) return
    await client.query('set idle_session_timeout = 1')
    setTimeout(() => closed.resolve(false), CLOSED_MS_MAX).unref()
    if (!(await closed.promise)) throw new Error(NOT_KEPT)
  } finally {
    await client.end().catch(() => undefined)
  }
}
