import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Elements, toXml } from './xml.ts'

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

const NAME = /^[a-z]\w*$/

/** ClickHouse adds the files of this folder to its users, so each reader has one. */
const fileOf = (folder: string, name: string): string => {
  if (!NAME.test(name)) throw new TypeError(`not the name of a reader: ${name}`)
  return join(folder, 'users.d', `${name}.xml`)
}

/** Stores a reader, in place of the one with its name. The file is readable only by the owner and is always whole. */
export async function writeReader(folder: string, reader: Reader): Promise<void> {
  const file = fileOf(folder, reader.name)
  await mkdir(join(folder, 'users.d'), { recursive: true, mode: 0o700 })
  await writeFile(`${file}.new`, toXml({ users: { [reader.name]: elementsOf(reader) } }), { mode: 0o600 })
  await rename(`${file}.new`, file)
}

/** Removes a reader. False if there is none. */
export async function deleteReader(folder: string, name: string): Promise<boolean> {
  try {
    await rm(fileOf(folder, name))
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

function elementsOf({ passwordSha256, tables, conditions }: Reader): Elements {
  const filters = Object.entries(conditions).map(([table, filter]) => [table, { filter }])
  return {
    password_sha256_hex: passwordSha256,
    networks: { ip: '127.0.0.1' },
    profile: 'reader',
    quota: 'default',
    grants: { query: `GRANT ${tables.map(table => `SELECT ON default.${table}`).join(', ')}` },
    databases: { default: Object.fromEntries(filters) },
  }
}
