import { randomUUID } from 'node:crypto'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { threadId } from 'node:worker_threads'
import {
  type ClickHouseClient,
  type ClickHouseClientConfigOptions,
  ClickHouseLogLevel,
  type ClickHouseSettings,
  createClient,
} from '@clickhouse/client'
import { Problem } from '@spanhouse/model'
import { parseRows, readRows } from './answers.ts'
import { cancellation } from './cancellation.ts'
import { toProblem, unreachable } from './failures.ts'
import { inlineParams, quote } from './literals.ts'
import type { RowReader } from './row-reader.ts'

/** SQL text with `{name:Type}` placeholders and their values. */
export interface Statement {
  text: string
  params: Record<string, unknown>
}

/** Where ClickHouse is: a server's address, or a folder for the engine inside this process. */
export type EngineLocation = { url: string } | { path: string }

/** Where bytes are counted while they are in memory. */
export interface Holder {
  /** So many bytes are about to be kept. Throws a Problem when there is no room for them. */
  hold(bytes: number): void
  /** So many of them are kept no more. */
  release(bytes: number): void
}

/**
 * A bounded set of connections to ClickHouse. Statements beyond that number wait; one that waits longer than
 * `queueMs` is refused with a Problem `overloaded`, so that nothing piles up.
 */
export interface Engine {
  /** By which run of a writer its writes are sent (see `beginRun`); undefined where there is only one writer. */
  readonly run?: number
  /**
   * All rows of a SELECT as objects. Refuses with a Problem: `query_timeout`, `query_limit`, `overloaded`; never a part of
   * them.
   */
  rows<Row>(statement: Statement): Promise<Row[]>
  /**
   * The same with values as bytes instead of JSON: `read` takes those of one row, each as its column has it. The bytes are
   * told to `holder` as they come; what it throws ends the statement.
   */
  binaryRows<Row>(statement: Statement, read: (row: RowReader) => Row, holder?: Holder): Promise<Row[]>
  command(statement: Statement): Promise<void>
  /**
   * Inserts rows in RowBinary format: one atomic block as long as they stay under 256 MB. The bytes must not change
   * before it resolves.
   */
  insert(table: string, columns: readonly string[], rowBinary: Buffer): Promise<void>
  /**
   * Resolves when no write of these runs (its own when left out) is under way any more: a server goes on with a
   * statement when its client is gone. Whoever writes on after a failure must wait for this.
   */
  endWrites(runs?: readonly number[]): Promise<void>
  close(): Promise<void>
}

interface Connection {
  client: ClickHouseClient
  /** Go with every statement; undefined where the connection itself has them. */
  settings: ClickHouseSettings | undefined
  /** What of a statement goes into the text and what beside it. */
  print(statement: Statement): { query: string; query_params?: Record<string, unknown> }
  /** Whether it was ClickHouse that answered in RowBinary: bytes of anybody else could be read as rows. */
  isAnswer(headers: { [name: string]: unknown }): boolean
  /** Ends a read that nobody waits for any more; undefined where statements cannot be ended. */
  cancelled(): AbortSignal | undefined
  /** The id for a statement that writes; undefined where a statement ends with its process. */
  writeId(): string | undefined
  insert(table: string, columns: readonly string[], rowBinary: Buffer): Promise<void>
  close(): Promise<void>
}

export interface EngineOptions {
  connections: number
  run?: number
  queueMs?: number
  /** A server that says nothing for so long is away: a Problem `overloaded`. Two minutes when left out. */
  silentMs?: number
  /** For all statements. There are none for single statements: the embedded engine would keep them. */
  settings?: ClickHouseSettings
}

export async function openEngine(location: EngineLocation, options: EngineOptions): Promise<Engine> {
  const settings = { ...SESSION_SETTINGS, ...options.settings }
  const open =
    'url' in location ? networked(location.url, { ...options, settings }) : await embedded(location.path, settings)
  const connections = await Promise.all(Array.from({ length: options.connections }, () => open()))
  return new PooledEngine(connections, open, options)
}

