import { randomUUID } from 'node:crypto'
import { Agent, type IncomingMessage, request } from 'node:http'
import { request as requestTls, Agent as TlsAgent } from 'node:https'
import type { Usage } from './usage.ts'

/** Settings of ClickHouse by name. */
export type Settings = Readonly<Record<string, string | number>>

/** An error that ClickHouse itself returned for a statement, with its numeric code. */
class ClickHouseError extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/** A response being received. ClickHouse starts it once the statement has succeeded. */
export interface Answer {
  /** For example `RowBinary`; undefined if the response is not from ClickHouse or has no rows. */
  format: string | undefined
  /** Must be read to the end; abandoning it closes the connection. */
  chunks: AsyncIterable<Buffer>
}

export interface HttpClientOptions {
  connections: number
  /** A server that sends nothing for this long is given up. */
  silentMs: number
  /** Settings sent with every statement. */
  settings: Settings
}

/** Rows that are sent with a statement, which reads them as a table. */
export interface SentTable {
  readonly name: string
  /** Names and types of its columns, as in CREATE TABLE. */
  readonly structure: string
  /** In RowBinary format. */
  readonly rows: readonly Buffer[]
}

export interface SentWith {
  /** The id with which the statement can be ended. */
  queryId?: string
  /** The data to insert. */
  data?: Buffer
  /** They prevail over those that are sent with every statement. */
  settings?: Settings
  /** A table that exists for the statement alone. */
  table?: SentTable | undefined
  /** Aborts the request. */
  signal?: AbortSignal | undefined
  /** To count what the statement reads. */
  usage?: Usage | undefined
}

/**
 * ClickHouse's HTTP interface at an address, with user, password and database. Written by hand because every query
 * passes through it: see DECISIONS.md.
 */
export class HttpClient {
  readonly #url: URL
  readonly #headers: Record<string, string>
  readonly #agent: Agent
  readonly #options: HttpClientOptions

  constructor(address: string, options: HttpClientOptions) {
    const { username, password, pathname, origin } = partsOf(address)
    this.#url = new URL(origin)
    setAll(this.#url, options.settings)
    const database = decodeURIComponent(pathname.slice(1))
    if (database) this.#url.searchParams.set('database', database)
    this.#headers = { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` }
    this.#agent = new (this.#isTls ? TlsAgent : Agent)({ keepAlive: true, maxSockets: options.connections })
    this.#options = options
  }

  /** Of the server: scheme, host and port. */
  get origin(): string {
    return this.#url.origin
  }

  /** Returns the whole response. Rejects as {@link open} does. */
  async send(statement: string, given: SentWith = {}): Promise<Buffer> {
    return bytesOf((await this.open(statement, given)).chunks)
  }

  /** Rejects with a ClickHouseError, or with another Error if ClickHouse did not respond. */
  open(statement: string, { queryId, data, settings, table, signal, usage }: SentWith = {}): Promise<Answer> {
    const url = new URL(this.#url)
    setAll(url, settings)
    if (queryId) url.searchParams.set('query_id', queryId)
    const form = table && new TableForm(table)
    if (data || form) url.searchParams.set('query', statement)
    for (const [name, value] of form?.parameters ?? []) url.searchParams.set(name, value)
    const { silentMs } = this.#options
    const sent = {
      method: 'POST',
      headers: { ...this.#headers, ...form?.headers },
      agent: this.#agent,
      timeout: silentMs,
      ...(signal && { signal }),
    }
    return new Promise((resolve, reject) => {
      const post = (this.#isTls ? requestTls : request)(url, sent, response => {
        readAnswer(response, usage).then(resolve, reject)
      })
      post.on('timeout', () => post.destroy(silent(silentMs)))
      post.on('error', reject)
      for (const piece of form?.body ?? []) post.write(piece)
      // In one piece, so that its length is known and a statement and its headers fit one packet.
      post.end(form ? undefined : (data ?? statement))
    })
  }

  /** Aborts requests in progress. */
  close(): void {
    this.#agent.destroy()
  }

  get #isTls(): boolean {
    return this.#url.protocol === 'https:'
  }
}

/** A table as ClickHouse takes it beside a statement: a file of a form, described by parameters. */
class TableForm {
  readonly parameters: readonly (readonly [string, string])[]
  readonly headers: Record<string, string>
  readonly body: readonly Buffer[]

  constructor({ name, structure, rows }: SentTable) {
    const boundary = randomUUID()
    this.parameters = [
      [`${name}_format`, 'RowBinary'],
      [`${name}_structure`, structure],
    ]
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${name}"; filename="${name}"\r\n\r\n`
    this.body = [Buffer.from(head), ...rows, Buffer.from(`\r\n--${boundary}--\r\n`)]
    this.headers = {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': String(this.body.reduce((sum, { length }) => sum + length, 0)),
    }
  }
}

function setAll(url: URL, settings: Settings = {}): void {
  for (const [name, value] of Object.entries(settings)) url.searchParams.set(name, String(value))
}

const silent = (silentMs: number): Error =>
  Object.assign(new Error(`ClickHouse sent nothing for ${silentMs / 1000} s`), { code: 'ETIMEDOUT' })

function partsOf(address: string): { username: string; password: string; pathname: string; origin: string } {
  const { username, password, pathname, origin } = new URL(address)
  return {
    username: decodeURIComponent(username) || 'default',
    password: decodeURIComponent(password),
    pathname,
    origin,
  }
}

async function readAnswer(response: IncomingMessage, usage: Usage | undefined): Promise<Answer> {
  const summary = response.headers['x-clickhouse-summary']
  if (typeof summary === 'string') usage?.addSummary(summary)
  const code = response.headers['x-clickhouse-exception-code'] as string | undefined
  if (response.statusCode === 200 && code === undefined)
    return { format: response.headers['x-clickhouse-format'] as string | undefined, chunks: response }
  throw errorOf((await bytesOf(response)).toString(), code)
}

async function bytesOf(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const read: Buffer[] = []
  for await (const chunk of chunks) read.push(chunk)
  return read.length === 1 ? (read[0] as Buffer) : Buffer.concat(read)
}

/** How a ClickHouse error message starts. */
const EXCEPTION = /Code: (\d{1,9})\. DB::Exception: /
/** How a ClickHouse error message ends. */
const VERSION = ' (version '
/** Maximum length quoted from a response that is not from ClickHouse. */
const OTHER_WORDS_LENGTH_MAX = 500

function errorOf(text: string, code: string | undefined): Error {
  const exception = EXCEPTION.exec(text)
  if (exception) {
    const message = text.slice(exception.index + exception[0].length).trimEnd()
    const version = message.endsWith(')') ? message.lastIndexOf(VERSION) : -1
    return new ClickHouseError(exception[1] as string, version < 0 ? message : message.slice(0, version))
  }
  if (code) return new ClickHouseError(code, text)
  return new Error(text.slice(0, OTHER_WORDS_LENGTH_MAX) || 'an empty response')
}
