import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A user who may only read: some tables and views, and of some tables only the rows that satisfy a condition. */
export interface Reader {
  /** A letter, then letters, digits and underscores. */
  name: string
  passwordSha256: string
  /** Tables and views of the default database. */
  tables: readonly string[]
  /** By table: a condition of ClickHouse's SQL. */
  conditions: Readonly<Record<string, string>>
}

/** Beside the configuration: readers survive a restart, the configuration is written anew. */
const FILE = 'readers.json'

/** The readers that were stored in the folder of a server's configuration. */
export async function storedReaders(folder: string): Promise<Reader[]> {
  try {
    return JSON.parse(await readFile(join(folder, FILE), 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/** Replaces the stored readers. The file is readable only by the owner and is always whole. */
export async function storeReaders(folder: string, readers: readonly Reader[]): Promise<void> {
  const file = join(folder, FILE)
  await writeFile(`${file}.new`, JSON.stringify(readers), { mode: 0o600 })
  await rename(`${file}.new`, file)
}
