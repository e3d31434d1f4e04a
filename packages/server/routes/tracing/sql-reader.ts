import { forgetSqlReaders, makerOfSqlReader, SQL_READER_PERMISSION } from '@spanhouse/access'
import type { Database } from '@spanhouse/postgres'
import { z } from '@spanhouse/validation'
import type { FastifyInstance } from 'fastify'
import { addEndpoint } from '../../http/endpoint.ts'
import { createSqlReader, removeSqlReader, type SqlReaders } from '../../projects/sql-readers.ts'

const path = '/projects/current/sql-reader'
const tag = 'projects'
/** Of owners alone: who has the credentials reads everything of the project without this server. */
const permission = SQL_READER_PERMISSION

export interface SqlReaderParts {
  db: Database
  readers: SqlReaders
  clickhouseUrl: string
}

/** A user of ClickHouse who may only read, and only this project; see `docs/sql.md`. */
export function sqlReaderRoutes({ db, readers, clickhouseUrl }: SqlReaderParts): (app: FastifyInstance) => void {
  return app => {
    addEndpoint(app, {
      method: 'PUT',
      path,
      change: 'sql_readers.created',
      tag,
      permission,
      isSecret: true,
      answer: z.object({ url: z.string(), database: z.string(), user: z.string(), password: z.string() }),
      summary: "Creates the project's user of ClickHouse with a new password, which replaces an earlier one.",
      handle: ({ principal }) => createSqlReader({ db, readers, clickhouseUrl }, principal),
    })
    addEndpoint(app, {
      method: 'DELETE',
      path,
      change: 'sql_readers.deleted',
      tag,
      permission,
      answer: z.object({ count: z.int() }),
      summary: "Removes the project's user of ClickHouse.",
      handle: async ({ principal: { project_id } }) => {
        const user_id = await makerOfSqlReader(db, project_id)
        const isRemoved = await removeSqlReader(readers, project_id)
        if (user_id !== undefined) await forgetSqlReaders(db, [{ project_id, user_id }])
        return { count: isRemoved ? 1 : 0 }
      },
    })
  }
}
