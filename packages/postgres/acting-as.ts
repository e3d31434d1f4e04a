import { AsyncLocalStorage } from 'node:async_hooks'
import { tracedStatement } from '@spanhouse/telemetry'
import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  PostgresDialect,
  type QueryResult,
  type TransactionSettings,
} from 'kysely'
import pg from 'pg'
import { currentUntil } from './on-behalf-of.ts'

const actors = new AsyncLocalStorage<string>()

/**
 * Runs work for a caller: the transactions and changes of it have the session setting `spanhouse.actor`, from which the
 * database itself notes who has made a change. The text is what is noted.
 */
export const actingAs = <T>(actor: string, work: () => T): T => actors.run(actor, work)

/** Statements outside a transaction that change something. Others need no actor. */
const CHANGES = /^\s*(insert|update|delete|merge|with)\b/i

/**
 * Begins a transaction that has the setting. One text without parameters, so that both statements are one message to
 * the database: of a short transaction each message is a large part.
 */
const beginAs = (actor: string): CompiledQuery =>
  CompiledQuery.raw(`begin; select set_config('spanhouse.actor', ${pg.escapeLiteral(actor)}, true)`)

/** Postgres, told for whom each transaction works (see {@link actingAs}). The setting ends with the transaction. */
export class ActingDialect extends PostgresDialect {
  override createDriver(): Driver {
    return new ActingDriver(super.createDriver())
  }
}

class ActingDriver implements Driver {
  readonly #driver: Driver

  constructor(driver: Driver) {
    this.#driver = driver
  }

  init: Driver['init'] = options => this.#driver.init(options)
  destroy: Driver['destroy'] = options => this.#driver.destroy(options)

  async acquireConnection(...options: Parameters<Driver['acquireConnection']>): Promise<ActingConnection> {
    const until = currentUntil()
    until?.throwIfAborted()
    const acquired = this.#driver.acquireConnection(...options)
    const inner = await (until ? this.#unlessAborted(acquired, until) : acquired)
    return new ActingConnection(inner, this.#driver)
  }

  /** Rejects with the signal's reason when it aborts first; the connection is then returned as soon as it is there. */
  #unlessAborted(acquired: Promise<DatabaseConnection>, until: AbortSignal): Promise<DatabaseConnection> {
    return new Promise((resolve, reject) => {
      const abandon = (): void => {
        reject(until.reason)
        acquired.then(connection => this.#driver.releaseConnection(connection)).catch(() => undefined)
      }
      until.addEventListener('abort', abandon, { once: true })
      acquired.then(resolve, reject).finally(() => until.removeEventListener('abort', abandon))
    })
  }

  async beginTransaction(connection: ActingConnection, settings: TransactionSettings): Promise<void> {
    if (settings.isolationLevel || settings.accessMode) throw new Error('transactions have no settings of their own')
    const actor = actors.getStore()
    if (actor === undefined) await this.#driver.beginTransaction(connection.inner, settings)
    else await connection.inner.executeQuery(beginAs(actor))
    connection.isInTransaction = true
  }

  commitTransaction(connection: ActingConnection): Promise<void> {
    connection.isInTransaction = false
    return this.#driver.commitTransaction(connection.inner)
  }

  rollbackTransaction(connection: ActingConnection): Promise<void> {
    connection.isInTransaction = false
    return this.#driver.rollbackTransaction(connection.inner)
  }

  releaseConnection(connection: ActingConnection): Promise<void> {
    return this.#driver.releaseConnection(connection.inner)
  }
}

class ActingConnection implements DatabaseConnection {
  readonly inner: DatabaseConnection
  readonly #driver: Driver
  isInTransaction = false

  constructor(inner: DatabaseConnection, driver: Driver) {
    this.inner = inner
    this.#driver = driver
  }

  executeQuery<R>(...[query, options]: Parameters<DatabaseConnection['executeQuery']>): Promise<QueryResult<R>> {
    const actor = actors.getStore()
    const execute = () => tracedStatement('postgresql', query.sql, () => this.inner.executeQuery<R>(query, options))
    return actor === undefined || this.isInTransaction || !CHANGES.test(query.sql)
      ? execute()
      : this.#alone(actor, execute)
  }

  streamQuery<R>(...query: Parameters<DatabaseConnection['streamQuery']>): AsyncIterableIterator<QueryResult<R>> {
    return this.inner.streamQuery<R>(...query)
  }

  /** A change outside a transaction gets one of its own. */
  async #alone<R>(actor: string, change: () => Promise<R>): Promise<R> {
    await this.inner.executeQuery(beginAs(actor))
    try {
      const result = await change()
      await this.#driver.commitTransaction(this.inner)
      return result
    } catch (error) {
      await this.#driver.rollbackTransaction(this.inner).catch(() => undefined)
      throw error
    }
  }
}
