import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePorts, startOn } from './clickhouse-server.ts'
import type { ServerAddress } from './configuration.ts'
import { type ServerProcess, startServerProcess, urlOf } from './server-process.ts'

/** A ClickHouse server for tests; it is not restarted if it dies. */
export interface TestServer {
  /** Its HTTP address, including user and password; unchanged after a restart. */
  readonly url: string
  /** `127.0.0.1:PORT` of the native protocol, for `remote()`, if it has one. */
  readonly tcpAddress: string
  readonly user: string
  readonly password: string
  /** Stops it. A folder created for it is removed. */
  stop(): Promise<void>
  /** SIGKILL; resolves when the process has exited. Its data is kept. */
  kill(): Promise<void>
  /** Suspends it until `resume`. */
  pause(): void
  resume(): void
  /** Restarts it with the same data and port, after {@link TestServer.kill} or in place of the running one. */
  restart(): Promise<void>
}

/**
 * Starts a server on free ports and resolves when it responds. Without a path, its data is in a temporary folder.
 * Without the native protocol by default: whoever breaks a connection of it off, if only by mistake, makes the server
 * abort.
 */
export async function startTestServer(options: { path?: string; withTcp?: boolean } = {}): Promise<TestServer> {
  const path = options.path ?? (await mkdtemp(join(tmpdir(), 'spanhouse-clickhouse-')))
  const { address, server } = await startOn({ path, withTcp: options.withTcp ?? false })
  const clean = async (): Promise<void> => {
    if (options.path === undefined) await rm(path, { recursive: true, force: true })
  }
  return controlled(address, server, { clean })
}

/** Servers that form a cluster: each is a shard, and is started again if it dies by itself (see DECISIONS.md). */
export interface TestCluster {
  readonly servers: readonly TestServer[]
  /** Starts another server, and the others again one by one with the longer list of shards. */
  grow(): Promise<void>
  stop(): Promise<void>
}

/** Starts the servers of a cluster with as many shards; the first has the data at `path`, if given. */
export async function startTestCluster(
  count: number,
  { path, isLogged = false }: { path?: string; isLogged?: boolean } = {},
): Promise<TestCluster> {
  const folder = await mkdtemp(join(tmpdir(), 'spanhouse-cluster-'))
  const password = randomBytes(24).toString('base64url')
  const addresses: ServerAddress[] = []
  const servers: TestServer[] = []
  const addAddresses = async (wanted: number): Promise<void> => {
    while (addresses.length < wanted) {
      const [httpPort = 0, tcpPort = 0] = await freePorts(2)
      const shard = addresses.length + 1
      const own = shard === 1 && path ? path : join(folder, String(shard))
      await mkdir(own, { recursive: true })
      addresses.push({ path: own, httpPort, tcpPort, password })
    }
    const tcpPorts = addresses.map(({ tcpPort }) => tcpPort as number)
    for (const [index, address] of addresses.entries()) address.cluster = { tcpPorts, shard: index + 1, isLogged }
  }
  const start = async (address: ServerAddress): Promise<void> => {
    servers.push(controlled(address, await startServerProcess(address), { isKept: true }))
  }
  await addAddresses(count)
  for (const address of addresses) await start(address)
  return {
    servers,
    grow: async () => {
      await addAddresses(addresses.length + 1)
      await start(addresses.at(-1) as ServerAddress)
      for (const server of servers.slice(0, -1)) await server.restart()
    },
    stop: async () => {
      await Promise.all(servers.map(server => server.stop()))
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** `address` may be changed before a restart. */
function controlled(
  address: ServerAddress,
  started: ServerProcess,
  { clean, isKept = false }: { clean?: () => Promise<void>; isKept?: boolean },
): TestServer {
  let server = started
  /** Whether it was killed on purpose. */
  let isDown = false
  let revived: Promise<void> = Promise.resolve()
  const start = async (): Promise<void> => {
    server = await startServerProcess(address)
    watch()
  }
  const watch = (): void => {
    if (!isKept) return
    void server.ended.then(reason => {
      if (isDown) return
      process.stderr.write(`a ClickHouse server has died and is started again: ${reason}\n`)
      revived = start()
    })
  }
  const kill = async (): Promise<void> => {
    isDown = true
    await revived
    server.signal('SIGKILL')
    await server.ended
  }
  watch()
  const url = new URL(urlOf(address))
  return {
    url: url.href.replace(/\/$/, ''),
    tcpAddress: `127.0.0.1:${address.tcpPort}`,
    user: url.username,
    password: url.password,
    kill,
    pause: () => server.signal('SIGSTOP'),
    resume: () => server.signal('SIGCONT'),
    restart: async () => {
      await kill()
      isDown = false
      await start()
    },
    stop: async () => {
      await kill()
      await clean?.()
    },
  }
}
