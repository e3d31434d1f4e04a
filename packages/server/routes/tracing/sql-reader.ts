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
      tag,
      permission,
      isSecret: true,
      answer: z.object({ url: z.string(), database: z.string(), user: z.string(), password: z.string() }),
      summary: "Creates the project's user of ClickHouse with a new password, which replaces an earlier one.",
      handle: async ({ principal: { project_id, user_id }, request }) => {
        const credentials = await createSqlReader(readers, clickhouseUrl, project_id)
        request.log.info(
          { audit: 'sql_reader_created', project_id, user_id, user: credentials.user },
          'SQL reader created',
        )
        return credentials
      },
    })
    addEndpoint(app, {
      method: 'DELETE',
      path,
      tag,
      permission,
      answer: z.object({ count: z.int() }),
      summary: "Removes the project's user of ClickHouse.",
      handle: async ({ principal: { project_id, user_id }, request }) => {
        const isRemoved = await removeSqlReader(readers, project_id)
        request.log.info({ audit: 'sql_reader_removed', project_id, user_id, isRemoved }, 'SQL reader removed')
        return { count: isRemoved ? 1 : 0 }
      },
    })
  }
}
