import { Problem } from '@spanhouse/model'
import type { PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely'
import { DatabaseThread } from './database-thread.ts'

/** What is bounded where one process is all that uses the database. */
export interface EmbeddedLimits {
  /** Callers that wait for the one connection. */
  waitingMax: number
  /** How long each of them waits. */
  waitMs: number
  /** One statement. */
  statementMs: number
}

export const EMBEDDED_LIMITS: EmbeddedLimits = { waitingMax: 1_000, waitMs: 10_000, statementMs: 30_000 }

const RETRY_AFTER_SECONDS = 5

/** As a server ends a statement that has taken too long. */
const STATEMENT_TIMEOUT = { message: 'canceling statement due to statement timeout', code: '57014' }

interface EmbeddedOptions {
  /** The cluster's folder. */
  path: string
  limits: EmbeddedLimits
  /** Called when the database has ended by itself. */
  onFailure: (error: Error) => void
}

/**
 * The embedded database as a pool with one connection, lent to one caller at a time in the order in which they came.
 * Whoever comes when too many wait already, or has waited too long, gets a Problem `overloaded`.
 *
 * PGlite cannot interrupt a statement. One that takes too long is ended with the thread it runs in, and fails as on a
 * server; the database is opened again for those that wait.
 */
export class EmbeddedPool implements PostgresPool {
  readonly options = {}
  readonly #options: EmbeddedOptions
  readonly #waiting = new Set<() => void>()
  #thread: Promise<DatabaseThread>
  #last: Promise<unknown> = Promise.resolve()
  #isLent = false
  #end: Promise<void> | undefined
  #hasStatementLimit = true

  /** Opens the cluster, which is created when it is missing. */
  static async open(options: EmbeddedOptions): Promise<EmbeddedPool> {
    return new EmbeddedPool(options, await DatabaseThread.open(options.path, options.onFailure))
  }

  private constructor(options: EmbeddedOptions, thread: DatabaseThread) {
    this.#options = options
    this.#thread = Promise.resolve(thread)
  }

  async connect(): Promise<PostgresPoolClient> {
    if (this.#end) throw new Error('driver has already been destroyed')
    if (this.#isLent) await this.#turn()
    this.#isLent = true
    return this.#newClient()
  }

  /** Waits for all who have a connection or wait for one. */
  end(): Promise<void> {
    this.#end ??= this.#close()
    return this.#end
  }

  /** Migrations may have much to rewrite. */
  async withoutStatementLimit<T>(work: () => Promise<T>): Promise<T> {
    this.#hasStatementLimit = false
    try {
      return await work()
    } finally {
      this.#hasStatementLimit = true
    }
  }

  async #close(): Promise<void> {
    if (this.#isLent) await new Promise<void>(resolve => this.#waiting.add(resolve))
    await (await this.#thread).close()
  }

  #turn(): Promise<void> {
    const { waitingMax, waitMs } = this.#options.limits
    if (this.#waiting.size >= waitingMax) throw overloaded()
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(() => {
        this.#waiting.delete(begin)
        reject(overloaded())
      }, waitMs)
      this.#waiting.add(begin)
    })
  }

  /** The connection goes from one caller to the next without being free in between. */
  #release(): void {
    const [next] = this.#waiting
    if (next) this.#waiting.delete(next)
    else this.#isLent = false
    next?.()
  }

  /** After a statement that has taken too long there is no transaction any more in which the caller could go on. */
  #newClient(): PostgresPoolClient {
    let lost: Error | undefined
    const query = async (text: string, parameters: readonly unknown[]) => {
      if (lost && text !== 'rollback') throw lost
      try {
        return await this.#query(text, parameters)
      } catch (error) {
        if ((error as { code?: unknown }).code === STATEMENT_TIMEOUT.code) lost = error as Error
        throw error
      }
    }
    return { query: query as PostgresPoolClient['query'], release: () => this.#release() }
  }

  /** A caller may ask for several statements of its transaction at once. */
  #query(text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<unknown>> {
    const result = this.#last.then(() => this.#run(text, parameters))
    this.#last = result.catch(() => undefined)
    return result
  }

  async #run(text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<unknown>> {
    const thread = await this.#thread
    const { statementMs } = this.#options.limits
    const timer = this.#hasStatementLimit ? setTimeout(() => this.#replace(thread), statementMs) : undefined
    try {
      return await thread.query(text, parameters)
    } finally {
      clearTimeout(timer)
    }
  }

  #replace(thread: DatabaseThread): void {
    const { path, onFailure } = this.#options
    const { message, code } = STATEMENT_TIMEOUT
    const killed = thread.kill(Object.assign(new Error(message), { code }))
    this.#thread = killed.then(() => DatabaseThread.open(path, onFailure))
    this.#thread.catch(onFailure)
  }
}

const overloaded = (): Problem =>
  new Problem('overloaded', 'The database has too much to do at the moment.', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  })