const SESSION_SETTINGS: ClickHouseSettings = {
  // Integers here stay below 2^53 and decimals are read as text where they matter.
  output_format_json_quote_64bit_integers: 0,
  // Where parameters are part of the text, it may be long; what may be asked for is bounded before.
  max_query_size: String(256 * 1024 ** 2),
  // A DELETE then costs what an UPDATE does, and rewrites no part.
  lightweight_delete_mode: 'lightweight_update_force',
}

/** The index on texts is made when parts are merged: once, in the background, and not for each insert. */
const INSERT_SETTINGS = "exclude_materialize_skip_indexes_on_insert = 'by_text'"

/** Statements that write are known to the server by this beginning of their id. */
const WRITE_ID = 'spanhouse-write-'
const runId = (run: number): string => `${WRITE_ID}${run}-`

const SILENT_MS = 120_000

function networked(url: string, { run = 0, silentMs = SILENT_MS, settings }: EngineOptions): () => Promise<Connection> {
  const writeId = (): string => runId(run) + randomUUID()
  return async () => {
    const client = createClient({
      url,
      request_timeout: silentMs,
      // What fails in the middle of its result then fails with a status, before a byte of it is sent.
      // A read ends when its client is gone.
      clickhouse_settings: { wait_end_of_query: 1, cancel_http_readonly_queries_on_client_close: 1 },
      max_open_connections: 1,
      // Long parameters do not fit into a URL.
      use_multipart_params_auto: true,
      // Errors are thrown to whoever asked; they say there what they meant.
      log: { level: ClickHouseLogLevel.OFF },
    })
    return {
      client,
      settings,
      print: ({ text, params }) => ({ query: text, query_params: params }),
      isAnswer: headers => headers['x-clickhouse-format'] === 'RowBinary',
      cancelled: cancellation,
      writeId,
      insert: async (table, columns, rowBinary) => {
        const { stream } = await client.exec({
          query: `INSERT INTO ${table} (${columns.join(', ')}) SETTINGS ${INSERT_SETTINGS} FORMAT RowBinary`,
          query_id: writeId(),
          values: Readable.from([rowBinary], { objectMode: false }),
        })
        await text(stream)
      },
      close: () => client.close(),
    }
  }
}

/** The client carries its own copy of the package that chdb takes these types from; they differ in name only. */
type InjectedConnection = NonNullable<ClickHouseClientConfigOptions['connection']>

/** Connections that this thread has opened to the embedded engine. */
let connectionCount = 0

/** chdb is an optional dependency: it has no build for some platforms, where a server's address is needed. */
async function embedded(path: string, settings: ClickHouseSettings): Promise<() => Promise<Connection>> {
  const { createChdbConnection } = await import('chdb/connection').catch(cause => {
    throw new Error('The embedded ClickHouse engine (chdb) is not installed here: set CLICKHOUSE_URL instead.', {
      cause,
    })
  })
  return async () => {
    const connection = createChdbConnection({ path })
    const client = createClient({ connection: connection as unknown as InjectedConnection })
    // Once for each connection: the client would send a SET for each of them before every statement, 0.07 ms each.
    await client.command({ query: `SET ${assignments(settings)}` })
    // Named so that the next process writes over what one that was killed has left.
    const file = `${path}-insert-${threadId}-${connectionCount++}.rows`
    let handle: FileHandle | undefined
    return {
      client,
      settings: undefined,
      print: statement => ({ query: inlineParams(statement) }),
      isAnswer: () => true,
      cancelled: () => undefined,
      writeId: () => undefined,
      // The engine's own way in for bytes takes text formats only, and half as fast as it reads a file.
      insert: async (table, columns, rowBinary) => {
        // Written over, not anew: to free the pages of the last rows and find others takes ten times as long.
        handle ??= await open(file, 'w')
        const { bytesWritten } = await handle.write(rowBinary, 0, rowBinary.length, 0)
        if (bytesWritten < rowBinary.length) throw new Problem('overloaded', 'The disk has no room for more spans.')
        await handle.truncate(rowBinary.length)
        await client.command({
          query: `INSERT INTO ${table} (${columns.join(', ')}) FROM INFILE ${quote(file)} SETTINGS ${INSERT_SETTINGS} FORMAT RowBinary`,
        })
      },
      close: async () => {
        await client.close()
        await handle?.close()
        await rm(file, { force: true })
      },
    }
  }
}

