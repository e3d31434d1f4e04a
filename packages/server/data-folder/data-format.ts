import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeWhole } from './whole-file.ts'

/**
 * The format of the data folder as a whole: which stores it contains, their names, and the format of their files. It
 * changes only if a program cannot read what an earlier one wrote; columns and tables have their own ledgers.
 */
const DATA_FORMAT = 1

/**
 * Checks the format of a data folder, and records it in a folder without one. Throws an Error if a newer version
 * created the folder.
 */
export async function requireFormat(dataDir: string): Promise<void> {
  const path = join(dataDir, 'format')
  const stated = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
  if (stated === undefined) return writeWhole(path, `${DATA_FORMAT}\n`)
  const format = Number(stated)
  if (!Number.isSafeInteger(format) || format < 1) throw new Error(`the file ${path} does not state a format version`)
  if (format > DATA_FORMAT)
    throw new Error(
      `the folder has format ${format}, but this version of Spanhouse reads only ${DATA_FORMAT}: start a newer version`,
    )
}
