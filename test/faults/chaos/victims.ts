import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTestCluster, startTestServer } from '@spanhouse/clickhouse-server/test-server.testing.ts'
import { startPostgres } from '@spanhouse/postgres/postgres-server.testing.ts'
import { newDataDir, type ServerProcess, startServerProcess } from '@spanhouse/server/server-process.testing.ts'
import { startNats } from '@spanhouse/span-stream/nats-server.testing.ts'
import type { Target } from './load.ts'

/** A process that can be killed. */
export interface Killable {
  name: string
  kill(): Promise<void>
  /** Starts it again after `kill`, at the same address with the same data. */
  restart(): Promise<void>
  /** What it has written, where that is known. */
  output?(): string
}

/** A process to which faults happen. */
export interface Victim extends Killable {
  pause(): void
  resume(): void
}

export interface Victims {
  target: Target
  all: Victim[]
  /** All of these, and Postgres. */
  killable: Killable[]
  /** The Spanhouse processes by name. */
  server(name: string): ServerProcess
  stop(): Promise<void>
}

/** One process with everything embedded, and its ClickHouse. */
export async function startEmbedded(): Promise<Victims> {
  const dataDir = await newDataDir('chaos')
  const servers = new Servers()
  await servers.start('all', { dataDir })
  const clickhouse = childServer(join(dataDir, 'clickhouse'))
  return victimsOf(servers, [clickhouse], { receiver: 'all', api: 'all' }, () =>
    rm(dataDir, { recursive: true, force: true }),
  )
}

/** The ClickHouse server that the process has started in a folder, and starts again by itself. */
function childServer(folder: string): Victim {
  /** Nothing happens to anybody while it is dead. */
  const send = (signal: NodeJS.Signals): void => {
    try {
      const pid = /PID: (\d+)/.exec(readFileSync(join(folder, 'status'), 'utf8'))?.[1]
      if (readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(folder)) process.kill(Number(pid), signal)
    } catch (error) {
      if (!['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    }
  }
  return {
    name: 'clickhouse',
    kill: async () => send('SIGKILL'),
    restart: async () => undefined,
    pause: () => send('SIGSTOP'),
    resume: () => send('SIGCONT'),
  }
}

/** A receiver, an interface, several writers and, for evaluations, workers, over stores that are servers. */
export async function startNetworked(writers: number, workers = 0): Promise<Victims> {
  const clickhouse = await startTestServer()
  const store = { CLICKHOUSE_URL: clickhouse.url }
  return startRoles({ store, clickhouses: [{ ...clickhouse, name: 'clickhouse' }], writers, workers }, () =>
    clickhouse.stop(),
  )
}

/** The same over a ClickHouse cluster with two shards. */
export async function startCluster(writers: number): Promise<Victims> {
  const cluster = await startTestCluster(2)
  const store = { CLICKHOUSE_URLS: cluster.servers.map(({ url }) => url).join(' ') }
  const clickhouses = cluster.servers.map((server, index) => ({ ...server, name: `shard-${index + 1}` }))
  return startRoles({ store, clickhouses, writers, workers: 0 }, () => cluster.stop())
}

interface RolesStart {
  /** The address of ClickHouse. */
  store: NodeJS.ProcessEnv
  /** Its servers. */
  clickhouses: Victim[]
  writers: number
  workers: number
}

async function startRoles(
  { store, clickhouses, writers, workers }: RolesStart,
  end: () => Promise<void>,
): Promise<Victims> {
  const dataDir = await mkdtemp(join(tmpdir(), 'spanhouse-chaos-'))
  const [postgres, nats] = await Promise.all([startPostgres(), startNats()])
  const stores = { DATABASE_URL: postgres.url, NATS_URL: nats.url, ...store }
  const servers = new Servers()
  await servers.start('api', { dataDir: join(dataDir, 'api'), env: { ...stores, SPANHOUSE_ROLES: 'api' } })
  const { adminKey, apiKey, secretKey } = servers.get('api')
  const env = { ...stores, SPANHOUSE_ADMIN_KEY: adminKey, SPANHOUSE_API_KEY: apiKey, SPANHOUSE_SECRET_KEY: secretKey }
  const numbered = (role: string, count: number) => Array.from({ length: count }, (_, index) => `${role}-${index + 1}`)
  const names = ['receiver', ...numbered('writer', writers), ...numbered('worker', workers)]
  await Promise.all(
    names.map(name =>
      servers.start(name, { dataDir: join(dataDir, name), env: { ...env, SPANHOUSE_ROLES: name.split('-')[0] } }),
    ),
  )
  const all = [{ name: 'nats', ...nats }, ...clickhouses]
  const victims = victimsOf(servers, all, { receiver: 'receiver', api: 'api' }, async () => {
    await Promise.all([postgres.stop(), nats.stop(), end()])
    await rm(dataDir, { recursive: true, force: true })
  })
  const { kill, restart } = postgres
  return { ...victims, killable: [...victims.all, { name: 'postgres', kill, restart }] }
}

type Options = Parameters<typeof startServerProcess>[0]

class Servers {
  readonly #running = new Map<string, { process: ServerProcess; options: Options }>()

  async start(name: string, options: Options): Promise<void> {
    this.#running.set(name, { process: await startServerProcess(options), options })
  }

  get(name: string): ServerProcess {
    const found = this.#running.get(name)
    if (!found) throw new Error(`nothing is called ${name}`)
    return found.process
  }

  victims(): Victim[] {
    return [...this.#running.keys()].map(name => ({
      name,
      kill: () => this.get(name).kill(),
      restart: async () => {
        const { process, options } = this.#running.get(name) as { process: ServerProcess; options: Options }
        await this.start(name, { ...options, like: process })
      },
      pause: () => this.get(name).pause(),
      resume: () => this.get(name).resume(),
      output: () => this.get(name).output(),
    }))
  }

  async stop(): Promise<void> {
    await Promise.all(Array.from(this.#running.values(), ({ process }) => process.kill()))
  }
}

function victimsOf(
  servers: Servers,
  stores: Victim[],
  names: { receiver: string; api: string },
  end: () => Promise<void>,
): Victims {
  const { url: apiUrl, apiKey } = servers.get(names.api)
  const all = [...servers.victims(), ...stores]
  return {
    target: {
      receiverUrl: servers.get(names.receiver).url,
      grpcUrl: servers.get(names.receiver).grpcUrl,
      apiUrl,
      apiKey,
    },
    all,
    killable: all,
    server: name => servers.get(name),
    stop: async () => {
      await servers.stop()
      await end()
    },
  }
}
