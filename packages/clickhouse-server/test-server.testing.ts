import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startOn } from './clickhouse-server.ts'
import { startServerProcess, urlOf } from './server-process.ts'

/** A ClickHouse server for tests; it is not restarted if it dies. */
export interface TestServer {
  /** Its HTTP address, including user and password; unchanged after a restart. */
  readonly url: string
  /** `127.0.0.1:PORT` of the native protocol, for `remote()`. */
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

/** Starts a server on free ports and resolves when it responds. Without a path, its data is in a temporary folder. */
export async function startTestServer(options: { path?: string } = {}): Promise<TestServer> {
  const path = options.path ?? (await mkdtemp(join(tmpdir(), 'spanhouse-clickhouse-')))
  const started = await startOn({ path, withTcp: true })
  const { address } = started
  let { server } = started
  const kill = async (): Promise<void> => {
    server.signal('SIGKILL')
    await server.ended
  }
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
      server = await startServerProcess(address)
    },
    stop: async () => {
      await kill()
      if (options.path === undefined) await rm(path, { recursive: true, force: true })
    },
  }
}
