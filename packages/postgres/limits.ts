/** The limits of one process on a Postgres server, and its timeouts. */
export interface PostgresLimits {
  /** Connections for requests. The lease session and a running migration have one each on top. */
  connectionsMax: number
  /** Getting a connection, from the pool or from the server. */
  connectMs: number
  /** One statement, and a transaction that waits for its client. */
  statementMs: number
  /** An unneeded connection of the pool is closed. */
  idleMs: number
  /** A connection without traffic in either direction is given up. Must exceed `statementMs` and `idleMs`. */
  silentMs: number
  /** Interval between heartbeats of the lease session, and the timeout of each. */
  heartbeatMs: number
}

export const POSTGRES_LIMITS: PostgresLimits = {
  connectionsMax: 10,
  connectMs: 5_000,
  statementMs: 30_000,
  idleMs: 30_000,
  silentMs: 35_000,
  heartbeatMs: 3_000,
}
