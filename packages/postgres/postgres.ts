import { sql } from 'kysely'
import { withDatabaseProblems } from './database-problem.ts'
import type { EmbeddedLimits } from './embedded/pool.ts'
import { openEmbedded } from './embedded.ts'
import { requireKeptSessions } from './kept-sessions.ts'
import type { Lease } from './lease.ts'
import { POSTGRES_LIMITS, type PostgresLimits } from './limits.ts'
import { LocalLeases } from './local-leases.ts'
import { migrateToLatest } from './migrate.ts'
import { openMigrationConnection, openPool } from './networked.ts'
import { SessionLeases } from './session-leases.ts'
import type { Database } from './tables.ts'

/** The relational store, embedded or networked: its users cannot tell the difference. */
export interface Postgres {
  readonly db: Database
  /** Applies the missing migrations and returns their names. Any number of processes may call it at once. */
  migrate(): Promise<string[]>
  /** Resolves when the database responds; throws a Problem `overloaded` if it does not. */
  ping(): Promise<void>
  /** Acquires the named lease; null if it is held. */
  lease(name: string): Promise<Lease | null>
  /** How many of these leases are held, in any process. */
  leasesHeld(names: readonly string[]): Promise<number>
  /** Loses all leases, waits for running statements and frees all resources. */
  close(): Promise<void>
}

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`. */
  url?: string
  /** The folder of the embedded database, used if there is no `url`. One process at a time may have it open. */
  dataDir?: string
  /**
   * A cluster that a new embedded database is copied from. Default: the one that `npm ci` has made (`build.ts`). One
   * that does not exist, such as an empty text: the database is made.
   */
  template?: string
  limits?: Partial<PostgresLimits>
  embeddedLimits?: Partial<EmbeddedLimits>
  /** Called for connections that broke while idle. */
  onIdleError?: (error: Error) => void
  /**
   * Called when the embedded database has stopped unexpectedly; every statement then fails. Without it the error is
   * thrown.
   */
  onFailure?: (error: Error) => void
}

/**
 * Opens the database. With a `url`, no connection is made yet (see `ping`); without, the embedded database is running
 * when this resolves: about 0.7 s the first time (2 cores), 0.4 s later.
 */
export async function openPostgres(options: PostgresOptions): Promise<Postgres> {
  if (options.url !== undefined) return openNetworked(options.url, options)
  if (options.dataDir === undefined) throw new Error('openPostgres needs a url or a dataDir')
  const { dataDir, template, embeddedLimits: limits, onFailure = thrown } = options
  const { db, migrate, close } = await openEmbedded({ dataDir, template, limits, onFailure })
  const leases = new LocalLeases()
  return {
    db,
    migrate,
    ping: () => ping(db),
    lease: name => leases.tryAcquire(name),
    leasesHeld: names => leases.countHeld(names),
    close: async () => {
      await leases.close()
      await close()
    },
  }
}

function thrown(error: Error): never {
  throw error
}

function openNetworked(url: string, { limits: changed, onIdleError = () => undefined }: PostgresOptions): Postgres {
  const limits = { ...POSTGRES_LIMITS, ...changed }
  const db = openPool({ url, limits, onIdleError })
  const leases = new SessionLeases(url, limits)
  return {
    db,
    migrate: () => migrateOnce(url, limits),
    ping: () => ping(db),
    lease: name => leases.tryAcquire(name),
    leasesHeld: names => leases.countHeld(names),
    close: async () => {
      await leases.close()
      await db.destroy()
    },
  }
}

async function migrateOnce(url: string, limits: PostgresLimits): Promise<string[]> {
  await withDatabaseProblems(() => requireKeptSessions(url, limits))
  const db = openMigrationConnection(url, limits)
  try {
    return await withDatabaseProblems(() => migrateToLatest(db))
  } finally {
    await db.destroy()
  }
}

const ping = (db: Database): Promise<void> =>
  withDatabaseProblems(async () => {
    await sql`select 1`.execute(db)
  })
