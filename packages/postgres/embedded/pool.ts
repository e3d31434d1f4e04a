import { Problem } from '@spanhouse/model'
import type { PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely'
import { currentOwner } from '../on-behalf-of.ts'
import { DatabaseThread } from './database-thread.ts'
import { FairQueue } from './fair-queue.ts'
import { Loan, QUERY_CANCELED, type Statement } from './loan.ts'

/** What is bounded where one process is all that uses the database. */
export interface EmbeddedLimits {
  /** Callers that wait for the one connection. */
  waitingMax: number
  /** How long each of them waits. */
  waitMs: number
  /** One statement. */
  statementMs: number
  /** A transaction, which is looked at between its statements. */
  transactionMs: number
}

export const EMBEDDED_LIMITS: EmbeddedLimits = {
  waitingMax: 1_000,
  waitMs: 10_000,
  statementMs: 30_000,
  transactionMs: 10_000,
}

const RETRY_AFTER_SECONDS = 5

/** As a server ends a statement that has taken too long. */
const STATEMENT_TIMEOUT = 'canceling statement due to statement timeout'

interface EmbeddedOptions {
  /** The cluster's folder. */
  path: string
  limits: EmbeddedLimits
  /** Called when the database has ended by itself. */
  onFailure: (error: Error) => void
}

/**
 * The embedded database as a pool with one connection, lent to one caller at a time; of those that wait the {@link FairQueue}
 * says who is next. Whoever comes when too many wait already, or has waited too long, gets a Problem `overloaded`.
 *
 * PGlite cannot interrupt a statement. One that takes too long is ended with the thread it runs in, and fails as on a
 * server; the database is opened again for those that wait.
 */
export class EmbeddedPool implements PostgresPool {
  readonly options = {}
  readonly #options: EmbeddedOptions
  readonly #queue = new FairQueue()
  #thread: Promise<DatabaseThread>
  #last: Promise<unknown> = Promise.resolve()
  #isLent = false
  #end: Promise<void> | undefined
  #onFree: () => void = () => undefined
  #hasLimits = true

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
    const owner = currentOwner()
    if (this.#isLent) await this.#turn(owner)
    this.#isLent = true
    const since = performance.now()
    return new Loan({
      run: statement => this.#query(statement),
      giveBack: () => this.#release(owner, performance.now() - since),
      transactionMs: this.#hasLimits ? this.#options.limits.transactionMs : undefined,
    })
  }

  /** Waits for all who have a connection or wait for one. */
  end(): Promise<void> {
    this.#end ??= this.#close()
    return this.#end
  }

  /** Migrations may have much to rewrite. */
  async withoutLimits<T>(work: () => Promise<T>): Promise<T> {
    this.#hasLimits = false
    try {
      return await work()
    } finally {
      this.#hasLimits = true
    }
  }

  async #close(): Promise<void> {
    if (this.#isLent) await new Promise<void>(resolve => (this.#onFree = resolve))
    await (await this.#thread).close()
  }

  #turn(owner: string | undefined): Promise<void> {
    const { waitingMax, waitMs } = this.#options.limits
    if (this.#queue.size >= waitingMax) throw overloaded()
    return new Promise((resolve, reject) => {
      const leave = this.#queue.add(owner, () => {
        clearTimeout(timer)
        resolve()
      })
      const timer = setTimeout(() => {
        leave()
        reject(overloaded())
      }, waitMs)
    })
  }

  /** The connection goes from one caller to the next without being free in between. */
  #release(owner: string | undefined, heldMs: number): void {
    this.#queue.charge(owner, heldMs)
    this.#isLent = this.#queue.next()
    if (!this.#isLent) this.#onFree()
  }

  /** A caller may ask for several statements of its transaction at once. */
  #query(statement: Statement): Promise<PostgresQueryResult<unknown>> {
    const result = this.#last.then(() => this.#run(statement))
    this.#last = result.catch(() => undefined)
    return result
  }

  async #run(statement: Statement): Promise<PostgresQueryResult<unknown>> {
    const thread = await this.#thread
    const { statementMs } = this.#options.limits
    const timer = this.#hasLimits ? setTimeout(() => this.#replace(thread), statementMs) : undefined
    try {
      return await thread.query(statement)
    } finally {
      clearTimeout(timer)
    }
  }

  #replace(thread: DatabaseThread): void {
    const { path, onFailure } = this.#options
    const killed = thread.kill(Object.assign(new Error(STATEMENT_TIMEOUT), { code: QUERY_CANCELED }))
    this.#thread = killed.then(() => DatabaseThread.open(path, onFailure))
    this.#thread.catch(onFailure)
  }
}

const overloaded = (): Problem =>
  new Problem('overloaded', 'The database has too much to do at the moment.', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  })
