import type { PostgresPoolClient, PostgresQueryResult } from 'kysely'

/** A statement for the database's thread. */
export interface Statement {
  readonly text: string
  readonly parameters: readonly unknown[]
  /** The statement is the first of a transaction, which begins with it. */
  readonly begins: boolean
}

interface LoanOptions {
  run(statement: Statement): Promise<PostgresQueryResult<unknown>>
  /** Called once, when the connection is free again. */
  giveBack(): void
  /** How long a transaction may take; undefined: as long as it likes. */
  transactionMs: number | undefined
}

/** SQLSTATE of a statement that took too long. */
export const QUERY_CANCELED = '57014'
/** As a server ends a transaction that has taken too long. */
const TRANSACTION_TIMEOUT = { message: 'terminating connection due to transaction timeout', code: '25P04' }

/**
 * The connection as one caller has it, for a statement or a transaction.
 *
 * `begin` is not sent by itself but with the statement that follows. A transaction that takes too long is rolled back
 * between two of its statements, and the connection goes to the next caller at once. After that, and after a statement that
 * was ended with its thread, there is no transaction any more: whatever is still asked but `rollback` fails.
 */
export class Loan implements PostgresPoolClient {
  readonly #options: LoanOptions
  #timer: NodeJS.Timeout | undefined
  #begins = false
  #underWay = 0
  #lost: Error | undefined
  #isExpired = false
  #isReleased = false

  constructor(options: LoanOptions) {
    this.#options = options
  }

  // kysely's other form of `query` is for cursors, which are not in use.
  readonly query = ((text: string, parameters: readonly unknown[] = []) =>
    this.#query(text, parameters)) as PostgresPoolClient['query']

  release(): void {
    clearTimeout(this.#timer)
    if (this.#isReleased) return
    this.#isReleased = true
    this.#options.giveBack()
  }

  async #query(text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<unknown>> {
    if (text === 'begin') return this.#begin()
    const isEnd = text === 'commit' || text === 'rollback'
    if (isEnd && (this.#begins || (this.#lost && text === 'rollback'))) {
      this.#begins = false
      return empty(text)
    }
    if (this.#lost) throw this.#lost
    return this.#run(text, parameters)
  }

  #begin(): PostgresQueryResult<unknown> {
    this.#begins = true
    const { transactionMs } = this.#options
    if (transactionMs !== undefined) this.#timer = setTimeout(() => this.#expire(), transactionMs)
    return empty('begin')
  }

  async #run(text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<unknown>> {
    const begins = this.#begins
    this.#begins = false
    this.#underWay++
    try {
      return await this.#options.run({ text, parameters, begins })
    } catch (error) {
      if ((error as { code?: unknown }).code === QUERY_CANCELED) this.#lost ??= error as Error
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

  /** Not while a statement is under way: the connection is given back when the last of them is done. */
  #rollBack(): void {
    if (this.#underWay > 0 || this.#isReleased) return
    this.#isReleased = true
    clearTimeout(this.#timer)
    this.#options
      .run({ text: 'rollback', parameters: [], begins: false })
      .catch(() => undefined)
      .finally(this.#options.giveBack)
  }
}

const empty = (text: string): PostgresQueryResult<never> => ({
  command: text.toUpperCase() as 'SELECT',
  rowCount: 0,
  rows: [],
})
