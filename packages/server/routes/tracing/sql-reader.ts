import { z } from '@spanhouse/validation'
import type { FastifyInstance } from 'fastify'
import { addEndpoint } from '../../http/endpoint.ts'
import { createSqlReader, removeSqlReader, type SqlReaders } from '../../sql-readers.ts'

const path = '/projects/current/sql-reader'
const tag = 'projects'
/** Of owners alone: who has the credentials reads everything of the project without this server. */
const permission = 'edit_organization'

export interface SqlReaderParts {
  readers: SqlReaders
  clickhouseUrl: string
}

/** A user of ClickHouse who may only read, and only this project; see `docs/sql.md`. */
export function sqlReaderRoutes({ readers, clickhouseUrl }: SqlReaderParts): (app: FastifyInstance) => void {
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
      handle: ({ principal }) => createSqlReader(readers, clickhouseUrl, principal.project_id),
    })
    addEndpoint(app, {
      method: 'DELETE',
      path,
      change: 'sql_readers.deleted',
      tag,
      permission,
      answer: z.object({ count: z.int() }),
      summary: "Removes the project's user of ClickHouse.",
      handle: async ({ principal }) => ({ count: (await removeSqlReader(readers, principal.project_id)) ? 1 : 0 }),
    })
  }
}
