import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setModes, templatePath } from './embedded/template.ts'

/*
 * Makes the cluster that new data folders begin with, unless it is there. It is a `prepare` step of `npm ci`; several
 * processes may do it at once.
 */

const HOUR_MS = 3_600_000

const template = templatePath()
if (!existsSync(template)) await make()

async function make(): Promise<void> {
  const { openPostgres } = await import('./postgres.ts')
  const dist = dirname(template)
  await mkdir(dist, { recursive: true })
  for (const name of await readdir(dist)) if (await isLeft(join(dist, name))) await remove(join(dist, name))
  const own = await mkdtemp(join(dist, 'unfinished-'))
  try {
    const postgres = await openPostgres({ dataDir: own, template: '' })
    await postgres.migrate()
    await postgres.close()
    const cluster = join(own, 'cluster')
    // There is nothing in it to hide, and who starts the program may be another user.
    setModes(cluster, { folders: 0o755, files: 0o644 })
    await rename(cluster, template).catch(error => {
      if (!existsSync(template)) throw error
    })
  } finally {
    await remove(own)
  }
}

/** Of an earlier version, or by a process that was killed: what changed within an hour may be the work of another one. */
async function isLeft(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  return found !== undefined && Date.now() - found.mtimeMs > HOUR_MS
}

function remove(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true })
}
