import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { Exception, toException } from './exception.ts'

/** One statement with everything that applies to it alone. */
export interface Statement {
  sql: string
  /** Output format where the text names none. */
  format: string
  database: string | undefined
  /** Values as text, as in a URL: the engine converts them. */
  settings: Record<string, string>
  /** Values of `{name:Type}`, escaped as in TabSeparated: what clients send. */
  params: Record<string, string>
}

/** What a statement returned. */
export interface Outcome {
  bytes: Uint8Array
  /** Rows of the result; for an INSERT that reads a file, rows written. */
  rows: number
  /** Size of those rows in the engine's memory. */
  rowBytes: number
  elapsedSeconds: number
}

type Connection = object

// The part of chdb's native binding that is used. The package's own Session runs statements with parameters one at a
// time in the whole process and escapes their values a second time; README.md has the measurements.
interface Binding {
  CreateConnection(path: string): Connection
  CloseConnection(connection: Connection): void
  QueryAsyncConnection(
    connection: Connection,
    sql: string,
    format: string,
    params: Record<string, string>,
  ): Promise<{ bytes: Uint8Array; elapsed: number; rowsRead: number; bytesRead: number }>
  DurableClassifyAsync(connection: Connection, sql: string, database: string): Promise<{ statementCount: number }>
}

const runningMax = 16
const waitingMax = 1_000

/**
 * The embedded engine, shared by any number of callers. Every statement runs on a connection of its own, opened for it
 * and closed after it: neither settings, the current database nor the remains of a failed result reach the next one.
 */
export class Engine {
  #binding = loadBinding()
  #path: string
  // The engine lives as long as one connection does.
  #anchor: Connection
  #running = 0
  #waiting: (() => void)[] = []

  /** Opens or creates the database in this folder. One process a folder, one folder a process. */
  constructor(path: string) {
    this.#path = path
    this.#anchor = this.#binding.CreateConnection(path)
  }

  /** Runs one statement off the event loop. Throws an {@link Exception}; never returns part of a result. */
  async run(statement: Statement): Promise<Outcome> {
    await this.#enter()
    try {
      return await this.#runAlone(statement)
    } catch (error) {
      throw toException(error)
    } finally {
      this.#leave()
    }
  }

  /** Releases the folder. Call it when no statement is running. */
  close(): void {
    this.#binding.CloseConnection(this.#anchor)
  }

  async #runAlone(statement: Statement): Promise<Outcome> {
    const connection = this.#binding.CreateConnection(this.#path)
    try {
      return await this.#runOn(connection, statement)
    } finally {
      this.#binding.CloseConnection(connection)
    }
  }

  async #runOn(connection: Connection, { sql, format, database, settings, params }: Statement): Promise<Outcome> {
    if (database !== undefined) await this.#query(connection, `USE ${quote(database, '`')}`)
    await this.#query(connection, setStatement(settings))
    const { statementCount } = await this.#binding.DurableClassifyAsync(connection, sql, 'default')
    if (statementCount > 1) throw new Exception(62, 'SYNTAX_ERROR', 'Syntax error: Multi-statements are not allowed.')
    const { bytes, elapsed, rowsRead, bytesRead } = await this.#query(connection, sql, format, params)
    return { bytes, rows: rowsRead, rowBytes: bytesRead, elapsedSeconds: elapsed }
  }

  #query(connection: Connection, sql: string, format = 'Null', params: Record<string, string> = {}) {
    return this.#binding.QueryAsyncConnection(connection, sql, format, params)
  }

  async #enter(): Promise<void> {
    if (this.#running < runningMax) {
      this.#running += 1
      return
    }
    if (this.#waiting.length >= waitingMax) {
      const text = `Too many simultaneous queries. Maximum: ${runningMax + waitingMax}.`
      throw new Exception(202, 'TOO_MANY_SIMULTANEOUS_QUERIES', text)
    }
    await new Promise<void>(resolve => this.#waiting.push(resolve))
  }

  /** Hands the place to whoever waits longest. */
  #leave(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#running -= 1
    else next()
  }
}

function setStatement(settings: Record<string, string>): string {
  const assignments = Object.entries(settings).map(([name, value]) => `${settingName(name)} = ${quote(value, "'")}`)
  // On in the embedded engine, off in a server: without it `5` is not a statement.
  return `SET ${['implicit_select = 0', ...assignments].join(', ')}`
}

function settingName(name: string): string {
  if (/^\w+$/.test(name)) return name
  throw new Exception(115, 'UNKNOWN_SETTING', `Unknown setting '${name}'.`)
}

function quote(text: string, mark: '`' | "'"): string {
  return mark + text.replaceAll('\\', '\\\\').replaceAll(mark, `\\${mark}`) + mark
}

function loadBinding(): Binding {
  const require = createRequire(import.meta.url)
  // By its file, since the package's list of exports leaves it out.
  return require(join(dirname(require.resolve('chdb/package.json')), 'dist/loader.js')).loadNative()
}
