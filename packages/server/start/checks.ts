import { access, chmod, constants, mkdir, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Problem } from '@spanhouse/model'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { requireFormat } from '../data-folder/data-format.ts'
import { keyFilesOf } from '../data-folder/key-file.ts'
import { reasonOf } from '../log/reason.ts'

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
 * Creates a folder and those above it. Node's recursive `mkdir` never ends where a file system, such as /proc, reports
 * that the folder above does not exist although it does.
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
const LOOKS_PER_LOG = 10

/** The setting that says where a store is, by store. */
const ADDRESS_OF = { postgres: 'DATABASE_URL', stream: 'NATS_URL', clickhouse: 'CLICKHOUSE_URL' } as const

/** The setting that an operator corrects if this store cannot be used. */
const settingOf = (config: Config, store: keyof typeof ADDRESS_OF): string => {
  const name = ADDRESS_OF[store]
  if (store === 'clickhouse' && config.clickhouseUrls) return 'CLICKHOUSE_URLS'
  const isNetworked = { postgres: config.databaseUrl, stream: config.natsUrl, clickhouse: config.clickhouseUrl }[store]
  return isNetworked ? name : `SPANHOUSE_DATA_DIR=${config.dataDir}`
}

/** What a start opens or migrates. */
export interface Opening<T> {
  config: Config
  store: keyof typeof ADDRESS_OF
  log: Logger
  attempt(): Promise<T>
}

/** Names the setting of a store that cannot be used, for the operator. The cause says why. */
class StoreFailure extends Error {}

/**
 * Opens a store: an unreachable one is retried for five minutes. Rejects with an Error that names the setting of the
 * store, whose cause is the last failure, and at once with any other error than that it is unreachable. Stores may be
 * opened within each other.
 */
export async function untilReachable<T>({ config, store, log, attempt }: Opening<T>): Promise<T> {
  const setting = settingOf(config, store)
  const end = performance.now() + AWAY_MS_MAX
  for (let looks = 0; ; looks++) {
    try {
      return await attempt()
    } catch (error) {
      if (error instanceof StoreFailure) throw error
      if (!(error instanceof Problem && error.retryable) || performance.now() > end)
        throw new StoreFailure(setting, { cause: error })
      if (looks % LOOKS_PER_LOG === 0) log.warn({ setting, reason: reasonOf(error) }, 'waiting for a store')
      await delay(LOOK_EVERY_MS)
    }
  }
}
