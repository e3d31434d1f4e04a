import { once } from 'node:events'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { onEachDatabase } from './database.testing.ts'
import type { Lease } from './lease.ts'
import { openPostgres, type Postgres } from './postgres.ts'
import { type PostgresServer, postgresAvailable, startPostgres } from './postgres-server.testing.ts'
import { openTcpProxy } from './tcp-proxy.testing.ts'

const lost = async (lease: Lease): Promise<void> => {
  if (!lease.lost.aborted) await once(lease.lost, 'abort')
}

/** The lease, as soon as whoever had it is gone. */
const acquired = (postgres: Postgres, name: string): Promise<Lease> =>
  vi.waitFor(
    async () => {
      const lease = await postgres.lease(name)
      expect(lease).not.toBeNull()
      return lease as Lease
    },
    { timeout: 10_000, interval: 20 },
  )

onEachDatabase('a lease', postgres => {
  test('has one holder until it is released', async () => {
    const lease = await postgres().lease('writer-0')
    expect(lease?.name).toBe('writer-0')
    expect(await postgres().lease('writer-0')).toBeNull()
    const other = await postgres().lease('writer-1')
    expect(other).not.toBeNull()
    await lease?.release()
    const next = await postgres().lease('writer-0')
    expect(next).not.toBeNull()
    expect(lease?.lost.aborted).toBe(false)
    await Promise.all([next?.release(), other?.release()])
  })

  test('released twice frees the first holder only', async () => {
    const lease = await postgres().lease('twice')
    await Promise.all([lease?.release(), lease?.release()])
    const next = await postgres().lease('twice')
    await lease?.release()
    expect(await postgres().lease('twice')).toBeNull()
    await next?.release()
  })

  test('of many that want it at once, one gets it', async () => {
    const leases = await Promise.all(Array.from({ length: 20 }, () => postgres().lease('contended')))
    const winners = leases.filter(lease => lease !== null)
    expect(winners).toHaveLength(1)
    await winners[0]?.release()
  })
})

describe.skipIf(!postgresAvailable)('leases between processes', () => {
  const names = Array.from({ length: 40 }, (_, index) => `many-${index}`)
  let server: PostgresServer
  let one: Postgres
  let other: Postgres
  /**
   * The client of Postgres warns, once in a process, of statements that are sent before the one under way has ended.
   */
  const warnings: string[] = []
  const onWarning = ({ message }: Error): unknown => warnings.push(message)
  beforeAll(async () => {
    process.on('warning', onWarning)
    server = await startPostgres({ durable: true })
    one = await openPostgres({ url: server.url })
    other = await openPostgres({ url: server.url })
  })
  afterAll(async () => {
    await Promise.all([one?.close(), other?.close()])
    await server?.stop()
    process.off('warning', onWarning)
  })

  test('the second process gets none until the first releases', async () => {
    const lease = await one.lease('a')
    expect(await other.lease('a')).toBeNull()
    await lease?.release()
    const next = await other.lease('a')
    expect(next).not.toBeNull()
    await next?.release()
  })

  test('when the connection is ended, every lease is lost and others can acquire them', async () => {
    const leases = [await one.lease('b'), await one.lease('c')] as Lease[]
    await sql`select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory'`.execute(other.db)
    await Promise.all(leases.map(lost))
    const next = await acquired(other, 'b')
    expect(await one.lease('b')).toBeNull()
    // Releasing what was lost must not touch what somebody else has now.
    await Promise.all(leases.map(lease => lease.release()))
    expect(await one.lease('b')).toBeNull()
    await next.release()
  })

  test('a crash of the server loses them; afterwards they can be acquired again', async () => {
    const lease = (await one.lease('d')) as Lease
    await server.kill()
    await lost(lease)
    await expect(one.lease('d')).rejects.toMatchObject({ code: 'overloaded' })
    await server.restart()
    await (await acquired(other, 'd')).release()
    await (await acquired(one, 'd')).release()
  })

  test('a silent network loses them within two heartbeats', async () => {
    const proxy = await openTcpProxy(server.url)
    const cut = await openPostgres({ url: proxy.url, limits: { heartbeatMs: 200 } })
    const lease = (await cut.lease('e')) as Lease
    proxy.stall()
    const before = performance.now()
    // However many statements wait: all of them end with the first.
    const asked = await Promise.allSettled(names.map(name => cut.lease(name)))
    await lost(lease)
    expect(performance.now() - before).toBeLessThan(5_000)
    expect(new Set(asked.map(({ status }) => status))).toEqual(new Set(['rejected']))
    await cut.close()
    await proxy.close()
  })

  test('many at once are asked for one after the other', async () => {
    const leases = (await Promise.all(names.map(name => one.lease(name)))) as Lease[]
    expect(await other.leasesHeld(names)).toBe(names.length)
    await Promise.all(leases.map(lease => lease.release()))
    expect(await other.leasesHeld(names)).toBe(0)
    expect(warnings).toEqual([])
  })

  test('closing loses them', async () => {
    const closing = await openPostgres({ url: server.url })
    const lease = (await closing.lease('f')) as Lease
    await closing.close()
    expect(lease.lost.aborted).toBe(true)
    await expect(closing.lease('f')).rejects.toThrow('closed')
    await (await acquired(other, 'f')).release()
  })
})
