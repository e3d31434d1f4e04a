import type { MessagePort } from 'node:worker_threads'
import type { PostgresQueryResult } from 'kysely'
import type { Statement } from './loan.ts'

/** What the thread of the embedded database is started with. */
export interface ThreadData {
  /** The cluster's folder; it is created when it is missing. */
  path: string
  /** Takes the rows of results, see {@link RowsAnswer}. */
  parts: MessagePort
}

/** What the thread is asked; it answers one request after the other. */
export type Request = Statement | 'close'

/** What the thread answers. The first answer says whether the database is open. */
export type Answer = { kind: 'ready' } | RowsAnswer | { kind: 'failed'; failure: Failure }

/**
 * A statement's result. The last of its rows come with it; those before were posted already, in `parts` messages of
 * {@link Part}, to the port for them.
 */
export interface RowsAnswer {
  kind: 'rows'
  command: PostgresQueryResult<unknown>['command']
  rowCount: number
  columns: Column[]
  parts: number
  last: Part
}

export interface Column {
  name: string
  /** Its type's number in Postgres. */
  type: number
}

/**
 * Some rows: their values in the order of the columns. Those of types with a parser in `values.ts` are text; JSON that is
 * long is its UTF-8 bytes, which cross without being copied and can be read in pieces.
 */
export type Part = unknown[][]

/** An error as it crosses between threads, which would keep nothing of it but its message. */
export interface Failure {
  message: string
  fields: Partial<Record<(typeof FAILURE_FIELDS)[number], unknown>>
}

/** What Postgres says about an error, and `errno` of PGlite's file system. Not the statement, which may be large. */
const FAILURE_FIELDS = [
  'name',
  'severity',
  'code',
  'detail',
  'hint',
  'position',
  'where',
  'schema',
  'table',
  'column',
  'dataType',
  'constraint',
  'routine',
  'errno',
] as const

export function toFailure(error: unknown): Failure {
  const { message, ...own } = error as Error & Failure['fields']
  const fields = FAILURE_FIELDS.filter(name => own[name] !== undefined).map(name => [name, own[name]])
  return { message: String(message), fields: Object.fromEntries(fields) }
}

export const fromFailure = ({ message, fields }: Failure): Error => Object.assign(new Error(message), fields)
