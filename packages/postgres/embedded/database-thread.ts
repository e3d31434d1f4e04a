import { once } from 'node:events'
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads'
import { nextTurn, parseJsonInTurns } from '@spanhouse/model'
import type { PostgresQueryResult } from 'kysely'
import { isJsonType, VALUE_PARSERS } from '../values.ts'
import type { Statement } from './loan.ts'
import {
  type Answer,
  type Column,
  fromFailure,
  type Part,
  type Request,
  type RowsAnswer,
  type ThreadData,
} from './messages.ts'

type Row = Record<string, unknown>
type ClusterFolders = Pick<ThreadData, 'path' | 'template'>

/**
 * Postgres itself rejects deeply nested values at 2 MB of its own stack. WebAssembly uses several times as much of the
 * thread's stack, and exhausting that would crash Postgres in the middle of a statement.
 */
const STACK_MB = 32

export const ENDED = 'the embedded database has ended'

/** Postgres in a separate thread. A crash of Postgres fails the current statement and all later ones. */
export class DatabaseThread {
  readonly #worker: Worker
  readonly #parts: MessagePort
  /** To come, in the order of the statements; the first one says that the database is open. */
  readonly #answers: PromiseWithResolvers<Answer>[] = []
  /** Resolves when the rows of the statement asked last have been read. */
  #rowsRead: Promise<void> = Promise.resolve()
  #end: Error | undefined
  #isExpectedToEnd = true

  /** Resolves when the cluster is open. `onFailure` is called if the thread exits unexpectedly after that. */
  static async open(cluster: ClusterFolders, onFailure: (error: Error) => void): Promise<DatabaseThread> {
    const thread = new DatabaseThread(cluster, onFailure)
    const answer = await thread.#next()
    if (answer.kind === 'failed') throw fromFailure(answer.failure)
    thread.#isExpectedToEnd = false
    return thread
  }

  private constructor({ path, template }: ClusterFolders, onFailure: (error: Error) => void) {
    const { port1, port2 } = new MessageChannel()
    this.#parts = port1
    this.#worker = new Worker(new URL('./thread.ts', import.meta.url), {
      name: 'postgres',
      resourceLimits: { stackSizeMb: STACK_MB },
      workerData: { path, template, parts: port2 } satisfies ThreadData,
      transferList: [port2],
    })
    this.#worker.on('message', (answer: Answer) => this.#answers.shift()?.resolve(answer))
    this.#worker.on('error', cause => this.#hasEnded(cause as Error, onFailure))
    this.#worker.on('exit', () => this.#hasEnded(undefined, onFailure))
  }

  /** Runs statements one after the other, in the order of the calls. Throws errors like `pg`, with Postgres' `code`. */
  async query<R>(statement: Statement): Promise<PostgresQueryResult<R>> {
    if (this.#end) throw this.#end
    const answered = this.#next()
    this.#worker.postMessage(statement satisfies Request)
    const before = this.#rowsRead
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#rowsRead = promise
    try {
      const answer = (await answered) as Exclude<Answer, { kind: 'ready' }>
      if (answer.kind === 'failed') throw fromFailure(answer.failure)
      await before
      const { command, rowCount } = answer
      return { command, rowCount, rows: (await this.#readRows(answer)) as R[] }
    } finally {
      resolve()
    }
  }

  #next(): Promise<Answer> {
    const answer = Promise.withResolvers<Answer>()
    this.#answers.push(answer)
    return answer.promise
  }

  /** Must be called when no statement is running. */
  close(): Promise<void> {
    return this.#endBy(() => this.#worker.postMessage('close' satisfies Request))
  }

  /**
   * Fails the current statement with this error and rolls back its transaction: the thread ends as in a crash.
   * Statements that wait for it fail as they do without a connection.
   */
  async kill(error: Error): Promise<void> {
    this.#end ??= new Error(ENDED, { cause: error })
    this.#answers.shift()?.reject(error)
    this.#failWaiting(this.#end)
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
    this.#end = new Error(ENDED, { cause })
    this.#failWaiting(this.#end)
    if (!this.#isExpectedToEnd) onFailure(this.#end)
  }

  #failWaiting(error: Error): void {
    for (const answer of this.#answers.splice(0)) answer.reject(error)
  }

  /** A large result is read in parts, yielding to other work in between. */
  async #readRows({ columns, parts, last }: RowsAnswer): Promise<Row[]> {
    const rows: Row[] = []
    let left = parts
    const receive = (): Part => {
      left--
      return (receiveMessageOnPort(this.#parts) as { message: Part }).message
    }
    const add = async (part: Part): Promise<void> => {
      for (const values of part) rows.push(await toRow(columns, values))
    }
    try {
      while (left > 0) {
        await add(receive())
        await nextTurn()
      }
      await add(last)
      return rows
    } finally {
      // If a value cannot be read, the remaining parts are skipped; the rows of the next statement follow them.
      while (left > 0) receive()
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
