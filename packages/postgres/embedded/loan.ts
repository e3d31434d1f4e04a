import type { PostgresPoolClient, PostgresQueryResult } from 'kysely'

/** A statement for the database's thread. */
export interface Statement {
  readonly text: string
  readonly parameters: readonly unknown[]
  /** What begins a transaction, if this is its first statement: `begin`, and what is set for it. */
  readonly begin?: string
}

interface LoanOptions {
  /** Waits for the connection, after it was given back. */
  take(): Promise<void>
  /** Calls `onSent` when another caller may send a statement, which is run after this one. */
  run(statement: Statement, onSent: () => void): Promise<PostgresQueryResult<unknown>>
  /** Called when the connection is free for others: once after each time that it was taken. */
  giveBack(): void
  /** The time limit of a transaction; undefined: none. */
  transactionMs: number | undefined
}

/** SQLSTATE of a statement that timed out. */
export const QUERY_CANCELED = '57014'
/** Whether Postgres has ended with a statement. */
export const isPanic = (error: unknown): boolean => (error as { severity?: unknown }).severity === 'PANIC'

/** As a server ends a transaction that timed out. */
const TRANSACTION_TIMEOUT = { message: 'terminating connection due to transaction timeout', code: '25P04' }

/** Perhaps with settings of the transaction after it. */
const BEGIN = /^begin(;|$)/
const ENDS: ReadonlySet<string> = new Set(['commit', 'rollback'])

/**
 * The connection as used by one caller, for a statement or a transaction. It is given back as soon as the statement, or
 * the last one of the transaction, has been sent.
 *
 * What begins a transaction is not sent separately but with the following statement. A transaction that exceeds its
 * time is rolled back between two of its statements, and the connection goes to the next caller at once. After that,
 * and after a statement that was ended with its thread, the transaction no longer exists: every statement but
 * `rollback` fails.
 */
export class Loan implements PostgresPoolClient {
  readonly #options: LoanOptions
  #timer: NodeJS.Timeout | undefined
  /** Not sent yet. */
  #begin: string | undefined
  #underWay = 0
  #lost: Error | undefined
  #isExpired = false
  #isHeld = true
  #isInTransaction = false

  constructor(options: LoanOptions) {
    this.#options = options
  }

  // kysely's other form of `query` is for cursors, which are not used.
  readonly query = ((text: string, parameters: readonly unknown[] = []) =>
    this.#query(text, parameters)) as PostgresPoolClient['query']

  release(): void {
    clearTimeout(this.#timer)
    this.#giveBack()
  }

  #giveBack(): void {
    if (!this.#isHeld) return
    this.#isHeld = false
    this.#options.giveBack()
  }

  async #query(text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<unknown>> {
    if (BEGIN.test(text)) return this.#beginBy(text)
    if (ENDS.has(text) && (this.#begin || (this.#lost && text === 'rollback'))) {
      this.#begin = undefined
      return empty(text)
    }
    if (this.#lost) throw this.#lost
    return this.#run(text, parameters)
  }

  #beginBy(text: string): PostgresQueryResult<unknown> {
    this.#begin = text
    const { transactionMs } = this.#options
    if (transactionMs !== undefined) this.#timer = setTimeout(() => this.#expire(), transactionMs)
    return empty('begin')
  }

  async #run(text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<unknown>> {
    if (!this.#isHeld) {
      await this.#options.take()
      this.#isHeld = true
    }
    const begin = this.#begin
    this.#begin = undefined
    this.#isInTransaction = (this.#isInTransaction || begin !== undefined) && !ENDS.has(text)
    const isLast = !this.#isInTransaction
    this.#underWay++
    try {
      return await this.#options.run({ text, parameters, ...(begin && { begin }) }, () => {
        if (isLast) this.#giveBack()
      })
    } catch (error) {
      if ((error as { code?: unknown }).code === QUERY_CANCELED || isPanic(error)) this.#lost ??= error as Error
      throw error
    } finally {
      this.#underWay--
      if (this.#isExpired && text !== 'commit') this.#rollBack()
    }
  }

  #expire(): void {
    this.#isExpired = true
    this.#lost ??= Object.assign(new Error(TRANSACTION_TIMEOUT.message), { code: TRANSACTION_TIMEOUT.code })
    this.#rollBack()
  }

  /** Not while a statement is running: the connection is returned when the last one is done. */
  #rollBack(): void {
    if (this.#underWay > 0 || !this.#isHeld) return
    clearTimeout(this.#timer)
    this.#options
      .run({ text: 'rollback', parameters: [] }, () => this.#giveBack())
      .catch(() => undefined)
      .finally(() => this.#giveBack())
  }
}

const empty = (text: string): PostgresQueryResult<never> => ({
  command: text.toUpperCase() as 'SELECT',
  rowCount: 0,
  rows: [],
})
