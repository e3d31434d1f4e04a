import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { locks } from 'node:worker_threads'
import type { TraceId } from '@spanhouse/model'
import { inlineParams } from '@spanhouse/query'
import { tracedStatement } from '@spanhouse/telemetry'
import type { RowReader } from '../bytes/row-reader.ts'
import { parseRows, readRows, readTable } from '../read/answers.ts'
import { cancellation } from './cancellation.ts'
import { isDisconnected, isUnanswered, isUpdateFault, toProblem, unreachable } from './failures.ts'
import type { Holder } from './holder.ts'
import { HttpClient, type SentTable, type Settings } from './http-client.ts'
import { onServers, type Servers } from './on-servers.ts'
import { Slots } from './slots.ts'
import { currentUsage } from './usage.ts'

/** SQL text with `{name:Type}` placeholders and their values. */
export interface Statement {
  text: string
  params: Record<string, unknown>
  /** On which of the servers with the same rows a command is run. Default: on the one in use. */
  servers?: Servers
  /** A table that a SELECT reads besides those of the database. */
  table?: SentTable
}

/**
 * A bounded pool of connections to ClickHouse. Further statements wait; one that waits longer than `queueMs` is
 * rejected with a Problem `overloaded`, so the queue stays bounded.
 */
export interface Engine {
  /** The writer run that sends the writes (see `beginRun`); undefined if there is only one writer. */
  readonly run?: number
  /** Whether it has several servers, which replicate the rows of the one in use. */
  readonly isReplicated?: boolean
  /**
   * Of a cluster, the shards that should have a trace, the likeliest first, each with its own rows only. None of them
   * may have it, since routes change: see `readOneTrace`.
   */
  shardsOf?(trace_id: TraceId): Promise<readonly Engine[]>
  /**
   * Of a cluster, all shards, each with its own rows only; every row is on one of them. Undefined if they must be read
   * through this engine: see `readEachShard`.
   */
  shards?(): Promise<readonly Engine[] | undefined>
  /**
   * All rows of a SELECT as objects. Rejects with a Problem `query_timeout`, `query_limit` or `overloaded`; never
   * returns a part of the rows.
   */
  rows<Row>(statement: Statement, holder?: Holder): Promise<Row[]>
  /**
   * The same with values as bytes instead of JSON: `read` takes the values of one row, encoded as their columns are.
   * `holder` is told of the bytes as they arrive; if it throws, the statement ends.
   */
  binaryRows<Row>(statement: Statement, read: (row: RowReader) => Row, holder?: Holder): Promise<Row[]>
  /** All rows of a SELECT as a table that can be sent with another statement, also to another server. */
  table(statement: Statement, name: string, holder?: Holder): Promise<SentTable>
  command(statement: Statement): Promise<void>
  /**
   * Inserts rows in RowBinary format, as one atomic block if they are under 256 MB. The bytes must not change before it
   * resolves.
   */
  insert(table: string, columns: readonly string[], rowBinary: Buffer): Promise<void>
  /**
   * Resolves when no write of these runs (by default its own) is in progress: a server continues a statement after its
   * client has disconnected. Callers that write again after a failure must wait for this first.
   */
  endWrites(runs?: readonly number[]): Promise<void>
  close(): Promise<void>
}

export interface EngineOptions {
  connections: number
  run?: number
  queueMs?: number
  /**
   * A server that sends nothing for this long is considered unreachable: a Problem `overloaded`. Default: two minutes.
   */
  silentMs?: number
  /** How long reads wait for a server that refuses connections, since it is restarting. Default: not at all. */
  restartMs?: number
  /** Settings of all statements. */
  settings?: Settings
  /** Of several servers, the one that is used. Default: the first, and while one does not respond, the next. */
  only?: OnlyServer
}

/** A server that no other one replaces, since it may know what others have not yet. */
export interface OnlyServer {
  /** The index of its address. */
  server: number
  /** Called when it does not respond. */
  onAway(): void
}

