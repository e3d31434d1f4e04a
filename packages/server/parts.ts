import { join } from 'node:path'
import {
  type Authenticator,
  answerKeyOf,
  openAuthenticator,
  openVault,
  tokenKeyOf,
  type Vault,
} from '@spanhouse/access'
import { type ClickHouseServer, startClickHouse } from '@spanhouse/clickhouse-server'
import type { OutboundRules } from '@spanhouse/outbound'
import { openPostgres, type Postgres } from '@spanhouse/postgres'
import { STATEMENT_SETTINGS } from '@spanhouse/query'
import type { RuntimeSettings } from '@spanhouse/runtime'
import {
  closeShard,
  clusterEngine,
  type Engine,
  type EngineOptions,
  openClusterReader,
  openEngine,
  openShard,
  type Shard,
} from '@spanhouse/span-store'
import type { SpanStream } from '@spanhouse/span-stream'
import type { Logger } from 'pino'
import { membersOf } from './cluster/check.ts'
import { knownShards } from './cluster/known-shards.ts'
import { openSharedStream } from './cluster/open-shared-stream.ts'
import type { Config } from './config.ts'
import { ensureSecretKeyFile } from './data-folder/key-file.ts'
import { type Seeds, seedsFor } from './projects/seeds.ts'
import { ModelSecrets } from './services/means/model-secrets.ts'
import { untilReachable } from './start/checks.ts'
import { canGrow, openStream } from './stream.ts'

/** Where ClickHouse is. */
export interface ClickHousePart {
  /** Of the single server, or of any of the cluster; includes user and password. */
  url: string
  /** The listed shards of a cluster; undefined: a single server. */
  shards: readonly Shard[] | undefined
  /** The server that this process started; undefined: another one is configured. */
  own: ClickHouseServer | undefined
  /** Stops the server if this process started it. */
  stop(): Promise<void>
}

/** The server at the configured address, or one that this process starts. */
async function openClickHouse(
  { clickhouseUrl, clickhouseUrls, dataDir }: Config,
  log: Logger,
): Promise<ClickHousePart> {
  if (clickhouseUrls) {
    const shards = clickhouseUrls.map((urls, index) => openShard(index + 1, urls, BACKGROUND_ENGINE))
    const url = clickhouseUrls[0]?.[0] as string
    return { url, shards, own: undefined, stop: async () => void (await Promise.all(shards.map(closeShard))) }
  }
  if (clickhouseUrl) return { url: clickhouseUrl, shards: undefined, own: undefined, stop: async () => undefined }
  const own = await startClickHouse({ path: join(dataDir, 'clickhouse'), onDeath: message => log.error(message) })
  return { url: own.url, shards: undefined, own, stop: () => own.stop() }
}

/** ClickHouse's client requires numbers beyond 32 bits as text. */
const READ_SETTINGS = Object.fromEntries(
  Object.entries(STATEMENT_SETTINGS).map(([name, value]) => [name, String(value)]),
)

/** Limits of every query, enforced by ClickHouse. A query that exceeds one is rejected with an error that names it. */
const READER_ENGINE = {
  // More than the number of concurrent reads with a share's slot (`shares`): reading a span by its id needs no slot.
  connections: 8,
  // A little longer than a query may take: after that the server is considered unreachable.
  silentMs: 20_000,
  settings: {
    ...READ_SETTINGS,
    max_execution_time: 15,
    timeout_overflow_mode: 'throw',
    max_rows_to_read: String(2e9),
    max_bytes_to_read: String(128 * 1024 ** 3),
    read_overflow_mode: 'throw',
    max_result_bytes: String(256 * 1024 ** 2),
    result_overflow_mode: 'throw',
    max_memory_usage: String(2 * 1024 ** 3),
    max_threads: 2,
  },
} as const

/** The program's own queries, under the same limits: tenants' reads do not delay them. */
const BACKGROUND_ENGINE = { ...READER_ENGINE, connections: 2 }

/** Our own server restarts when it has died, and when a user who may read with SQL is created or removed. */
const RESTART_MS = 10_000

/** ClickHouse's health is checked on a connection that nothing else uses. */
const READINESS_ENGINE = { ...READER_ENGINE, connections: 1 }

