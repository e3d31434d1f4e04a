import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { decodeBody, readAll } from './body.ts'
import type { Statement } from './engine.ts'
import { Exception } from './exception.ts'
import { fromFile, parseInsert } from './insert-statement.ts'
import { parseMultipart } from './multipart.ts'
import type { Spool } from './spool.ts'
import { toText } from './text.ts'

/** A request in ClickHouse's HTTP interface, read to its end. */
export interface Request {
  queryId: string
  statement: Statement
  /** Where the rows of an INSERT lie; whoever holds the request removes the file. */
  spooledPath: string | undefined
}

/** Reads the URL, the headers and the body. Throws an {@link Exception} for what the interface does not have. */
export async function readRequest(incoming: IncomingMessage, spool: Spool): Promise<Request> {
  const { headers, method } = incoming
  const fields = urlFields(incoming.url ?? '/')
  let body: AsyncIterable<Uint8Array> = decodeBody(incoming)
  const contentType = headers['content-type'] ?? ''
  if (contentType.startsWith('multipart/form-data')) {
    for (const [name, value] of parseMultipart(await readAll(body), contentType)) fields.set(name, value)
    body = concat()
  }
  const { sql, spooledPath } = await toSql(fields.get('query'), body, spool)
  const statement: Statement = {
    sql,
    format: fields.get('default_format') ?? text(headers['x-clickhouse-format']) ?? 'TabSeparated',
    database: fields.get('database') ?? text(headers['x-clickhouse-database']),
    // As in a server, a GET changes nothing.
    settings: { ...settingsOf(fields), ...(method === 'GET' && { readonly: '2' }) },
    params: paramsOf(fields),
  }
  return { queryId: fields.get('query_id') || randomUUID(), statement, spooledPath }
}

/** The statement is what the URL says, a line break and the body; only the data of an INSERT goes to a file. */
async function toSql(query: string | undefined, body: AsyncIterable<Uint8Array>, spool: Spool) {
  const start = query === undefined ? await readAll(body) : Buffer.from(`${query}\n`)
  const rest = query === undefined ? concat() : body
  const insert = parseInsert(start)
  if (insert !== undefined) {
    const spooledPath = await spool.store(concat([start.subarray(insert.dataStart)], rest))
    return { sql: fromFile(insert, spooledPath), spooledPath }
  }
  const sql = toText(await readAll(concat([start], rest)))
  if (sql.trim() === '') throw new Exception(62, 'SYNTAX_ERROR', 'Syntax error: Empty query.')
  return { sql, spooledPath: undefined }
}

async function* concat(...parts: (AsyncIterable<Uint8Array> | Uint8Array[])[]): AsyncIterable<Uint8Array> {
  for (const part of parts) yield* part
}

const paramPrefix = 'param_'

// Parameters of the interface itself; every other one is a setting.
const reserved = new Set([
  ...['query', 'query_id', 'database', 'default_format', 'user', 'password', 'role', 'quota_key', 'stacktrace'],
  ...['session_id', 'session_timeout', 'session_check', 'close_session', 'wait_end_of_query', 'buffer_size'],
])

function paramsOf(fields: Map<string, string>): Record<string, string> {
  const params = [...fields].filter(([name]) => name.startsWith(paramPrefix))
  return Object.fromEntries(params.map(([name, value]) => [name.slice(paramPrefix.length), value]))
}

function settingsOf(fields: Map<string, string>): Record<string, string> {
  return Object.fromEntries([...fields].filter(([name]) => !name.startsWith(paramPrefix) && !reserved.has(name)))
}

function urlFields(url: string): Map<string, string> {
  const search = url.slice(url.indexOf('?') + 1 || url.length)
  const pairs = search.split('&').filter(pair => pair !== '')
  return new Map(pairs.map(pair => [urlText(pair.replace(/=.*$/s, '')), urlText(pair.replace(/^[^=]*=?/, ''))]))
}

// Not URLSearchParams, which replaces bytes that are not UTF-8.
function urlText(encoded: string): string {
  try {
    return decodeURIComponent(encoded.replaceAll('+', ' '))
  } catch {
    throw new Exception(36, 'BAD_ARGUMENTS', 'The URL is not valid percent-encoded UTF-8.')
  }
}

function text(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : undefined
}
