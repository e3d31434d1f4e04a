import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { databaseProblem } from './database-problem.ts'
import { openPooler, poolerAvailable } from './pooler.testing.ts'
import { openPostgres } from './postgres.ts'
import { type PostgresServer, postgresAvailable, startPostgres } from './postgres-server.testing.ts'
import type { Database } from './tables.ts'
import { openTcpProxy } from './tcp-proxy.testing.ts'

describe.skipIf(!postgresAvailable)('a Postgres server', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres({ durable: true })
  })
  afterAll(() => server?.stop())

  test('ten processes that start at once migrate once', async () => {
    const url = await server.createDatabase()
    const processes = await Promise.all(Array.from({ length: 10 }, () => openPostgres({ url })))
    const ran = await Promise.all(processes.map(one => one.migrate()))
    expect(ran.flat()).toEqual([...new Set(ran.flat())])
    expect(ran.flat()).toContain('001_access')
    await Promise.all(processes.map(one => one.close()))
  })

  test('a limit of time that the database has for all statements does not end a migration', async () => {
    const url = await server.createDatabase('limited')
    const postgres = await openPostgres({ url })
    await sql`alter database limited set statement_timeout = '5ms'`.execute(postgres.db)
    expect(await postgres.migrate()).toContain('001_access')
    await postgres.close()
  })

  test.skipIf(!poolerAvailable)(
    'a pooler that keeps the session of a connection needs no settings for it, and limits hold',
    async () => {
      const pooler = await openPooler(await server.createDatabase(), 'session')
      const [one, other] = await Promise.all([1, 2].map(() => openPostgres({ url: pooler.url })))
      expect(await one?.migrate()).toContain('001_access')
      const { rows } = await sql`select current_setting('statement_timeout') as limit`.execute(one?.db as Database)
      expect(rows).toEqual([{ limit: '30s' }])
      expect(await one?.lease('pooled')).not.toBeNull()
      expect(await other?.lease('pooled')).toBeNull()
      await Promise.all([one, other].map(postgres => postgres?.close()))
      await pooler.close()
    },
  )

  test.skipIf(!poolerAvailable)(
    'a pooler in transaction mode is refused: leases would have several holders',
    async () => {
      const pooler = await openPooler(await server.createDatabase(), 'transaction')
      const postgres = await openPostgres({ url: pooler.url })
      await expect(postgres.migrate()).rejects.toThrow(/^this is a pooler .*session mode/)
      await postgres.close()
      await pooler.close()
    },
  )

  test('a statement that takes too long is ended', async () => {
    const postgres = await openPostgres({ url: server.url, limits: { statementMs: 100 } })
    await expect(sql`select pg_sleep(10)`.execute(postgres.db)).rejects.toMatchObject({ code: '57014' })
    await postgres.ping()
    await postgres.close()
  })

  test('connections are bounded, and waiting for one too', async () => {
    const postgres = await openPostgres({ url: server.url, limits: { connectionsMax: 2, connectMs: 100 } })
    const busy = [1, 2].map(() => sql`select pg_sleep(0.5)`.execute(postgres.db))
    await expect(postgres.ping()).rejects.toMatchObject({ code: 'overloaded', status: 503 })
    await Promise.all(busy)
    await postgres.ping()
    await postgres.close()
  })

  test('a crash of the server costs the requests under way, not the process', async () => {
    const onIdleError = vi.fn()
    const postgres = await openPostgres({ url: server.url, onIdleError })
    await postgres.ping()
    await server.kill()
    // Otherwise a request may be the one that learns of it.
    await expect.poll(() => onIdleError).toHaveBeenCalled()
    await expect(postgres.ping()).rejects.toMatchObject({ code: 'overloaded', retryAfterSeconds: 5 })
    await server.restart()
    await postgres.ping()
    await postgres.close()
  })

  test('a crash between two statements of a transaction fails the transaction', async () => {
    const postgres = await openPostgres({ url: server.url })
    const transaction = postgres.db.transaction().execute(async trx => {
      await sql`select 1`.execute(trx)
      await server.kill()
      await sql`select 2`.execute(trx)
    })
    const error = await transaction.catch(error => error)
    expect(databaseProblem(error)).toMatchObject({ code: 'overloaded' })
    await server.restart()
    await postgres.ping()
    await postgres.close()
  })

  test('a server that falls silent in the middle of a statement is given up', async () => {
    const proxy = await openTcpProxy(server.url)
    const postgres = await openPostgres({ url: proxy.url, limits: { silentMs: 300, idleMs: 200 } })
    await postgres.ping()
    proxy.stall()
    await expect(postgres.ping()).rejects.toMatchObject({ code: 'overloaded' })
    proxy.resume()
    await postgres.ping()
    await postgres.close()
    await proxy.close()
  })
})

test('no server: the answer is a problem, not a hang', async () => {
  const postgres = await openPostgres({ url: 'postgres://nobody@127.0.0.1:1/none' })
  await expect(postgres.ping()).rejects.toMatchObject({ code: 'overloaded' })
  await expect(postgres.migrate()).rejects.toMatchObject({ code: 'overloaded' })
  await expect(postgres.lease('x')).rejects.toMatchObject({ code: 'overloaded' })
  await postgres.close()
})
