/** What one process may ask of a Postgres server, and how long it waits. */
export interface PostgresLimits {
  /** Connections for requests. The lease session and a running migration have one each on top. */
  connectionsMax: number
  /** To get a connection, from the pool or from the server. */
  connectMs: number
  /** One statement, and a transaction that waits for its client. */
  statementMs: number
  /** A connection the pool does not need is closed. */
  idleMs: number
  /** A connection on which no byte came or went is given up. Must exceed `statementMs` and `idleMs`. */
  silentMs: number
  /** Time between two signs of life of the lease session, and for the answer to one. */
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
