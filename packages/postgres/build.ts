import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setModes, templatePath } from './embedded/template.ts'

/*
 * Makes the cluster that new data folders begin with, unless it is there. It is a `prepare` step of `npm ci`; several
 * processes may do it at once.
 */

const template = templatePath()
if (!existsSync(template)) await make()

async function make(): Promise<void> {
  const { openPostgres } = await import('./postgres.ts')
  const dist = dirname(template)
  await mkdir(dist, { recursive: true })
  for (const earlier of await readdir(dist)) await rm(join(dist, earlier), { recursive: true, force: true })
  const own = await mkdtemp(join(dist, 'unfinished-'))
  const postgres = await openPostgres({ dataDir: own, template: '' })
  await postgres.migrate()
  await postgres.close()
  const cluster = join(own, 'cluster')
  // There is nothing in it to hide, and who starts the program may be another user.
  setModes(cluster, { folders: 0o755, files: 0o644 })
  await rename(cluster, template).catch(error => {
    if (!existsSync(template)) throw error
  })
  await rm(own, { recursive: true, force: true })
}
