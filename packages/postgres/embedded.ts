import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { lockFolder } from '@spanhouse/folder-lock'
import { Kysely, PGliteDialect } from 'kysely'
import type { Database, Tables } from './tables.ts'
import { VALUE_PARSERS } from './values.ts'

export interface Embedded {
  db: Database
  close(): Promise<void>
}

/**
 * Postgres inside this process, its files in `dataDir` (made when absent). A commit is in the operating system's hands
 * when it is answered, so it survives the death of the process; PGlite never calls fsync, so the last seconds before a
 * power failure are not safe.
 */
export async function openEmbedded(dataDir: string): Promise<Embedded> {
  await mkdir(dataDir, { recursive: true })
  const unlock = await lockFolder(dataDir)
  try {
    await createCluster(join(dataDir, 'cluster'))
    const pglite = await open(join(dataDir, 'cluster'))
    const db = new Kysely<Tables>({ dialect: new PGliteDialect({ pglite }) })
    return { db, close: () => close(db, pglite).finally(unlock) }
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

/** The files of a new cluster appear under their name all at once, so a death half-way leaves nothing that looks whole. */
async function createCluster(path: string): Promise<void> {
  if (existsSync(path)) return
  const unfinished = `${path}.unfinished`
  await rm(unfinished, { recursive: true, force: true })
  await (await open(unfinished)).close()
  await rename(unfinished, path)
}

/** Its own cache of pages, all of which is in memory from the start. What is not in it is in the operating system's. */
const SHARED_BUFFERS = '32MB'

const open = (path: string): Promise<PGlite> =>
  PGlite.create({
    dataDir: path,
    parsers: { ...VALUE_PARSERS },
    relaxedDurability: false,
    startParams: [...PGlite.defaultStartParams, '-c', `shared_buffers=${SHARED_BUFFERS}`],
  })

/** `destroy` waits for a running transaction and closes PGlite only where Kysely has used it. */
async function close(db: Database, pglite: PGlite): Promise<void> {
  await db.destroy()
  if (!pglite.closed) await pglite.close()
}