const assignments = (settings: ClickHouseSettings): string =>
  Object.entries(settings)
    .map(([name, value]) => `${name} = ${quote(String(value))}`)
    .join(', ')

const QUEUE_MS = 10_000

class PooledEngine implements Engine {
  readonly run: number | undefined
  readonly #all: Set<Connection>
  readonly #open: () => Promise<Connection>
  readonly #free: Connection[]
  readonly #waiting: ((connection: Connection) => void)[] = []
  readonly #queueMs: number

  constructor(connections: Connection[], open: () => Promise<Connection>, options: EngineOptions) {
    this.#all = new Set(connections)
    this.#open = open
    this.run = options.run
    this.#free = [...connections]
    this.#queueMs = options.queueMs ?? QUEUE_MS
  }

  rows<Row>(statement: Statement): Promise<Row[]> {
    return this.#using(async ({ client, print, settings, cancelled }) => {
      const result = await client.query({
        ...{ ...print(statement), format: 'JSONEachRow', clickhouse_settings: settings, abort_signal: cancelled() },
      })
      return parseRows<Row>(await result.text())
    })
  }

  binaryRows<Row>(statement: Statement, read: (row: RowReader) => Row, holder?: Holder): Promise<Row[]> {
    return this.#using(async ({ client, settings, isAnswer, cancelled }) => {
      const { stream, response_headers } = await client.exec({
        query: `${inlineParams(statement)} FORMAT RowBinary`,
        clickhouse_settings: settings,
        abort_signal: cancelled(),
      })
      if (!isAnswer(response_headers)) throw unreachable(new Error('not an answer of ClickHouse'))
      return await readRows(stream as AsyncIterable<Buffer>, read, holder)
    })
  }

  command(statement: Statement): Promise<void> {
    // With its values in the text: as parameters over HTTP they could not be longer than 128 KiB each.
    return this.#using(async ({ client, writeId, settings }) => {
      await client.command({ query: inlineParams(statement), query_id: writeId(), clickhouse_settings: settings })
    })
  }

  endWrites(runs: readonly number[] = [this.run ?? 0]): Promise<void> {
    const ids = runs.map(run => `startsWith(query_id, '${runId(run)}')`)
    return this.#using(async ({ client, writeId }) => {
      if (writeId() && ids.length > 0) await client.command({ query: `KILL QUERY WHERE ${ids.join(' OR ')} SYNC` })
    })
  }

  insert(table: string, columns: readonly string[], rowBinary: Buffer): Promise<void> {
    return this.#using(connection => connection.insert(table, columns, rowBinary))
  }

  async close(): Promise<void> {
    await Promise.all([...this.#all].map(connection => connection.close()))
  }

  async #using<T>(use: (connection: Connection) => Promise<T>): Promise<T> {
    let connection = this.#free.pop() ?? (await this.#wait())
    try {
      return await use(connection)
    } catch (error) {
      connection = await this.#replace(connection)
      throw toProblem(error)
    } finally {
      const next = this.#waiting.shift()
      if (next) next(connection)
      else this.#free.push(connection)
    }
  }

  /**
   * A connection on which a statement failed is never used again: the embedded engine puts what it had of the failed
   * answer in front of the next one, which may be another project's.
   */
  async #replace(failed: Connection): Promise<Connection> {
    const connection = await this.#open()
    this.#all.add(connection)
    this.#all.delete(failed)
    await failed.close()
    return connection
  }

  #wait(): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const give = (connection: Connection): void => {
        clearTimeout(timer)
        resolve(connection)
      }
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(give), 1)
        const seconds = this.#queueMs / 1000
        reject(
          new Problem('overloaded', `All ${this.#all.size} query slots were busy for ${seconds} s; try again.`, {
            retryAfterSeconds: 1,
          }),
        )
      }, this.#queueMs)
      this.#waiting.push(give)
    })
  }
}
