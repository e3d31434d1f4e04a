import { execFileSync } from 'node:child_process'

/** Addresses of the three stores, and how to end them. */
export interface Stores extends SharedStores {
  CLICKHOUSE_URL: string
}

/** The same with a cluster of ClickHouse servers. */
export interface ClusterStores extends SharedStores {
  CLICKHOUSE_URLS: string
}

interface SharedStores {
  DATABASE_URL: string
  NATS_URL: string
  stop(): Promise<void>
}

/** Whether a Docker engine answers here. */
export function dockerAvailable(): boolean {
  try {
    execFileSync('docker', ['info'], { stdio: 'ignore', timeout: 5_000 })
    return true
  } catch {
    return false
  }
}

/** The stores in containers, of the versions that docker-compose.yml names. */
export async function startContainers(): Promise<Stores> {
  // Loaded only where there is Docker: it takes a second.
  const { GenericContainer, Wait } = await import('testcontainers')
  const [postgres, nats, clickhouse] = await Promise.all([
    new GenericContainer('postgres:17')
      .withEnvironment({ POSTGRES_PASSWORD: 'spanhouse' })
      .withExposedPorts(5432)
      // It starts twice: once to set itself up, once for good.
      .withWaitStrategy(Wait.forLogMessage(/ready to accept connections/, 2))
      .start(),
    new GenericContainer('nats:2.11-alpine')
      .withCommand(['-js'])
      .withExposedPorts(4222)
      .withWaitStrategy(Wait.forLogMessage(/Server is ready/))
      .start(),
    new GenericContainer('clickhouse/clickhouse-server:26.7')
      .withEnvironment({ CLICKHOUSE_SKIP_USER_SETUP: '1' })
      .withExposedPorts(8123)
      .withWaitStrategy(Wait.forHttp('/ping', 8123))
      .start(),
  ])
  const address = (container: { getHost(): string; getMappedPort(port: number): number }, port: number): string =>
    `${container.getHost()}:${container.getMappedPort(port)}`
  return {
    DATABASE_URL: `postgres://postgres:spanhouse@${address(postgres, 5432)}/postgres`,
    NATS_URL: `nats://${address(nats, 4222)}`,
    CLICKHOUSE_URL: `http://${address(clickhouse, 8123)}`,
    stop: async () => {
      await Promise.all([postgres.stop(), nats.stop(), clickhouse.stop()])
    },
  }
}
