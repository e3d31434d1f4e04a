import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { lockFolder } from '@spanhouse/folder-lock'
import { Kysely, PostgresDialect } from 'kysely'
import { EMBEDDED_LIMITS, type EmbeddedLimits, EmbeddedPool } from './embedded/pool.ts'
import { migrateToLatest } from './migrate.ts'
import type { Database, Tables } from './tables.ts'

export interface Embedded {
  db: Database
  migrate(): Promise<string[]>
  close(): Promise<void>
}

export interface EmbeddedOptions {
  dataDir: string
  limits?: Partial<EmbeddedLimits>
  /** Called when the database has ended by itself, after which every statement fails. */
  onFailure(error: Error): void
}

/**
 * Postgres inside this process, in a thread of its own; its files in `dataDir` (made when absent). A commit is in the
 * operating system's hands when it is answered, so it survives the death of the process; PGlite never calls fsync, so the
 * last seconds before a power failure are not safe.
 */
export async function openEmbedded({ dataDir, limits, onFailure }: EmbeddedOptions): Promise<Embedded> {
  await mkdir(dataDir, { recursive: true })
  const unlock = await lockFolder(dataDir)
  try {
    const path = join(dataDir, 'cluster')
    const pool = await EmbeddedPool.open({ path, limits: { ...EMBEDDED_LIMITS, ...limits }, onFailure })
    const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
    return {
      db,
      migrate: () => pool.withoutLimits(() => migrateToLatest(db)),
      close: () => pool.end().finally(unlock),
    }
  } catch (error) {
    await unlock()
    throw new Error(
      `the embedded database in ${dataDir} cannot be opened${isFull(error) ? ': the disk is full' : ''}`,
      {
        cause: error,
      },
    )
  }
}

/** Errors of PGlite's file system have a number of its own and no text. */
const DISK_FULL = 51
const isFull = (error: unknown): boolean => (error as { errno?: unknown }).errno === DISK_FULL
