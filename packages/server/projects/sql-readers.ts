import { createHash, randomBytes } from 'node:crypto'
import {
  findLostSqlReaders,
  forgetSqlReaders,
  type MadeSqlReader,
  makerOfSqlReader,
  noteSqlReader,
} from '@spanhouse/access'
import { type ClickHouseServer, TooManyRestarts } from '@spanhouse/clickhouse-server'
import { Problem, type Uuid } from '@spanhouse/model'
import type { Database } from '@spanhouse/postgres'
import {
  createReaderStatements,
  createViewStatements,
  dropReaderStatements,
  dropViewsStatement,
  type Engine,
  hasUser,
  type ProjectReader,
  projectReader,
  readerName,
  readersAmong,
  runStatements,
} from '@spanhouse/span-store'
import type { ClickHousePart } from '../parts.ts'

/** Makes and removes ClickHouse's users who may read one project each. */
export interface SqlReaders {
  /** Makes a reader, or replaces its password. */
  set(reader: ProjectReader, passwordSha256: string): Promise<void>
  /** False if there is none. */
  remove(name: string): Promise<boolean>
}

/** Readers of our own server, in its configuration. Throws a Problem `too_many_requests` if many were made in a row. */
const ownReaders = (server: Pick<ClickHouseServer, 'setReader' | 'removeReader'>, engine: Engine): SqlReaders => ({
  set: async (reader, passwordSha256) => {
    await server.setReader({ ...reader, passwordSha256 }).catch((error: unknown) => {
      if (!(error instanceof TooManyRestarts)) throw error
      const retryAfterSeconds = Math.ceil(error.waitMs / 1000)
      throw new Problem('too_many_requests', error.message, { retryAfterSeconds })
    })
    await runStatements(engine, createViewStatements(reader))
  },
  remove: async name => {
    const isKnown = await server.removeReader(name)
    await runStatements(engine, [dropViewsStatement(name)])
    return isKnown
  },
})

/**
 * Readers of a server with users of its own. Throws a Problem `unsupported` (501) if our user may not create users
 * there.
 */
export const serverReaders = (engine: Engine): SqlReaders => ({
  set: (reader, passwordSha256) =>
    withAccess(() => runStatements(engine, createReaderStatements(reader, passwordSha256))),
  remove: name =>
    withAccess(async () => {
      const isKnown = await hasUser(engine, name)
      await runStatements(engine, dropReaderStatements(name))
      return isKnown
    }),
})

/**
 * A cluster's readers are created by its operator: policies hold on other servers only if these know the reader, which
 * takes a `secret` in `remote_servers` that cannot be seen from here.
 */
const clusterReaders: SqlReaders = { set: unavailable, remove: unavailable }

function unavailable(): Promise<never> {
  return Promise.reject(new Problem('unsupported', 'Readers of a cluster are created in ClickHouse: see docs/sql.md.'))
}

/** ClickHouse's codes for a missing right, and for users that can only be configured in files. */
const NO_ACCESS = new Set(['497', '514'])

async function withAccess<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!NO_ACCESS.has((error as NodeJS.ErrnoException).code ?? '')) throw error
    throw new Problem(
      'unsupported',
      'The user in CLICKHOUSE_URL may not create users or databases: it needs access_management.',
    )
  }
}

/** Those of the ClickHouse that this process uses. */
export function readersOf({ own, shards }: ClickHousePart, engine: Engine): SqlReaders {
  if (shards) return clusterReaders
  return own ? ownReaders(own, engine) : serverReaders(engine)
}

/** What a reader connects with. */
export interface ReaderCredentials {
  /** ClickHouse over HTTP, without user and password. */
  url: string
  database: string
  user: string
  /** Shown once; only its hash is kept. */
  password: string
}

/**
 * Makes the reader of a project with a new password; an earlier one is no longer valid. Who made a reader is noted
 * before, and the reader of someone else is removed before that: a note is right also after a crash.
 */
export async function createSqlReader(
  { db, readers, clickhouseUrl }: { db: Database; readers: SqlReaders; clickhouseUrl: string },
  { project_id, user_id }: MadeSqlReader,
): Promise<ReaderCredentials> {
  const reader = projectReader(project_id)
  if ((await makerOfSqlReader(db, project_id)) !== user_id) {
    await readers.remove(reader.name)
    await noteSqlReader(db, { project_id, user_id })
  }
  const password = randomBytes(24).toString('base64url')
  await readers.set(reader, createHash('sha256').update(password).digest('hex'))
  return { url: new URL(clickhouseUrl).origin, database: reader.name, user: reader.name, password }
}

/** Removes the reader of a project; its credentials are no longer valid. False if there is none. */
export const removeSqlReader = (readers: SqlReaders, project_id: Uuid): Promise<boolean> =>
  readers.remove(readerName(project_id))

/**
 * Removes the readers of deleted projects: nobody else can any more. Those that our user may not remove are left to the
 * operator, who made them.
 */
export async function removeReadersOf(
  { engine, readers }: { engine: Engine; readers: SqlReaders },
  project_ids: readonly Uuid[],
): Promise<void> {
  for (const name of await readersAmong(engine, project_ids.map(readerName)))
    await readers.remove(name).catch(error => {
      if (!(error instanceof Problem) || error.code !== 'unsupported') throw error
    })
}

/** Removes readers whose password is known to a user who is no longer an owner, by whatever way they ceased to be. */
export async function removeReadersOfFormerOwners(
  db: Database,
  stores: { engine: Engine; readers: SqlReaders },
): Promise<void> {
  const lost = await findLostSqlReaders(db)
  if (lost.length === 0) return
  const projects = lost.map(({ project_id }) => project_id)
  await removeReadersOf(stores, projects)
  await forgetSqlReaders(db, lost)
}
