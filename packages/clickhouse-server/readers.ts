import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Elements, toXml } from './xml.ts'

/**
 * A user who may read one database alone, whose views have the rights of their definer. Nobody can connect as the
 * definer, who may read tables and views of the default database, and of some tables only the rows that satisfy a
 * condition. With rights on the tables themselves, a user reads more than the rows: functions such as
 * `mergeTreeTextIndex` show what is in a table's indexes, whatever the conditions.
 */
export interface Reader {
  /** A letter, then letters, digits and underscores; also the name of the database. */
  name: string
  passwordSha256: string
  definer: string
  /** What the definer may read. */
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
  await writeFile(`${file}.new`, toXml({ users: usersOf(reader) }), { mode: 0o600 })
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

function usersOf({ name, passwordSha256, definer, tables, conditions }: Reader): Elements {
  const filters = Object.entries(conditions).map(([table, filter]) => [table, { filter }])
  const limits = { profile: 'reader', quota: 'default' }
  return {
    [name]: {
      password_sha256_hex: passwordSha256,
      networks: { ip: '127.0.0.1' },
      ...limits,
      grants: { query: `GRANT SELECT ON ${name}.*` },
    },
    [definer]: {
      no_password: '',
      // From nowhere.
      networks: '',
      ...limits,
      grants: { query: `GRANT ${tables.map(table => `SELECT ON default.${table}`).join(', ')}` },
      databases: { default: Object.fromEntries(filters) },
    },
  }
}