const SETTINGS: Settings = {
  // End a read when its client disconnects.
  cancel_http_readonly_queries_on_client_close: 1,
  // A failure in the middle of the result then still gets an error status, because no byte has been sent.
  wait_end_of_query: 1,
  // Results up to this size are buffered in memory, larger ones in a file.
  http_response_buffer_size: String(4 * 1024 ** 2),
  // Integers here are below 2^53, and decimals are read as text where precision matters.
  output_format_json_quote_64bit_integers: 0,
  // Parameters can be part of the text, so it may be long; requests are bounded before they get here.
  max_query_size: String(256 * 1024 ** 2),
  // By default ClickHouse 26.7 has 1: small inserts would wait in a queue for up to 200 ms, and be written from
  // there under an id of its own, so that `endWrites` would not find what a disconnected writer left.
  async_insert: 0,
  // A DELETE then costs as much as an UPDATE and does not rewrite parts.
  lightweight_delete_mode: 'lightweight_update_force',
  // The granules of a patch that are read at a time. ClickHouse before 26.9 does not update the first row of a part
  // that is read alone (a span of more than half a megabyte) if the granules read first have rows of other parts only.
  merge_tree_min_read_task_size: 128,
}

/**
 * Indexes of spans that are built when parts are merged, in the background, rather than for each insert: that of words
 * is expensive, and the others exclude little in a part as small as an insert's, each for two files. A writer looks
 * traces up by their ids, so that index is built at once.
 */
export const MERGED_INDEXES =
  'by_words, by_trace_range, by_search_term, by_search_term_block, by_session, by_user, by_trace_head, by_write'

const INSERT_SETTINGS: Settings = {
  exclude_materialize_skip_indexes_on_insert: MERGED_INDEXES,
  // ClickHouse copies up to this many bytes of the rows before it parses the statement, which is in the address.
  max_query_size: 65_536,
}

/**
 * From this size on, the inserts of a process's threads into one server take turns: each holds several times its bytes,
 * in memory that the next one uses again. See DECISIONS.md.
 */
const TURN_BYTES = 1024 ** 2

const SILENT_MS = 120_000
const QUEUE_MS = 10_000

/**
 * Opens an engine on the ClickHouse server at an address that includes user and password, or on one of several servers
 * with the same rows: while one does not respond, the next is used. Connects when the first statement is sent.
 */
export function openEngine(urls: string | readonly string[], options: EngineOptions): Engine {
  const { connections, silentMs = SILENT_MS } = options
  const settings = { ...SETTINGS, ...options.settings }
  const clients = [urls].flat().map(url => new HttpClient(url, { connections, silentMs, settings }))
  return new HttpEngine(clients, options)
}

/**
 * The delays before retrying a read that failed because of the engine's own updates: it fails until a merge is done.
 */
const UPDATE_FAULT_WAITS_MS = [250, 1_000, 3_000]

/** How often a read looks whether a server that is restarting responds. */
const RESTART_LOOK_MS = 200

/** How the bytes of a response are decoded: the text, and the values in it. */
const ROWS_PER_BYTE = 3

/** RowBinary after the names and types of the columns. */
const TABLE_FORMAT = 'RowBinaryWithNamesAndTypes'

/** Statements that write are recognised on the server by the start of their query id. */
const writesOf = (run: number): string => `spanhouse-write-${run}-`

/**
 * Sends statements with their values in the text: as separate parameters, the server accepts neither long values nor
 * many.
 */
class HttpEngine implements Engine {
  readonly run: number | undefined
  readonly isReplicated: boolean
  readonly #clients: readonly HttpClient[]
  readonly #slots: Slots
  readonly #restartMs: number
  /** The start of its writes' query ids. Without a run, several engines share this number. */
  readonly #writes: string
  readonly #only: OnlyServer | undefined
  /** The server in use. */
  #used: number

  constructor(
    clients: readonly HttpClient[],
    { run, connections, queueMs = QUEUE_MS, restartMs = 0, only }: EngineOptions,
  ) {
    this.run = run
    this.isReplicated = clients.length > 1
    this.#only = only
    this.#used = only?.server ?? 0
    this.#clients = clients
    this.#slots = new Slots(connections, queueMs)
    this.#restartMs = restartMs
    this.#writes = run ? writesOf(run) : `${writesOf(0)}${randomUUID()}-`
  }

