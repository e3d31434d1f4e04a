import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { Problem } from '@spanhouse/model'
import { inlineParams } from '@spanhouse/query'
import type { RowReader } from '../bytes/row-reader.ts'
import { parseRows, readRows } from '../read/answers.ts'
import { cancellation } from './cancellation.ts'
import { isUpdateFault, toProblem, unreachable } from './failures.ts'
import type { Holder } from './holder.ts'
import { HttpClient, type Settings } from './http-client.ts'

/** SQL text with `{name:Type}` placeholders and their values. */
export interface Statement {
  text: string
  params: Record<string, unknown>
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
  rows<Row>(statement: Statement, holder?: Holder): Promise<Row[]>
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

export interface EngineOptions {
  connections: number
  run?: number
  queueMs?: number
  /** A server that says nothing for so long is away: a Problem `overloaded`. Two minutes when left out. */
  silentMs?: number
  /** For all statements. */
  settings?: Settings
}

const SETTINGS: Settings = {
  // A read ends when its client is gone.
  cancel_http_readonly_queries_on_client_close: 1,
  // What fails in the middle of its result then fails with a status, before a byte of it is sent.
  wait_end_of_query: 1,
  // Up to here a result waits in memory, beyond it in a file.
  http_response_buffer_size: String(4 * 1024 ** 2),
  // Integers here stay below 2^53 and decimals are read as text where they matter.
  output_format_json_quote_64bit_integers: 0,
  // Where parameters are part of the text, it may be long; what may be asked for is bounded before.
  max_query_size: String(256 * 1024 ** 2),
  // A DELETE then costs what an UPDATE does, and rewrites no part.
  lightweight_delete_mode: 'lightweight_update_force',
}

/** The index on texts is made when parts are merged: once, in the background, and not for each insert. */
const INSERT_SETTINGS = "exclude_materialize_skip_indexes_on_insert = 'by_text'"

const SILENT_MS = 120_000
const QUEUE_MS = 10_000

/** The ClickHouse server at an address with user and password. Connects when the first statement comes. */
export function openEngine(url: string, options: EngineOptions): Engine {
  const { connections, silentMs = SILENT_MS } = options
  const client = new HttpClient(url, { connections, silentMs, settings: { ...SETTINGS, ...options.settings } })
  return new HttpEngine(client, options)
}

/** After which a statement is tried again that failed on the engine's own updates. */
const UPDATE_FAULT_WAIT_MS = 250

/** What a byte of an answer becomes: text, and the values in it. */
const ROWS_PER_BYTE = 3

/** Statements that write are known to the server by the beginning of their id. */
const writesOf = (run: number): string => `spanhouse-write-${run}-`

/** Sends statements with their values in the text: beside it a server takes neither long ones nor many. */
class HttpEngine implements Engine {
  readonly run: number | undefined
  readonly #client: HttpClient
  readonly #slots: Slots
  /** How the ids of its writes begin. Without a run there are several engines of the same number. */
  readonly #writes: string

  constructor(client: HttpClient, { run, connections, queueMs = QUEUE_MS }: EngineOptions) {
    this.run = run
    this.#client = client
    this.#slots = new Slots(connections, queueMs)
    this.#writes = run ? writesOf(run) : `${writesOf(0)}${randomUUID()}-`
  }

  rows<Row>(statement: Statement, holder?: Holder): Promise<Row[]> {
    return this.#read(async () => {
      const bytes = await this.#client.send(`${inlineParams(statement)} FORMAT JSONEachRow`, {
        signal: cancellation(),
      })
      holder?.hold(bytes.length * ROWS_PER_BYTE)
      return parseRows<Row>(bytes.toString())
    })
  }

  binaryRows<Row>(statement: Statement, read: (row: RowReader) => Row, holder?: Holder): Promise<Row[]> {
    return this.#read(async () => {
      const { format, chunks } = await this.#client.open(`${inlineParams(statement)} FORMAT RowBinary`, {
        signal: cancellation(),
      })
      // Bytes of anybody else could be read as rows.
      if (format !== 'RowBinary') throw unreachable(new Error('an answer of somebody else'))
      return readRows(chunks, read, holder)
    })
  }

  async command(statement: Statement): Promise<void> {
    await this.#run(() => this.#client.send(inlineParams(statement), { queryId: this.#writeId() }))
  }

  async insert(table: string, columns: readonly string[], rowBinary: Buffer): Promise<void> {
    const statement = `INSERT INTO ${table} (${columns.join(', ')}) SETTINGS ${INSERT_SETTINGS} FORMAT RowBinary`
    await this.#run(() => this.#client.send(statement, { queryId: this.#writeId(), data: rowBinary }))
  }

  async endWrites(runs?: readonly number[]): Promise<void> {
    const beginnings = runs?.map(writesOf) ?? [this.#writes]
    if (beginnings.length === 0) return
    const condition = beginnings.map(beginning => `startsWith(query_id, '${beginning}')`).join(' OR ')
    await this.#run(() => this.#client.send(`KILL QUERY WHERE ${condition} SYNC`))
  }

  async close(): Promise<void> {
    this.#client.close()
  }

  #writeId(): string {
    return this.#writes + randomUUID()
  }

  /** Tries once more, a moment later, when the engine has failed to apply its own updates. */
  #read<T>(work: () => Promise<T>): Promise<T> {
    return this.#run(async () => {
      try {
        return await work()
      } catch (error) {
        if (!isUpdateFault(error)) throw error
        await delay(UPDATE_FAULT_WAIT_MS)
        return await work()
      }
    })
  }

  async #run<T>(work: () => Promise<T>): Promise<T> {
    await this.#slots.take()
    try {
      return await work()
    } catch (error) {
      throw toProblem(error)
    } finally {
      this.#slots.give()
    }
  }
}

/** So many statements at a time; others wait in the order in which they came. */
class Slots {
  readonly #count: number
  readonly #queueMs: number
  readonly #waiting: (() => void)[] = []
  #free: number

  constructor(count: number, queueMs: number) {
    this.#count = count
    this.#free = count
    this.#queueMs = queueMs
  }

  async take(): Promise<void> {
    if (this.#free > 0) this.#free--
    else await this.#wait()
  }

  /** To whoever waits longest. */
  give(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#free++
  }

  #wait(): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = (): void => {
        clearTimeout(timer)
        resolve()
      }
      const refuse = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(start), 1)
        const detail = `All ${this.#count} query slots were busy for ${this.#queueMs / 1000} s; try again.`
        reject(new Problem('overloaded', detail, { retryAfterSeconds: 1 }))
      }
      const timer = setTimeout(refuse, this.#queueMs)
      this.#waiting.push(start)
    })
  }
}
