import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes, randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { childrensCpuSecondsOf, cpuSecondsOf, memoryBytesOf, peakBytesOf } from './process-figures.testing.ts'
import { START_OPTIONS, startEnvironment } from './start/options.ts'

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url))

/** A Spanhouse in a separate process. */
export interface ServerProcess {
  url: string
  /** Of OTLP over gRPC; empty if it has none. */
  grpcUrl: string
  pid: number
  /** The default project's. */
  apiKey: string
  adminKey: string
  /** The tokens' signing key is derived from it. */
  secretKey: string
  /** Its standard output and error so far. */
  output(): string
  /** Its exit code, or the signal that ended it; undefined while it runs. */
  ended(): number | NodeJS.Signals | undefined
  /** CPU seconds used so far, including its ClickHouse. */
  cpuSeconds(): Promise<number>
  /** Those of its ClickHouse alone. */
  clickhouseCpuSeconds(): Promise<number>
  /** Its peak resident memory and that of its ClickHouse, each at its own time. */
  peakBytes(): Promise<number>
  /** The memory it holds now, including its ClickHouse. */
  memoryBytes(): Promise<number>
  /** The value of a metric, summed over its labels. */
  metric(name: string): Promise<number>
  /** Asks it to stop and waits; resolves to its exit code. */
  stop(): Promise<number | null>
  /** Kills it as a power failure would. */
  kill(): Promise<void>
  /** Suspends it until `resume`. */
  pause(): void
  resume(): void
}

export interface ServerProcessOptions {
  dataDir: string
  /** The same keys, for another role over the same stores; with the same ports, a restart. */
  like?: Pick<ServerProcess, 'apiKey' | 'adminKey' | 'secretKey'> & { url?: string; grpcUrl?: string }
  env?: NodeJS.ProcessEnv
}

/** A temporary data folder. */
export const newDataDir = (name: string): Promise<string> => mkdtemp(join(tmpdir(), `spanhouse-${name}-`))

/**
 * The port of an address, or a free one below those that Linux gives to whoever asks for any (32,768 and above): a
 * server that starts again finds it free.
 */
async function portOf(url: string | undefined): Promise<string> {
  if (url) return new URL(url).port
  for (;;) {
    const port = randomInt(10_000, 32_768)
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    server.close()
    if (isFree) return String(port)
  }
}

/** Starts the program as `npm start` does and resolves when it is ready. */
export async function startServerProcess({ dataDir, like, env }: ServerProcessOptions): Promise<ServerProcess> {
  const apiKey = like?.apiKey ?? `${randomBytes(4).toString('hex')}.${randomBytes(32).toString('hex')}`
  const adminKey = like?.adminKey ?? randomBytes(16).toString('hex')
  const secretKey = like?.secretKey ?? randomBytes(32).toString('hex')
  const child = spawn(process.execPath, [...START_OPTIONS, MAIN], {
    env: {
      ...startEnvironment(process.env),
      SPANHOUSE_PORT: await portOf(like?.url),
      SPANHOUSE_GRPC_PORT: await portOf(like?.grpcUrl),
      SPANHOUSE_DATA_DIR: dataDir,
      SPANHOUSE_API_KEY: apiKey,
      SPANHOUSE_ADMIN_KEY: adminKey,
      SPANHOUSE_SECRET_KEY: secretKey,
      SPANHOUSE_LOG_LEVEL: 'warn',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = collectOutput(child)
  const ended = (): number | NodeJS.Signals | undefined => child.exitCode ?? child.signalCode ?? undefined
  const url = await untilReady(child, ended, output)
  const [, grpcUrl = ''] = /OTLP over gRPC +(http:\S+)\n/.exec(output()) ?? []
  const keys = { apiKey, adminKey, secretKey }
  return { url, grpcUrl, pid: child.pid as number, ...keys, output, ended, ...control(child), ...figures(child, url) }
}

function collectOutput(child: ChildProcess): () => string {
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', chunk => {
      text = (text + String(chunk)).slice(-100_000)
    })
  return () => text
}

const READY_MS = 180_000

/** Resolves to its address, which the first lines of its output contain. */
async function untilReady(child: ChildProcess, ended: ServerProcess['ended'], output: () => string): Promise<string> {
  const end = performance.now() + READY_MS
  while (performance.now() < end) {
    if (ended() !== undefined) throw new Error(`the server ended with code ${ended()}:\n${output()}`)
    const [, url] = /listens at +(http:\S+)\/api\n/.exec(output()) ?? []
    const answer = url === undefined ? undefined : await fetch(`${url}/ready`).catch(() => undefined)
    if (url !== undefined && answer?.ok) return url
    await delay(50)
  }
  child.kill('SIGKILL')
  throw new Error(`the server did not get ready within ${READY_MS / 1000} s:\n${output()}`)
}

function control(child: ChildProcess): Pick<ServerProcess, 'stop' | 'kill' | 'pause' | 'resume'> {
  const ended = new Promise<number | null>(resolve => child.once('exit', resolve))
  const end = (signal: NodeJS.Signals): Promise<number | null> => {
    child.kill(signal)
    return ended
  }
  return {
    stop: () => end('SIGTERM'),
    kill: async () => void (await end('SIGKILL')),
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
  }
}

type Figures = Pick<ServerProcess, 'cpuSeconds' | 'clickhouseCpuSeconds' | 'peakBytes' | 'memoryBytes' | 'metric'>

function figures(child: ChildProcess, url: string): Figures {
  const pid = child.pid as number
  return {
    cpuSeconds: () => cpuSecondsOf(pid),
    clickhouseCpuSeconds: () => childrensCpuSecondsOf(pid),
    peakBytes: () => peakBytesOf(pid),
    memoryBytes: () => memoryBytesOf(pid),
    metric: async name => {
      const text = await (await fetch(`${url}/metrics`)).text()
      const lines = text.split('\n').filter(line => line.startsWith(`${name} `) || line.startsWith(`${name}{`))
      return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
    },
  }
}