  rows<Row>(statement: Statement, holder?: Holder): Promise<Row[]> {
    return this.#read(statement.text, async client => {
      const bytes = await client.send(`${inlineParams(statement)} FORMAT JSONEachRow`, {
        signal: cancellation(),
        usage: currentUsage(),
        table: statement.table,
      })
      holder?.hold(bytes.length * ROWS_PER_BYTE)
      return parseRows<Row>(bytes.toString())
    })
  }

  binaryRows<Row>(statement: Statement, read: (row: RowReader) => Row, holder?: Holder): Promise<Row[]> {
    return this.#read(statement.text, async client => {
      const { format, chunks } = await client.open(`${inlineParams(statement)} FORMAT RowBinary`, {
        signal: cancellation(),
        usage: currentUsage(),
      })
      // Bytes from another server could be mistaken for rows.
      if (format !== 'RowBinary') throw unreachable(new Error('the response is not from ClickHouse'))
      return readRows(chunks, read, holder)
    })
  }

  table(statement: Statement, name: string, holder?: Holder): Promise<SentTable> {
    return this.#read(statement.text, async client => {
      const { format, chunks } = await client.open(`${inlineParams(statement)} FORMAT ${TABLE_FORMAT}`, {
        signal: cancellation(),
        usage: currentUsage(),
      })
      if (format !== TABLE_FORMAT) throw unreachable(new Error('the response is not from ClickHouse'))
      return { name, ...(await readTable(chunks, holder)) }
    })
  }

  async command(statement: Statement): Promise<void> {
    const { text, servers } = statement
    const send = (client: HttpClient, signal?: AbortSignal): Promise<unknown> =>
      this.#on(client, () => client.send(inlineParams(statement), { queryId: this.#writeId(), signal }), signal)
    await this.#run(text, () => (servers ? onServers(this.#clients, servers, send) : send(this.#client)))
  }

  async insert(table: string, columns: readonly string[], rowBinary: Buffer): Promise<void> {
    const statement = `INSERT INTO ${table} (${columns.join(', ')}) FORMAT RowBinary`
    const given = { data: rowBinary, settings: INSERT_SETTINGS }
    const send = (client: HttpClient): Promise<unknown> =>
      this.#on(client, () => client.send(statement, { queryId: this.#writeId(), ...given }))
    await this.#run(statement, () => {
      const client = this.#client
      return rowBinary.length < TURN_BYTES ? send(client) : locks.request(`insert ${client.origin}`, () => send(client))
    })
  }

  async endWrites(runs?: readonly number[]): Promise<void> {
    const beginnings = runs?.map(writesOf) ?? [this.#writes]
    if (beginnings.length === 0) return
    const condition = beginnings.map(beginning => `startsWith(query_id, '${beginning}')`).join(' OR ')
    const kill = (client: HttpClient): Promise<unknown> =>
      this.#on(client, () => client.send(`KILL QUERY WHERE ${condition} SYNC`))
    await this.#run('KILL QUERY', () => onServers(this.#clients, 'responding', kill))
  }

  async close(): Promise<void> {
    for (const client of this.#clients) client.close()
  }

  get #client(): HttpClient {
    return this.#clients[this.#used] as HttpClient
  }

  /**
   * Asks a server. If that does not respond, the next one is used from then on; statements that were sent to it at the
   * same time find that done, and do not pass the next one over, too.
   */
  async #on<T>(client: HttpClient, ask: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    try {
      return await ask()
    } catch (error) {
      signal?.throwIfAborted()
      if (isUnanswered(error) && client === this.#client) this.#useNext()
      throw error
    }
  }

  #useNext(): void {
    if (this.#only) this.#only.onAway()
    else this.#used = (this.#used + 1) % this.#clients.length
  }

  #writeId(): string {
    return this.#writes + randomUUID()
  }

  /** Retries after a delay if the engine failed to apply its own updates, or is being restarted. */
  #read<T>(text: string, work: (client: HttpClient) => Promise<T>): Promise<T> {
    const signal = cancellation()
    return this.#run(
      text,
      async () => {
        const restartedBy = performance.now() + this.#restartMs
        for (let faults = 0, others = this.#only ? 0 : this.#clients.length - 1; ; )
          try {
            const client = this.#client
            return await this.#on(client, () => work(client), signal)
          } catch (error) {
            signal?.throwIfAborted()
            if (isDisconnected(error) && others-- > 0) continue
            const isRestarting = isDisconnected(error) && performance.now() < restartedBy
            const waitMs = isRestarting ? RESTART_LOOK_MS : isUpdateFault(error) && UPDATE_FAULT_WAITS_MS[faults++]
            if (!waitMs) throw error
            await delay(waitMs)
          }
      },
      signal,
    )
  }

  /** The text names the statement in traces, without values. */
  async #run<T>(text: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const usage = currentUsage()
    const asked = performance.now()
    usage?.begin()
    try {
      await this.#slots.take(signal)
      const sent = performance.now()
      try {
        return await tracedStatement('clickhouse', text, work)
      } catch (error) {
        throw toProblem(error)
      } finally {
        this.#slots.give()
        usage?.addStatement({ queueMs: sent - asked, waitMs: performance.now() - sent })
      }
    } finally {
      usage?.end()
    }
  }
}
