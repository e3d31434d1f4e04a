import { createHash } from 'node:crypto'
import { chmodSync, constants, cpSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { MIGRATIONS_DIR } from '../migrations-dir.ts'

const DIST = join(import.meta.dirname, '..', 'dist')

/**
 * Where `build.ts` puts a cluster that has all migrations and no rows. New clusters are copies of it, since making one
 * takes much longer. The name says what it was made by: with other migrations or another PGlite it is not found.
 */
export function templatePath(): string {
  const pglite = createRequire(import.meta.url).resolve('@electric-sql/pglite')
  const hash = createHash('sha256').update(readFileSync(join(dirname(pglite), '..', 'package.json')))
  for (const name of readdirSync(MIGRATIONS_DIR).toSorted())
    hash.update(name).update(readFileSync(join(MIGRATIONS_DIR, name)))
  return join(DIST, `cluster-${hash.digest('hex').slice(0, 16)}`)
}

/** Copies a template to `path`, where only the owner has access to it, as to all files of the embedded database. */
export function copyTemplate(template: string, path: string): void {
  // The asynchronous one takes five times as long for these thousand files.
  cpSync(template, path, { recursive: true, mode: constants.COPYFILE_FICLONE })
  setModes(path, { folders: 0o700, files: 0o600 })
}

/** Sets the permissions of a folder and of all that is in it. */
export function setModes(path: string, modes: { folders: number; files: number }): void {
  for (const entry of readdirSync(path, { recursive: true, withFileTypes: true }))
    chmodSync(join(entry.parentPath, entry.name), entry.isDirectory() ? modes.folders : modes.files)
  chmodSync(path, modes.folders)
}
