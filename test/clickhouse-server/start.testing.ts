import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'

/** A ClickHouse server in a process of its own. */
export interface ClickHouseProcess {
  /** `http://127.0.0.1:PORT`, the same after a restart. */
  readonly url: string
  /** Ends it in order: statements that run finish first. A folder that was made for it is removed. */
  stop(): Promise<void>
  /** SIGKILL; resolves when the process is gone. Its data stays. */
  kill(): Promise<void>
  /** Stops it in the middle of whatever it does, until `resume`. */
  pause(): void
  resume(): void
  /** Starts it again on the same data and port, after {@link ClickHouseProcess.kill} or in place of the running one. */
  restart(): Promise<void>
}

/** Starts a server on a free port and resolves when it answers. Without a path its data lie in a temporary folder. */
export async function startClickHouse(options: { path?: string } = {}): Promise<ClickHouseProcess> {
  const path = options.path ?? (await mkdtemp(join(tmpdir(), 'spanhouse-clickhouse-')))
  const port = await freePort()
  let child = await launch(port, path)
  const end = (signal: 'SIGTERM' | 'SIGKILL') => endProcess(child, signal)
  return {
    url: `http://127.0.0.1:${port}`,
    kill: () => end('SIGKILL'),
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    async restart() {
      await end('SIGTERM')
      child = await launch(port, path)
    },
    async stop() {
      await end('SIGTERM')
      if (options.path === undefined) await rm(path, { recursive: true, force: true })
    },
  }
}

async function launch(port: number, path: string): Promise<ChildProcess> {
  const main = join(import.meta.dirname, 'main.ts')
  const child = spawn(process.execPath, [main, '--port', String(port), '--path', path], {
    // With a channel, so that it ends when this process does, however that happens.
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const exited = once(child, 'exit').then(([code, signal]) => {
    throw new Error(`The ClickHouse server ended before it listened (${code ?? signal})`)
  })
  await Promise.race([once(createInterface(child.stdout as Readable), 'line'), exited])
  exited.catch(() => undefined)
  return child
}

async function endProcess(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill(signal)
  await exited
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('No port was assigned')
  return address.port
}
