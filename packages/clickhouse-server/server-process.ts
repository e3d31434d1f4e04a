import { type ChildProcess, spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { runProcessBehind } from '@spanhouse/priority'
import { type ServerAddress, USER, writeConfiguration } from './configuration.ts'

/** A running server as a child process. It ends with this process, however that ends. */
export interface ServerProcess {
  /** Resolves when the process has exited, with the reason if known. */
  readonly ended: Promise<string>
  /** SIGKILL ends it like a crash, which ClickHouse is designed for; SIGSTOP and SIGCONT are for tests. */
  signal(signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void
}

/** The HTTP address, including user and password. */
export const urlOf = ({ httpPort, password }: ServerAddress): string =>
  `http://${USER}:${password}@127.0.0.1:${httpPort}`

/** Starts a server and resolves when it responds. Rejects with the server's own error output if it exits before. */
export async function startServerProcess(address: ServerAddress): Promise<ServerProcess> {
  const library = await findLibrary()
  const configFile = await writeConfiguration(address)
  const program = fileURLToPath(new URL('./program.ts', import.meta.url))
  const child = spawn(process.execPath, [program, library, configFile, statementsOf(address)], {
    stdio: ['pipe', 'ignore', 'pipe'],
    env: { ...process.env, JE_MALLOC_CONF: ALLOCATOR },
  })
  if (child.pid !== undefined) runProcessBehind(child.pid)
  const server = { ended: endOf(child), signal: (signal: NodeJS.Signals): void => void child.kill(signal) }
  try {
    await untilReady(address, server.ended)
    return server
  } catch (error) {
    server.signal('SIGKILL')
    await server.ended
    throw error
  }
}

async function findLibrary(): Promise<string> {
  try {
    const { libchdbPath } = await import('chdb/libchdb')
    return libchdbPath()
  } catch (cause) {
    throw new Error('The embedded ClickHouse (chdb) is not available for this platform: set CLICKHOUSE_URL instead.', {
      cause,
    })
  }
}

/**
 * Of the allocator, jemalloc: one arena for two processors instead of one for each. What an insert has freed serves the
 * next one, wherever that runs; an arena of each processor would keep its own free pages. They are kept for a minute:
 * with less, some are returned between statements that follow each other at once. A block that exceeds the threshold
 * is returned as soon as it is freed, and analytics of a million numbers have blocks of 64 MiB, which is the default.
 */
const ALLOCATOR = [
  'percpu_arena:disabled',
  `narenas:${Math.ceil(availableParallelism() / 2)}`,
  'dirty_decay_ms:60000',
  `oversize_threshold:${128 * 1024 ** 2}`,
].join()

/** The first waits until the working folder is gone, see `program.ts`. The last keeps the process alive. */
const statementsOf = ({ tcpPort }: ServerAddress): string =>
  [
    "SELECT file(materialize('gate')) FORMAT Null",
    'SYSTEM START LISTEN HTTP',
    ...(tcpPort === undefined ? [] : ['SYSTEM START LISTEN TCP']),
    `SELECT sleepEachRow(1) FROM system.numbers
     SETTINGS function_sleep_max_microseconds_per_block = 0, max_block_size = 1 FORMAT Null`,
  ].join(';\n')

const LAST_WORDS_LENGTH_MAX = 1_000
const WHERE_IT_LOGS = /^Logging .*\n/gm

function endOf(child: ChildProcess): Promise<string> {
  let words = ''
  child.stderr?.on('data', chunk => {
    words = (words + String(chunk)).slice(-LAST_WORDS_LENGTH_MAX)
  })
  // Nothing is ever sent; it may break when the process exits.
  child.stdin?.on('error', () => undefined)
  return new Promise(resolve => {
    child.once('error', error => resolve(error.message))
    child.once('close', (code, signal) =>
      resolve(`${signal ?? `code ${code}`} ${words.replace(WHERE_IT_LOGS, '')}`.trim()),
    )
  })
}

/** Reading the tables of a large folder takes time. */
const READY_MS_MAX = 5 * 60_000
const LOOK_EVERY_MS = 20

async function untilReady(address: ServerAddress, ended: Promise<string>): Promise<void> {
  let end: string | undefined
  void ended.then(reason => {
    end = reason
  })
  const deadline = performance.now() + READY_MS_MAX
  while (performance.now() < deadline) {
    if (end !== undefined) throw new Error(`ClickHouse exited before it responded: ${end}`)
    if (await isAnswering(address)) return
    await delay(LOOK_EVERY_MS)
  }
  throw new Error(`ClickHouse did not respond within ${READY_MS_MAX / 1000} s`)
}

/** Whether it is this server that responds at the address: another ClickHouse would not know the user. */
async function isAnswering({ httpPort, password }: ServerAddress): Promise<boolean> {
  const credentials = Buffer.from(`${USER}:${password}`).toString('base64')
  const request = { headers: { authorization: `Basic ${credentials}` }, signal: AbortSignal.timeout(5_000) }
  const answer = await fetch(`http://127.0.0.1:${httpPort}/?query=SELECT+1`, request).catch(() => undefined)
  return answer?.status === 200 && (await answer.text().catch(() => '')) === '1\n'
}