const openPostgresPart = ({ databaseUrl, dataDir }: Config, onFailure: (error: Error) => void): Promise<Postgres> =>
  openPostgres(databaseUrl ? { url: databaseUrl } : { dataDir: join(dataDir, 'postgres'), onFailure })

/** Everything that a process has open. Parts that its roles do not need are absent. */
export interface Parts {
  postgres: Postgres
  authenticator: Authenticator
  vault: Vault
  /** Cached credentials; a change made through this process removes them from the cache. */
  modelSecrets: ModelSecrets
  /** Encrypts the responses that administration remembers. */
  answerKey: string
  outbound: OutboundRules
  stream: SpanStream | undefined
  clickhouse: ClickHousePart
  engines: Engines | undefined
  seeds: Seeds
}

/** Connections to ClickHouse by purpose. */
export interface Engines {
  /** For callers' queries. */
  reads: Engine
  /** For the program's own queries and changes: arrivals for the live tail, completion of writes, retention. */
  background: Engine
  readiness: Engine
}

export type PartName = 'stream' | 'engine'

export interface PartsOptions {
  needs: ReadonlySet<PartName>
  log: Logger
  /** Called when a part has stopped unexpectedly: the process cannot continue. */
  onFailure(error: Error): void
}

export async function openParts(
  config: Config,
  runtime: RuntimeSettings,
  { needs, log, onFailure }: PartsOptions,
): Promise<Parts> {
  const opening = untilReachable({ config, store: 'postgres', log, attempt: () => openPostgresPart(config, onFailure) })
  const [postgres, stream, clickhouse] = await Promise.all([
    opening,
    needs.has('stream') ? opening.then(postgres => openStreamPart(config, postgres, log)) : undefined,
    untilReachable({ config, store: 'clickhouse', log, attempt: () => openClickHouse(config, log) }),
  ])
  const engines = needs.has('engine') ? openEngines(clickhouse, postgres, log) : undefined
  const secretKey = config.secretKey ?? (await ensureSecretKeyFile(config.dataDir))
  const authenticator = openAuthenticator(postgres.db, { adminKey: config.adminKey, tokenKey: tokenKeyOf(secretKey) })
  const [vault, answerKey] = [openVault(secretKey), answerKeyOf(secretKey)]
  const outbound = { isOpen: config.isOutboundOpen }
  const seeds = seedsFor(runtime)
  const modelSecrets = new ModelSecrets(postgres.db, vault)
  return { postgres, authenticator, vault, modelSecrets, answerKey, outbound, stream, clickhouse, engines, seeds }
}

/** The number of partitions is in Postgres, if processes share that. */
async function openStreamPart(config: Config, postgres: Postgres, log: Logger): Promise<SpanStream> {
  if (!canGrow(config)) return untilReachable({ config, store: 'stream', log, attempt: () => openStream(config, log) })
  await untilReachable({ config, store: 'postgres', log, attempt: () => postgres.migrate() })
  return openSharedStream(postgres.db, config, log)
}

/** Of a cluster, changes are made on each of its shards. */
function openEngines({ url, own, shards }: ClickHousePart, { db }: Postgres, log: Logger): Engines {
  const open = (options: EngineOptions): Engine => {
    const restartMs = own && options !== READINESS_ENGINE ? RESTART_MS : 0
    if (!shards) return openEngine(url, { ...options, restartMs })
    const reader = openClusterReader(shards, options)
    const single = shards.map(({ urls }) => (urls.length === 1 ? openEngine(urls, options) : undefined))
    const engine = clusterEngine({
      reader,
      members: async () => (await membersOf(shards, db)).map(shard => shard.own),
      ...knownShards(db, single, log),
    })
    return { ...engine, close: async () => void (await Promise.all([engine, ...single].map(one => one?.close()))) }
  }
  return { reads: open(READER_ENGINE), background: open(BACKGROUND_ENGINE), readiness: open(READINESS_ENGINE) }
}

export async function closeParts({ postgres, authenticator, stream, engines, clickhouse }: Parts): Promise<void> {
  await authenticator.close()
  const closed = Object.values(engines ?? {}).map(engine => engine.close())
  await Promise.all([stream?.close(), ...closed, postgres.close()])
  await clickhouse.stop()
}
