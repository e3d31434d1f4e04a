import type { MessagePort } from 'node:worker_threads'
import type { PostgresQueryResult } from 'kysely'
import type { Statement } from './loan.ts'

/** The start parameters of the thread of the embedded database. */
export interface ThreadData {
  /** The cluster's folder; created if missing. */
  path: string
  /** The folder of the cluster that a new one is copied from, if it exists. */
  template: string
  /** Receives the rows of results, see {@link RowsAnswer}. */
  parts: MessagePort
}

/** The requests to the thread; it answers one after the other. */
export type Request = Statement | 'close'

/** The thread's responses. The first one reports whether the database is open. */
export type Answer = { kind: 'ready' } | RowsAnswer | { kind: 'failed'; failure: Failure }

/**
 * A statement's result with its last rows; the earlier ones were already posted to the row port, in `parts` messages of
 * {@link Part}.
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
  /** The type's OID in Postgres. */
  type: number
}

/**
 * Some rows: their values in column order. Values of types with a parser in `values.ts` are text; long JSON is passed
 * as its UTF-8 bytes, which are transferred without copying and can be parsed in pieces.
 */
export type Part = unknown[][]

/** An error in a form that survives structured cloning, which would keep only its message. */
export interface Failure {
  message: string
  fields: Partial<Record<(typeof FAILURE_FIELDS)[number], unknown>>
}

/** Postgres' fields of an error, and `errno` of PGlite's file system. Without the statement, which may be large. */
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
