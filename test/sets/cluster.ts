import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tokenKeyOf } from '@spanhouse/access'
import { startTestCluster, type TestCluster } from '@spanhouse/clickhouse-server/test-server.testing.ts'
import { startPostgres } from '@spanhouse/postgres/postgres-server.testing.ts'
import type { ServerProcess } from '@spanhouse/server/server-process.testing.ts'
import { startNats } from '@spanhouse/span-stream/nats-server.testing.ts'
import type { TestProject } from 'vitest/node'
import type { ClusterStores } from './containers.ts'
import { startRole } from './networked.ts'

/** Processes that run twice; the others run once. */
const DOUBLED = ['receiver', 'writer', 'api'] as const

/** A cluster of ClickHouse servers, and the processes that share it. */
export interface ClusterSet {
  stores: ClusterStores
  clickhouse: TestCluster
  /** By role, with the number of the second one appended: `api`, `api2`. */
  roles: ReadonlyMap<string, ServerProcess>
  stop(): Promise<void>
}

/** Starts the set. */
async function startClusterSet(shards: number): Promise<ClusterSet> {
  const dataDir = await mkdtemp(join(tmpdir(), 'spanhouse-cluster-set-'))
  const { stores, clickhouse } = await startClusterStores(shards)
  const roles = new Map<string, ServerProcess>()
  const start = async (name: string, env: NodeJS.ProcessEnv = {}): Promise<ServerProcess> => {
    const role = name.replace(/\d$/, '')
    const like = roles.get('services')
    const started = await startRole(role, {
      stores,
      dataDir: join(dataDir, name),
      env,
      ...(like && { like }),
    })
    roles.set(name, started)
    return started
  }
  const services = await start('services')
  const env = { SPANHOUSE_SERVICES_URL: `${services.url}/services` }
  await start('api', env)
  await Promise.all(['worker', ...DOUBLED.map(role => `${role}2`), 'receiver', 'writer'].map(name => start(name, env)))
  return {
    stores,
    clickhouse,
    roles,
    stop: async () => {
      await Promise.all([...roles.values()].map(role => role.stop()))
      await stores.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** The stores, empty. */
export async function startClusterStores(shards: number): Promise<{ stores: ClusterStores; clickhouse: TestCluster }> {
  const [postgres, nats, clickhouse] = await Promise.all([startPostgres(), startNats(), startTestCluster(shards)])
  const stores = {
    DATABASE_URL: postgres.url,
    NATS_URL: nats.url,
    CLICKHOUSE_URLS: clickhouse.servers.map(({ url }) => url).join(' '),
    stop: async () => {
      await Promise.all([postgres.stop(), nats.stop(), clickhouse.stop()])
    },
  }
  return { stores, clickhouse }
}

export default async function start(project: TestProject): Promise<() => Promise<void>> {
  const set = await startClusterSet(2)
  const [receiver, api, services] = ['receiver', 'api', 'services'].map(name => set.roles.get(name)) as [
    ServerProcess,
    ServerProcess,
    ServerProcess,
  ]
  project.provide('target', {
    set: 'cluster',
    receiverUrl: receiver.url,
    grpcUrl: receiver.grpcUrl,
    apiUrl: api.url,
    servicesUrl: `${services.url}/services`,
    adminKey: api.adminKey,
    tokenKey: tokenKeyOf(api.secretKey),
  })
  return () => set.stop()
}
