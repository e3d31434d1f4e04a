import { mkdir, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { lockFolder } from '@spanhouse/folder-lock'
import { Kysely } from 'kysely'
import { ActingDialect } from './acting-as.ts'
import { EMBEDDED_LIMITS, type EmbeddedLimits, EmbeddedPool } from './embedded/pool.ts'
import { keepStatistics } from './embedded/statistics.ts'
import { templatePath } from './embedded/template.ts'
import { migrateToLatest } from './migrate.ts'
import type { Database, Tables } from './tables.ts'

export interface Embedded {
  db: Database
  migrate(): Promise<string[]>
  close(): Promise<void>
}

export interface EmbeddedOptions {
  dataDir: string
  /** See `PostgresOptions`. */
  template?: string | undefined
  limits?: Partial<EmbeddedLimits>
  /** Called when the database has stopped unexpectedly; every statement then fails. */
  onFailure(error: Error): void
}

/**
 * Postgres inside this process, in a separate thread; its files are in `dataDir` (created if missing). A commit has
 * reached the operating system when it is acknowledged, so it survives the death of the process; PGlite never calls
 * fsync, so the last seconds before a power failure can be lost.
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const { dataDir, template = templatePath(), limits, onFailure } = options
  await mkdir(dataDir, { recursive: true })
  const unlock = await lockFolder(dataDir)
  try {
    const path = join(dataDir, 'cluster')
    const pool = await EmbeddedPool.open({ path, template, limits: { ...EMBEDDED_LIMITS, ...limits }, onFailure })
    const db = new Kysely<Tables>({ dialect: new ActingDialect({ pool }) })
    const endStatistics = keepStatistics(db)
    return {
      db,
      migrate: () => pool.withoutLimits(() => migrateToLatest(db)),
      close: async () => {
        await endStatistics()
        await pool.end().finally(unlock)
      },
    }
  } catch (error) {
    await unlock()
    const cause = (await isFull(dataDir, error)) ? new Error('the disk is full') : error
    throw new Error(`the embedded database in ${dataDir} cannot be opened`, { cause })
  }
}

/** Errors of PGlite's file system have their own error number and no message. */
const DISK_FULL = 51
/** What Postgres takes at a time, for a segment of its log. With less left, PGlite does not say why it cannot start. */
const ROOM_BYTES_MIN = 16 * 1024 ** 2

async function isFull(folder: string, error: unknown): Promise<boolean> {
  if ((error as { errno?: unknown }).errno === DISK_FULL) return true
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize < ROOM_BYTES_MIN
}
