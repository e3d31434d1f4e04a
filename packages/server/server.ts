import type { ServerHttp2Session } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { ensureDefaultProject } from '@spanhouse/access'
import { ReadEvents, recordChange } from '@spanhouse/events'
import type { RuntimeSettings } from '@spanhouse/runtime'
import { migrateSpans, moveOldSpans, openEngine, partsToChange } from '@spanhouse/span-store'
import type { SpanStream } from '@spanhouse/span-stream'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { type Background, inBackground } from './background/background.ts'
import { startSweeping } from './background/deleted-projects.ts'
import { startCopying } from './background/evaluation-copy.ts'
import { compareClocks, watchClock } from './background/shared-clock.ts'
import { Connections, connectionsMax } from './budget/connections.ts'
import { Room } from './budget/room.ts'
import { requireNoCluster, startCluster } from './cluster/check.ts'
import { CLICKHOUSE_DDL } from './cluster/ddl.ts'
import { watchDivision } from './cluster/divisions.ts'
import { startGrowth } from './cluster/growth.ts'
import { type Config, servicesUrlAt } from './config.ts'
import { readKeyFile, writeKeyFile } from './data-folder/key-file.ts'
import { evaluationMetrics } from './evaluations/evaluation-metrics.ts'
import type { GrpcServer } from './grpc/grpc-server.ts'
import { listenOtlp } from './grpc/listen-otlp.ts'
import { AnswerRoom } from './http/answer/answer-room.ts'
import { buildApp } from './http/app.ts'
import { openIntake } from './ingest/intake.ts'
import { Metrics } from './metrics.ts'
import { closeParts, openParts, type Parts } from './parts.ts'
import { readersOf } from './projects/sql-readers.ts'
import { EventMetrics } from './roles/event-metrics.ts'
import { needsOf } from './roles/roles.ts'
import { startWorker } from './roles/worker.ts'
import { startWriter } from './roles/writer-role.ts'
import { routesOf } from './routes/routes.ts'
import { startSelfTracing } from './self-tracing/start-self-tracing.ts'
import { traceRequests } from './self-tracing/trace-requests.ts'
import { openServices } from './services/open-services.ts'
import { Quotas } from './shares/quotas.ts'
import { Shares } from './shares/shares.ts'
import { untilReachable } from './start/checks.ts'
import { checkSecretKey } from './start/secret-key.ts'
import { canGrow } from './stream.ts'

export interface RunningServer {
  config: Config
  /** Its address, without a path. */
  url: string
  /** The address of OTLP over gRPC; undefined if this process does not serve it. */
  grpcUrl: string | undefined
  /** The default project's key, if this start has generated it. */
  newApiKey: string | undefined
  /** Accepts no more requests, finishes those in progress, drains the writer and closes everything. */
  stop(): Promise<void>
}

/**
 * Opens the parts that the roles need, waiting for stores that are not up yet, migrates the schemas, and resolves when
 * requests are served.
 */
export async function startServer(
  config: Config,
  log: Logger,
  onFailure: (error: Error) => void,
): Promise<RunningServer> {
  const { host, port, uriPrefix, servicesUrl, roles } = config
  const runtime: RuntimeSettings = { uriPrefix, servicesUrl: servicesUrl ?? servicesUrlAt(host, port) }
  const parts = await openParts(config, runtime, { needs: needsOf(roles), log, onFailure })
  const { postgres, authenticator, clickhouse, stream } = parts
  await untilReachable({ config, store: 'postgres', log, attempt: () => postgres.migrate() })
  if (config.databaseUrl) await compareClocks(postgres.db, log)
  await checkSecretKey(config, parts.vault.keyId, postgres.db, log)
  await untilReachable({ config, store: 'clickhouse', log, attempt: () => migrateStore(config, parts, log) })
  const newApiKey = await makeDefaultProject(config, parts)
  const metrics = new Metrics(stream && (() => stream.stats()))
  const quotas = new Quotas(metrics.registry)
  const selfTracing = config.isSelfTraced ? await startSelfTracing({ config, parts, metrics, quotas, log }) : undefined
  const eventMetrics = new EventMetrics(metrics.registry)
  const readEvents = new ReadEvents(postgres.db, { onDropped: count => eventMetrics.readsDropped.inc(count) })
  const writer = roles.includes('writer')
    ? await startWriter({ config, clickhouseUrl: clickhouse.url, postgres, metrics, onFailure })
    : undefined
  const runsHandlers = roles.includes('services') || roles.includes('worker')
  const services = runsHandlers ? openServices({ config, runtime, parts, metrics, log }) : undefined
  const shares = new Shares(metrics.registry)
  const runMetrics = evaluationMetrics(parts, log)
  const worker =
    roles.includes('worker') && services
      ? startWorker({ parts, runtime, services: services.services, metrics: runMetrics, shares, eventMetrics, log })
      : undefined
  const room = new Room(metrics.bytesHeld)
  const intake = roles.includes('receiver') && stream ? openIntake({ stream, metrics, quotas, log }) : undefined
  const served = {
    config,
    runtime,
    parts,
    metrics,
    quotas,
    evaluationMetrics: runMetrics,
    readEvents,
  }
  const bound = { max: await connectionsMax(), metrics, log }
  const app = await buildApp({
    // Of Fastify's own lines only warnings: the others are its address, once for each interface.
    logger: log.child({}, { level: log.isLevelEnabled('warn') ? 'warn' : log.level }),
    authenticator,
    connections: new Connections({ listener: 'http', ...bound }),
    room,
    shares,
    quotas,
    answerRoom: new AnswerRoom(metrics.answerBytes),
    recordChange: change => recordChange(postgres.db, change),
    routes: [
      ...(selfTracing ? [traceRequests] : []),
      ...routesOf({ ...served, intake, worker }),
      ...(services && roles.includes('services') ? [services.routes] : []),
    ],
  })
  const url = await app.listen({ host, port })
  const connections = new Connections<ServerHttp2Session>({ listener: 'grpc', ...bound })
  const grpc = intake && (await listenOtlp(config, { connections, authenticator, room, quotas, ...intake }, log))
  // With port 0 it is known only now.
  runtime.servicesUrl = servicesUrl ?? servicesUrlAt(host, boundPort(app))
  const grpcUrl = grpc && `http://${new URL(url).hostname}:${grpc.port}`
  log.info({ url, grpcUrl, roles }, 'listening')
  const stages = [
    [...startHousekeeping(config, parts, { log, onFailure }), ...followShared(config, parts, log), worker],
    [services, writer, { stop: () => readEvents.close() }],
    [selfTracing],
  ]
  return { config, url, grpcUrl, newApiKey, stop: () => stopAll([app, grpc], stages, parts) }
}

