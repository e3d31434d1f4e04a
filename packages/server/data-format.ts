import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * The format of the data folder as a whole: which stores are in it, under which names, and what their files are. It
 * changes only when a program cannot read what an earlier one has left there; columns and tables have ledgers of their own.
 */
const DATA_FORMAT = 1

/**
 * Reads which format a data folder has, and writes it down in one that does not say. Throws an Error when the folder has
 * been made by a newer version.
 */
export async function requireFormat(dataDir: string): Promise<void> {
  const path = join(dataDir, 'format')
  const stated = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
  if (stated === undefined) return writeFile(path, `${DATA_FORMAT}\n`)
  const format = Number(stated)
  if (!Number.isSafeInteger(format) || format < 1) throw new Error(`the file ${path} does not state a format version`)
  if (format > DATA_FORMAT)
    throw new Error(
      `the folder has format ${format}, but this version of Spanhouse reads only ${DATA_FORMAT}: start a newer version`,
    )
}
