import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tokenKeyOf } from '@spanhouse/access'
import { startTestServer } from '@spanhouse/clickhouse-server/test-server.testing.ts'
import { postgresAvailable, startPostgres } from '@spanhouse/postgres/postgres-server.testing.ts'
import { type ServerProcess, startServerProcess } from '@spanhouse/server/server-process.testing.ts'
import { natsAvailable, startNats } from '@spanhouse/span-stream/nats-server.testing.ts'
import type { TestProject } from 'vitest/node'
import { type ClusterStores, dockerAvailable, type Stores, startContainers } from './containers.ts'

const programsAvailable = natsAvailable && postgresAvailable

/** Whether the stores can be started here: Debian's programs, or containers. */
export const networkedAvailable = programsAvailable || dockerAvailable()

/** The stores, and five processes, each of which knows the others only through the stores. */
export interface NetworkedSet {
  roles: Record<'api' | 'receiver' | 'writer' | 'services' | 'worker', ServerProcess>
  stop(): Promise<void>
}

/** Starts the set; `settings` are those of every process. */
export async function startNetworkedSet(settings: NodeJS.ProcessEnv = {}): Promise<NetworkedSet> {
  const dataDir = await mkdtemp(join(tmpdir(), 'spanhouse-networked-'))
  const stores = await startStores()
  const services = await startRole('services', { stores, dataDir: join(dataDir, 'services'), env: settings })
  const env = { ...settings, SPANHOUSE_SERVICES_URL: `${services.url}/services` }
  const api = await startRole('api', { stores, dataDir: join(dataDir, 'api'), like: services, env })
  const [receiver, writer, worker] = await Promise.all([
    startRole('receiver', { stores, dataDir: join(dataDir, 'receiver'), like: api, env: settings }),
    startRole('writer', { stores, dataDir: join(dataDir, 'writer'), like: api, env: settings }),
    startRole('worker', { stores, dataDir: join(dataDir, 'worker'), like: api, env }),
  ])
  return {
    roles: { api, receiver, writer, services, worker },
    stop: async () => {
      await Promise.all([api, receiver, writer, services, worker].map(role => role.stop()))
      await stores.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** The three stores, empty. */
export const startStores = (): Promise<Stores> => (programsAvailable ? startPrograms() : startContainers())

export interface RoleStart {
  stores: Stores | ClusterStores
  dataDir: string
  /** The first process makes the keys; later ones are given those. */
  like?: Pick<ServerProcess, 'adminKey' | 'apiKey' | 'secretKey'>
  /** Settings beside the addresses. */
  env?: NodeJS.ProcessEnv
}

/** A process of its own for one role. */
export function startRole(role: string, { stores, dataDir, like, env }: RoleStart): Promise<ServerProcess> {
  const { stop, ...addresses } = stores
  const keys = like && { like: { adminKey: like.adminKey, apiKey: like.apiKey, secretKey: like.secretKey } }
  return startServerProcess({ dataDir, ...keys, env: { ...addresses, SPANHOUSE_ROLES: role, ...env } })
}

/** Debian's programs, and the ClickHouse server that the product brings. */
async function startPrograms(): Promise<Stores> {
  const [postgres, nats, clickhouse] = await Promise.all([startPostgres(), startNats(), startTestServer()])
  return {
    DATABASE_URL: postgres.url,
    NATS_URL: nats.url,
    CLICKHOUSE_URL: clickhouse.url,
    stop: async () => {
      await Promise.all([postgres.stop(), nats.stop(), clickhouse.stop()])
    },
  }
}

export default async function start(project: TestProject): Promise<() => Promise<void>> {
  const set = await startNetworkedSet()
  project.provide('target', {
    set: 'networked',
    receiverUrl: set.roles.receiver.url,
    grpcUrl: set.roles.receiver.grpcUrl,
    apiUrl: set.roles.api.url,
    servicesUrl: `${set.roles.services.url}/services`,
    adminKey: set.roles.api.adminKey,
    tokenKey: tokenKeyOf(set.roles.api.secretKey),
  })
  return () => set.stop()
}
