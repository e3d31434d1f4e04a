import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { postgresAvailable, startPostgres } from '@spanhouse/postgres/postgres-server.testing.ts'
import { type ServerProcess, startServerProcess } from '@spanhouse/server/server-process.testing.ts'
import { natsAvailable, startNats } from '@spanhouse/span-stream/nats-server.testing.ts'
import type { TestProject } from 'vitest/node'
import { startClickHouse } from '../clickhouse-server/start.testing.ts'

/** The stores and three processes, each of which knows the others only through the stores. */
export interface NetworkedSet {
  postgres: Awaited<ReturnType<typeof startPostgres>>
  nats: Awaited<ReturnType<typeof startNats>>
  clickhouse: Awaited<ReturnType<typeof startClickHouse>>
  roles: Record<'api' | 'receiver' | 'writer', ServerProcess>
  /** The settings that all roles share. */
  env: NodeJS.ProcessEnv
  stop(): Promise<void>
}

export const networkedAvailable = natsAvailable && postgresAvailable

export async function startNetworkedSet(): Promise<NetworkedSet> {
  const dataDir = await mkdtemp(join(tmpdir(), 'spanhouse-networked-'))
  const [postgres, nats, clickhouse] = await Promise.all([startPostgres(), startNats(), startClickHouse({})])
  const env = { DATABASE_URL: postgres.url, NATS_URL: nats.url, CLICKHOUSE_URL: clickhouse.url }
  const start = (role: string, like?: ServerProcess): Promise<ServerProcess> =>
    startServerProcess({
      dataDir: join(dataDir, role),
      env: {
        ...env,
        SPANHOUSE_ROLES: role,
        ...(like ? { SPANHOUSE_ADMIN_KEY: like.adminKey, SPANHOUSE_API_KEY: like.apiKey } : {}),
      },
    })
  const api = await start('api')
  const [receiver, writer] = await Promise.all([start('receiver', api), start('writer', api)])
  return {
    postgres,
    nats,
    clickhouse,
    roles: { api, receiver, writer },
    env,
    stop: async () => {
      await Promise.all([api.stop(), receiver.stop(), writer.stop()])
      await Promise.all([postgres.stop(), nats.stop(), clickhouse.stop()])
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

export default async function start(project: TestProject): Promise<() => Promise<void>> {
  const set = await startNetworkedSet()
  project.provide('target', {
    set: 'networked',
    receiverUrl: set.roles.receiver.url,
    apiUrl: set.roles.api.url,
    adminKey: set.roles.api.adminKey,
  })
  return () => set.stop()
}
