import { access, chmod, constants, mkdir, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Problem } from '@spanhouse/model'
import type { Logger } from 'pino'
import type { Config } from './config.ts'
import { requireFormat } from './data-format.ts'
import { keyFilesOf } from './key-file.ts'

/** Checks that can fail before any store is opened: throws an Error for the operator that names the wrong setting. */
export async function checkPlace({ dataDir, host, port, grpcPort, isGrpcPortSet, roles }: Config): Promise<void> {
  try {
    await makeFolder(resolve(dataDir))
    await makePrivate(dataDir, 0o700)
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
    await requireFormat(dataDir)
    for (const file of keyFilesOf(dataDir)) await makePrivate(file, 0o600)
  } catch (error) {
    throw new Error(`SPANHOUSE_DATA_DIR=${dataDir}: ${(error as Error).message}`)
  }
  await bind(host, port).catch(error => {
    throw new Error(`SPANHOUSE_HOST, SPANHOUSE_PORT: ${error.message}`)
  })
  if (!isGrpcPortSet || !roles.includes('receiver')) return
  await bind(host, grpcPort).catch(error => {
    throw new Error(`SPANHOUSE_GRPC_PORT: ${error.message}`)
  })
}

/**
 * Creates a folder and those above it. Node's recursive `mkdir` never ends where a file system, such as /proc, reports that
 * the folder above does not exist although it does.
 */
async function makeFolder(path: string, isAboveMade = false): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return
    if (code !== 'ENOENT' || isAboveMade) throw error
    await makeFolder(dirname(path))
    await makeFolder(path, true)
  }
}

/**
 * Removes the permissions of others from one of our folders or files, if it exists. Files inside a private folder need
 * no permissions of their own. Throws an Error if it belongs to another user, who could restore any permission.
 */
async function makePrivate(path: string, mode: number): Promise<void> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
  if (!found) return
  const own = process.getuid?.() ?? found.uid
  if (found.uid !== own) throw new Error(`${path} belongs to another user (uid ${found.uid}, not ${own})`)
  if ((found.mode & 0o777 & ~mode) !== 0) await chmod(path, found.mode & mode)
}

function bind(host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen({ host, port }, () => server.close(() => resolve()))
  })
}

/** How long a start waits for a store, and how often it retries. */
const AWAY_MS_MAX = 5 * 60_000
const LOOK_EVERY_MS = 1_000

/**
 * Waits for the stores: an unreachable store is retried for five minutes. Rejects with the last failure, and at once
 * with any other error.
 */
export async function untilReachable<T>(log: Logger, attempt: () => Promise<T>): Promise<T> {
  const end = performance.now() + AWAY_MS_MAX
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof Problem && error.retryable) || performance.now() > end) throw error
      log.warn({ reason: reasonOf(error) }, 'waiting for a store')
      await delay(LOOK_EVERY_MS)
    }
  }
}

/** The message of an error and of its causes, in one line. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const own = error.message || error.name
  return error.cause === undefined ? own : `${own.replace(/\.$/, '')}: ${reasonOf(error.cause)}`
}
