import { Problem } from '@spanhouse/model'
import type { PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely'
import { currentOwner } from '../on-behalf-of.ts'
import { DatabaseThread, ENDED } from './database-thread.ts'
import { FairQueue } from './fair-queue.ts'
import { isPanic, Loan, QUERY_CANCELED, type Statement } from './loan.ts'
import type { ThreadData } from './messages.ts'

/** Limits for a database that is used by one process only. */
export interface EmbeddedLimits {
  /** Callers waiting for the single connection. */
  waitingMax: number
  /** How long each of them may wait. */
  waitMs: number
  /** One statement. */
  statementMs: number
  /** A transaction, checked between its statements. */
  transactionMs: number
}

export const EMBEDDED_LIMITS: EmbeddedLimits = {
  waitingMax: 1_000,
  waitMs: 10_000,
  statementMs: 30_000,
  transactionMs: 10_000,
}

/**
 * Statements with the thread at a time: while it runs one, the next one is already there. With one at a time it waits
 * for a round of this thread's event loop after each, which may take longer than the statement.
 */
const SENT_MAX = 2

const RETRY_AFTER_SECONDS = 5

/** As a server ends a statement that timed out. */
const timeout = (): Error =>
  Object.assign(new Error('canceling statement due to statement timeout'), { code: QUERY_CANCELED })

interface EmbeddedOptions extends Pick<ThreadData, 'path' | 'template'> {
  limits: EmbeddedLimits
  /** Called when the database has stopped unexpectedly. */
  onFailure: (error: Error) => void
}

/**
 * The embedded database as a pool with one connection, lent to one caller at a time; the {@link FairQueue} decides
 * which waiting caller is next. It gets the connection as soon as the last statement of the caller before it has been
 * sent. A caller gets a Problem `overloaded` if too many already wait or if it has waited too long.
 *
 * PGlite cannot interrupt a statement. One that exceeds its time is ended with its thread, and fails as on a server;
 * the database is opened again for the waiting callers. So it is after a panic, for example if the disk is full: PGlite
 * would never answer the next statement.
 */
export class EmbeddedPool implements PostgresPool {
  readonly options = {}
  readonly #options: EmbeddedOptions
  readonly #queue = new FairQueue()
  #thread: Promise<DatabaseThread>
  /** Resolves when the statement sent last has been answered. */
  #answered: Promise<unknown> = Promise.resolve()
  #answeredAt = 0
  #sent = 0
  #isLent = false
  #end: Promise<void> | undefined
  #onFree: () => void = () => undefined
  #hasLimits = true

  /** Opens the cluster, which is created if missing. */
  static async open(options: EmbeddedOptions): Promise<EmbeddedPool> {
    return new EmbeddedPool(options, await DatabaseThread.open(options, options.onFailure))
  }

  private constructor(options: EmbeddedOptions, thread: DatabaseThread) {
    this.#options = options
    this.#thread = Promise.resolve(thread)
  }

  async connect(): Promise<PostgresPoolClient> {
    if (this.#end) throw new Error('driver has already been destroyed')
    const owner = currentOwner()
    let since = 0
    const take = async (): Promise<void> => {
      await this.#take(owner)
      since = performance.now()
    }
    await take()
    return new Loan({
      take,
      run: (statement, onSent) => this.#run(statement, owner, onSent),
      giveBack: () => this.#release(owner, performance.now() - since),
      transactionMs: this.#hasLimits ? this.#options.limits.transactionMs : undefined,
    })
  }

  /** Waits for all callers that use or wait for a connection. */
  end(): Promise<void> {
    this.#end ??= this.#close()
    return this.#end
  }

  /** Migrations may have much to rewrite, so they have no time limit. */
  async withoutLimits<T>(work: () => Promise<T>): Promise<T> {
    this.#hasLimits = false
    try {
      return await work()
    } finally {
      this.#hasLimits = true
    }
  }

  async #close(): Promise<void> {
    if (this.#isLent || this.#sent > 0) await new Promise<void>(resolve => (this.#onFree = resolve))
    await (await this.#thread).close()
  }

  async #take(owner: string | undefined): Promise<void> {
    if (this.#isLent || this.#sent >= SENT_MAX || this.#queue.size > 0) await this.#turn(owner)
    this.#isLent = true
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

  #release(owner: string | undefined, heldMs: number): void {
    this.#queue.charge(owner, heldMs)
    this.#isLent = false
    this.#admit()
  }

  /** Passes the connection directly from one caller to the next. */
  #admit(): void {
    if (this.#isLent || this.#sent >= SENT_MAX) return
    this.#isLent = this.#queue.next()
    if (!this.#isLent && this.#sent === 0) this.#onFree()
  }

  /** Calls `onSent` when the next statement may be sent: the thread runs them in this order. */
  async #run(
    statement: Statement,
    owner: string | undefined,
    onSent: () => void,
  ): Promise<PostgresQueryResult<unknown>> {
    const thread = await this.#thread
    const before = this.#answered
    let timer: NodeJS.Timeout | undefined
    let isAnswered = false
    const sentAt = performance.now()
    this.#sent++
    const result = thread.query(statement)
    this.#answered = result.catch(() => undefined)
    onSent()
    // Its time begins when the thread has done what was sent before.
    before.then(() => {
      if (this.#hasLimits && !isAnswered)
        timer = setTimeout(() => this.#replace(thread, timeout()), this.#options.limits.statementMs)
    })
    try {
      return await result
    } catch (error) {
      if (isPanic(error)) this.#replace(thread, new Error(ENDED, { cause: error }))
      throw error
    } finally {
      isAnswered = true
      clearTimeout(timer)
      this.#sent--
      const now = performance.now()
      this.#queue.charge(owner, now - Math.max(sentAt, this.#answeredAt))
      this.#answeredAt = now
      this.#admit()
    }
  }

  /** Opens the database again, in another thread. What this one is running fails with the error. */
  #replace(thread: DatabaseThread, error: Error): void {
    const { onFailure } = this.#options
    const killed = thread.kill(error)
    this.#thread = killed.then(() => DatabaseThread.open(this.#options, onFailure))
    this.#thread.catch(onFailure)
  }
}

const overloaded = (): Problem =>
  new Problem('overloaded', 'The database is too busy; try again.', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  })
