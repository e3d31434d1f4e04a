import { openPostgres } from '@spanhouse/postgres'
import { postgresAvailable, startPostgres } from '@spanhouse/postgres/postgres-server.testing.ts'
import { openTcpProxy } from '@spanhouse/postgres/tcp-proxy.testing.ts'
import { natsAvailable, startNats } from '@spanhouse/span-stream/nats-server.testing.ts'
import type { Logger } from 'pino'
import { expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import { openSharedStream } from './open-shared-stream.ts'

test.skipIf(!postgresAvailable || !natsAvailable)(
  'a start waits for a database that does not answer, and names its setting',
  async () => {
    const [server, nats] = await Promise.all([startPostgres(), startNats()])
    const proxy = await openTcpProxy(server.url)
    const postgres = await openPostgres({ url: proxy.url, limits: { connectMs: 200, idleMs: 100, silentMs: 300 } })
    await postgres.migrate()
    const config = readConfig({ DATABASE_URL: proxy.url, NATS_URL: nats.url })
    const waits: unknown[] = []
    const log = { warn: (wait: unknown) => waits.push(wait) } as unknown as Logger
    proxy.stall()
    const opening = openSharedStream(postgres.db, config, log)
    opening.catch(() => undefined)
    await expect
      .poll(() => waits)
      .toEqual([{ setting: 'DATABASE_URL', reason: expect.stringContaining('The database cannot be reached') }])
    proxy.resume()
    const stream = await opening
    expect((await stream.stats()).depth).toBe(0)
    await stream.close()
    await postgres.close()
    await proxy.close()
    await Promise.all([server.stop(), nats.stop()])
  },
)