const boundPort = (app: FastifyInstance): number => (app.server.address() as AddressInfo).port

/** The tables must exist before the first query or writer; the first process to start creates them. */
async function migrateStore(
  config: Config,
  { postgres, clickhouse, engines, stream }: Parts,
  log: Logger,
): Promise<void> {
  if (!config.roles.some(role => role === 'api' || role === 'writer' || role === 'worker')) return
  const folder = CLICKHOUSE_DDL
  if (clickhouse.shards) {
    const { coldStorage } = config
    const partitions = (stream as SpanStream).partitions
    return startCluster({ shards: clickhouse.shards, db: postgres.db, partitions, folder, coldStorage, log })
  }
  await requireNoCluster(postgres.db)
  const engine = engines?.background ?? openEngine(clickhouse.url, { connections: 1 })
  const migrations = await migrateSpans(engine, folder)
  const partsLeft = await partsToChange(engine)
  if (migrations.length > 0) log.info({ migrations }, 'the tables of ClickHouse were migrated')
  if (partsLeft > 0) log.info({ partsLeft }, 'ClickHouse changes stored spans in the background')
  if (config.coldStorage) await moveOldSpans(engine, config.coldStorage)
  if (engine !== engines?.background) await engine.close()
}

/** Resolves to the key that it has generated, if it has. */
async function makeDefaultProject(
  { apiKey, dataDir }: Config,
  { postgres, seeds }: Parts,
): Promise<string | undefined> {
  const keepKey = (generated: string): Promise<void> => writeKeyFile(dataDir, generated)
  // Overwritten, it would be lost to the database that an earlier start used.
  const keptKey = await readKeyFile(dataDir)
  return (await ensureDefaultProject(postgres.db, { apiKey, seeds: seeds.project, keepKey, keptKey })).apiKey
}

/**
 * What the api role keeps in order: spans of deleted projects, the copy of evaluations in ClickHouse, and shards that
 * are added.
 */
function startHousekeeping(
  { roles }: Config,
  { postgres, engines, stream, clickhouse }: Parts,
  { log, onFailure }: { log: Logger; onFailure(error: Error): void },
): Background[] {
  if (!roles.includes('api') || !engines || !stream) return []
  const engine = engines.background
  return [
    startSweeping({ postgres, engine, stream, readers: readersOf(clickhouse, engine), log }),
    startCopying({ postgres, engine, log }),
    ...(clickhouse.shards
      ? [startGrowth({ shards: clickhouse.shards, postgres, folder: CLICKHOUSE_DDL, log, onFailure })]
      : []),
  ]
}

/** What all processes find in the Postgres that they share. */
function followShared(config: Config, { postgres: { db }, stream }: Parts, log: Logger): Background[] {
  if (!config.databaseUrl) return []
  const clock = inBackground(signal => watchClock({ db, log, signal }))
  if (!stream || !canGrow(config)) return [clock]
  return [clock, inBackground(signal => watchDivision({ db, stream, signal, log }))]
}

/** One stage after the other: evaluations call handlers, whose traces are published. */
async function stopAll(
  [app, grpc]: [FastifyInstance, GrpcServer | undefined],
  stages: (Background | undefined)[][],
  parts: Parts,
): Promise<void> {
  await Promise.all([app.close(), grpc?.stop()])
  for (const working of stages) await Promise.all(working.map(one => one?.stop()))
  await closeParts(parts)
}
