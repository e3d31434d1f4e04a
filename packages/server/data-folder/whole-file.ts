import { randomUUID } from 'node:crypto'
import { link, rename, rm, writeFile } from 'node:fs/promises'

/**
 * Writes a file that only its owner may read. It appears complete or not at all: a full disk leaves no empty file,
 * which the next start would read. `isNew`: a file that exists is left as it is.
 */
export async function writeWhole(path: string, text: string, { isNew = false } = {}): Promise<void> {
  const unfinished = `${path}.${randomUUID()}`
  try {
    await writeFile(unfinished, text, { mode: 0o600 })
    await (isNew ? link(unfinished, path).catch(ignoreExisting) : rename(unfinished, path))
  } finally {
    await rm(unfinished, { force: true })
  }
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error
}
