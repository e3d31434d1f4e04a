import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, gzip, zstdCompress } from 'node:zlib'
import type { Engine, Outcome, Statement } from './engine.ts'
import { toException } from './exception.ts'
import { readRequest } from './request.ts'
import type { Spool } from './spool.ts'

/**
 * ClickHouse's HTTP interface over an embedded engine, not yet listening. Anyone may do anything: users and passwords
 * are accepted unread.
 */
export function createClickHouseServer(engine: Engine, spool: Spool): Server {
  const server = createServer({ maxHeaderSize: urlBytesMax, requestTimeout: 0 }, (incoming, response) => {
    // A client that goes away is no concern of the statement it started.
    response.on('error', () => undefined)
    // Connections that idle from now on would keep a server that ends.
    response.on('close', () => server.listening || server.closeIdleConnections())
    void answer(engine, spool, incoming, response)
  })
  server.keepAliveTimeout = 30_000
  return server
}

// The server's http_max_uri_size.
const urlBytesMax = 2 ** 20

async function answer(engine: Engine, spool: Spool, incoming: IncomingMessage, response: ServerResponse) {
  try {
    if (isLivenessCheck(incoming)) return response.end('Ok.\n')
    const { queryId, statement, spooledPath } = await readRequest(incoming, spool)
    response.setHeader('X-ClickHouse-Query-Id', queryId)
    try {
      const outcome = await engine.run(statement)
      await answerOutcome(incoming, response, statement, outcome, spooledPath !== undefined)
    } finally {
      if (spooledPath !== undefined) await spool.remove(spooledPath)
    }
  } catch (error) {
    answerError(incoming, response, error)
  }
}

function isLivenessCheck({ method, url = '/' }: IncomingMessage): boolean {
  return url === '/ping' || url === '/replicas_status' || (method === 'GET' && url === '/')
}

async function answerOutcome(
  incoming: IncomingMessage,
  response: ServerResponse,
  statement: Statement,
  outcome: Outcome,
  isInsert: boolean,
) {
  const format = formatOf(statement)
  response.setHeader('X-ClickHouse-Format', format)
  response.setHeader('X-ClickHouse-Timezone', 'UTC')
  response.setHeader('X-ClickHouse-Summary', JSON.stringify(summaryOf(outcome, isInsert)))
  response.setHeader('Content-Type', contentTypes[format] ?? 'text/plain; charset=UTF-8')
  const encoding = responseEncoding(incoming, statement)
  if (encoding === undefined) return response.end(outcome.bytes)
  response.setHeader('Content-Encoding', encoding)
  response.end(await encoders[encoding](outcome.bytes))
}

function answerError(incoming: IncomingMessage, response: ServerResponse, error: unknown) {
  if (response.headersSent) return response.destroy()
  const exception = toException(error)
  response.statusCode = exception.status
  response.setHeader('Content-Type', 'text/plain; charset=UTF-8')
  response.setHeader('X-ClickHouse-Exception-Code', exception.code)
  // The rest of a body that was not read would be taken for the next request.
  if (!incoming.complete) response.setHeader('Connection', 'close')
  response.end(exception.text)
}

/** The engine tells only its own side: what an INSERT from SELECT or VALUES wrote is not known and left out. */
function summaryOf({ rows, rowBytes, elapsedSeconds }: Outcome, isInsert: boolean): Record<string, string> {
  const counts = { rows: String(rows), bytes: String(rowBytes) }
  return {
    read_rows: counts.rows,
    read_bytes: counts.bytes,
    ...(isInsert && { written_rows: counts.rows, written_bytes: counts.bytes }),
    ...(!isInsert && { result_rows: counts.rows, result_bytes: counts.bytes }),
    elapsed_ns: String(Math.round(elapsedSeconds * 1e9)),
  }
}

/** Of a statement that names a format it is the last thing but settings. */
function formatOf({ sql, format }: Statement): string {
  return /\bFORMAT\s+(\w+)\s*(?:SETTINGS\b[^;]*)?;?\s*$/i.exec(sql)?.[1] ?? format
}

const contentTypes: Record<string, string> = {
  JSON: 'application/json; charset=UTF-8',
  JSONEachRow: 'application/x-ndjson; charset=UTF-8',
  JSONCompactEachRow: 'application/x-ndjson; charset=UTF-8',
  TabSeparated: 'text/tab-separated-values; charset=UTF-8',
  CSV: 'text/csv; charset=UTF-8; header=absent',
  RowBinary: 'application/octet-stream',
  Native: 'application/octet-stream',
}

const encoders = { gzip: promisify(gzip), zstd: promisify(zstdCompress), br: promisify(brotliCompress) }

function responseEncoding({ headers }: IncomingMessage, { settings }: Statement): keyof typeof encoders | undefined {
  if (settings.enable_http_compression !== '1') return undefined
  const accepted = String(headers['accept-encoding'] ?? '').split(/\s*,\s*/)
  return (['gzip', 'zstd', 'br'] as const).find(encoding => accepted.includes(encoding))
}
