import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createConnection, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const binary = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/bin']
  .map(folder => join(folder, 'nats-server'))
  .find(path => existsSync(path))

/** Whether nats-server is installed on this machine. If CI is set, tests fail without it instead of being skipped. */
export const natsAvailable = binary !== undefined || process.env.CI === 'true'

if (binary === undefined && process.env.CI !== 'true') {
  console.warn('SKIPPED: everything on NATS JetStream, because there is no nats-server on this machine')
}

export interface NatsServer {
  url: string
  /** Stops the server and removes its data. */
  stop(): Promise<void>
  /** kill -9; the data is kept. */
  kill(): Promise<void>
  /** Suspends it without closing its connections, until it is resumed or stopped. */
  pause(): void
  resume(): void
  /** Restarts it at the same address with the same data, killing it first if it runs. */
  restart(): Promise<void>
  /** The same after removing its data. */
  wipe(): Promise<void>
}

const START_MS_MAX = 20_000

/**
 * Starts a nats-server with JetStream, and other options of its own, on a free port, with its data in a temporary
 * folder.
 */
export async function startNats(...options: string[]): Promise<NatsServer> {
  if (binary === undefined) throw new Error('There is no nats-server in PATH, /usr/sbin or /usr/bin')
  const folder = await mkdtemp(join(tmpdir(), 'spanhouse-nats-'))
  const port = await freePort()
  const start = () =>
    startServer(binary, ['-js', '-sd', folder, '-a', '127.0.0.1', '-p', String(port), ...options], port)
  let server = await start()
  const kill = () => end(server, 'SIGKILL')
  return {
    url: `nats://127.0.0.1:${port}`,
    kill,
    pause: () => void server.kill('SIGSTOP'),
    resume: () => void server.kill('SIGCONT'),
    restart: async () => {
      await kill()
      server = await start()
    },
    wipe: async () => {
      await kill()
      await rm(join(folder, 'jetstream'), { recursive: true })
      server = await start()
    },
    stop: async () => {
      server.kill('SIGCONT')
      await end(server, 'SIGTERM')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function startServer(path: string, args: string[], port: number): Promise<ChildProcess> {
  const server = spawn(path, args, { stdio: 'ignore' })
  const until = performance.now() + START_MS_MAX
  while (!(await accepts(port))) {
    if (server.exitCode !== null) throw new Error(`nats-server ended with code ${server.exitCode}`)
    if (performance.now() > until) {
      await end(server, 'SIGKILL')
      throw new Error('nats-server does not accept connections')
    }
    await sleep(10)
  }
  return server
}

async function end(server: ChildProcess, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  const exited = once(server, 'exit')
  server.kill(signal)
  await exited
}

/** The server sends its INFO as a greeting when it is ready. */
async function accepts(port: number): Promise<boolean> {
  const socket = createConnection(port, '127.0.0.1')
  try {
    await once(socket, 'data')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
