import { once } from 'node:events'
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads'
import { nextTurn, parseJsonInTurns } from '@spanhouse/model'
import type { PostgresQueryResult } from 'kysely'
import { isJsonType, VALUE_PARSERS } from '../values.ts'
import type { Statement } from './loan.ts'
import { type Answer, type Column, fromFailure, type Part, type Request, type RowsAnswer } from './messages.ts'

type Row = Record<string, unknown>

/**
 * Postgres refuses by itself what is nested too deeply, at 2 MB of its own stack. WebAssembly takes several times as much
 * of the thread's, and running out of that would end Postgres in the middle of a statement.
 */
const STACK_MB = 32

/**
 * Postgres in a thread of its own. A crash of Postgres fails the statement under way and all that follow.
 */
export class DatabaseThread {
  readonly #worker: Worker
  readonly #parts: MessagePort
  #answer: PromiseWithResolvers<Answer> = Promise.withResolvers()
  #end: Error | undefined
  #isExpectedToEnd = true

  /** Resolves when the cluster at `path` is open. `onFailure` is called when the thread ends by itself after that. */
  static async open(path: string, onFailure: (error: Error) => void): Promise<DatabaseThread> {
    const thread = new DatabaseThread(path, onFailure)
    const answer = await thread.#answer.promise
    if (answer.kind === 'failed') throw fromFailure(answer.failure)
    thread.#isExpectedToEnd = false
    return thread
  }

  private constructor(path: string, onFailure: (error: Error) => void) {
    const { port1, port2 } = new MessageChannel()
    this.#parts = port1
    this.#worker = new Worker(new URL('./thread.ts', import.meta.url), {
      name: 'postgres',
      resourceLimits: { stackSizeMb: STACK_MB },
      workerData: { path, parts: port2 },
      transferList: [port2],
    })
    this.#worker.on('message', (answer: Answer) => this.#answer.resolve(answer))
    this.#worker.on('error', cause => this.#hasEnded(cause as Error, onFailure))
    this.#worker.on('exit', () => this.#hasEnded(undefined, onFailure))
  }

  /** Runs one statement; not to be called before the last one is done. Throws errors as `pg` does, with Postgres' `code`. */
  async query<R>(statement: Statement): Promise<PostgresQueryResult<R>> {
    if (this.#end) throw this.#end
    this.#answer = Promise.withResolvers()
    this.#worker.postMessage(statement satisfies Request)
    const answer = (await this.#answer.promise) as Exclude<Answer, { kind: 'ready' }>
    if (answer.kind === 'failed') throw fromFailure(answer.failure)
    const { command, rowCount } = answer
    return { command, rowCount, rows: (await this.#readRows(answer)) as R[] }
  }

  /** To be called when no statement is under way. */
  close(): Promise<void> {
    return this.#endBy(() => this.#worker.postMessage('close' satisfies Request))
  }

  /** Fails the statement under way with this error and undoes its transaction: the thread ends as by a crash. */
  async kill(error: Error): Promise<void> {
    this.#end ??= error
    this.#answer.reject(error)
    await this.#endBy(() => void this.#worker.terminate())
  }

  async #endBy(end: () => void): Promise<void> {
    if (this.#worker.threadId === -1) return
    this.#isExpectedToEnd = true
    const exit = once(this.#worker, 'exit')
    end()
    await exit
    this.#parts.close()
  }

  #hasEnded(cause: Error | undefined, onFailure: (error: Error) => void): void {
    if (this.#end) return
    this.#end = new Error('the embedded database has ended', { cause })
    this.#answer.reject(this.#end)
    if (!this.#isExpectedToEnd) onFailure(this.#end)
  }

  /** A large result is read in parts, between which others get their turn. */
  async #readRows({ columns, parts, last }: RowsAnswer): Promise<Row[]> {
    const rows: Row[] = []
    const add = async (part: Part): Promise<void> => {
      for (const values of part) rows.push(await toRow(columns, values))
    }
    try {
      for (let left = parts; left > 0; left--) {
        const { message } = receiveMessageOnPort(this.#parts) as { message: Part }
        await add(message)
        await nextTurn()
      }
      await add(last)
      return rows
    } finally {
      // Where a value cannot be read there are more parts, and the next statement's rows come after them.
      while (parts > 0 && receiveMessageOnPort(this.#parts));
    }
  }
}

async function toRow(columns: readonly Column[], values: readonly unknown[]): Promise<Row> {
  const row: Row = {}
  for (const [index, { name, type }] of columns.entries()) {
    const value = values[index]
    const parse = typeof value === 'string' ? VALUE_PARSERS[type] : undefined
    if (parse) row[name] = parse(value as string)
    else if (value instanceof Uint8Array && isJsonType(type)) row[name] = await parseJsonInTurns(bufferOf(value))
    else row[name] = value
  }
  return row
}

const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, byteLength)
