import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { AWAY_MS_MAX, ensureDefaultProject } from '@spanhouse/access'
import { createMetrics, type Dispatcher, type Metrics as EvaluationMetrics, type Online } from '@spanhouse/evaluation'
import type { RuntimeSettings } from '@spanhouse/runtime'
import { migrateSpans, openEngine } from '@spanhouse/span-store'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { Room } from './budget/room.ts'
import { type Config, servicesUrlAt } from './config.ts'
import { startSweeping } from './deleted-projects.ts'
import { startCopying } from './evaluation-copy.ts'
import { followLiveRuns, startEvaluations } from './evaluations/start-evaluations.ts'
import { AnswerRoom } from './http/answer-room.ts'
import { buildApp } from './http/app.ts'
import { writeKeyFile } from './key-file.ts'
import { Metrics } from './metrics.ts'
import { closeParts, openParts, type Parts } from './parts.ts'
import { needsOf } from './roles/roles.ts'
import { startWriter } from './roles/writer-role.ts'
import { accountRoutes } from './routes/accounts/accounts.ts'
import { deadLetterRoutes } from './routes/dead-letters.ts'
import { comparisonRoutes } from './routes/evaluations/comparison.ts'
import { evaluationRoutes } from './routes/evaluations/evaluations.ts'
import { healthRoutes, type PartInUse } from './routes/health.ts'
import { otlpRoutes } from './routes/otlp.ts'
import { catalogueRoutes } from './routes/registry/catalogue.ts'
import { folderRoutes } from './routes/registry/folders.ts'
import { legacyConfigRoutes } from './routes/registry/legacy-configs.ts'
import { registryRoutes } from './routes/registry/registry.ts'
import { testcaseRoutes } from './routes/registry/testcases.ts'
import { testsetFileRoutes } from './routes/registry/testset-files.ts'
import { analyticsRoutes } from './routes/tracing/analytics.ts'
import { priceRoutes } from './routes/tracing/prices.ts'
import { retentionRoutes } from './routes/tracing/retention.ts'
import { sessionRoutes } from './routes/tracing/sessions.ts'
import { sqlReaderRoutes } from './routes/tracing/sql-reader.ts'
import { tracingRoutes } from './routes/tracing/tracing.ts'
import { requireLongSecretKey } from './secret-key.ts'
import { openServices } from './services/open-services.ts'
import { Shares } from './shares/shares.ts'
import { ownReaders, serverReaders } from './sql-readers.ts'
import { untilReachable } from './start-checks.ts'

const ROOT = new URL('../../', import.meta.url).pathname

export interface RunningServer {
  config: Config
  /** Its address, without a path. */
  url: string
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
  const { host, port, uriPrefix, servicesUrl } = config
  const runtime: RuntimeSettings = { uriPrefix, servicesUrl: servicesUrl ?? servicesUrlAt(host, port) }
  const parts = await openParts(config, runtime, { needs: needsOf(config.roles), log, onFailure })
  await untilReachable(log, () => parts.postgres.migrate())
  await requireLongSecretKey(config.secretKey, parts.postgres.db, log)
  await untilReachable(log, () => migrateStore(config, parts))
  const newApiKey = await makeDefaultProject(config, parts)
  const metrics = new Metrics(parts.stream && (() => (parts.stream as NonNullable<typeof parts.stream>).stats()))
  const writer = config.roles.includes('writer')
    ? await startWriter({ config, clickhouseUrl: parts.clickhouse.url, postgres: parts.postgres, metrics, onFailure })
    : undefined
  const hosts = config.roles.includes('services') || config.roles.includes('worker')
  const services = hosts ? openServices({ config, runtime, parts, metrics, log }) : undefined
  const shares = new Shares(metrics.registry)
  const evaluations =
    config.roles.includes('worker') && services
      ? { parts, runtime, services: services.services, shares, metrics: evaluationMetrics(parts), log }
      : undefined
  const worker = evaluations && startEvaluations(evaluations)
  const online = evaluations && worker && followLiveRuns(evaluations, worker)
  const app = await buildApp({
    logger: log,
    authenticator: parts.authenticator,
    room: new Room(metrics.bytesHeld),
    shares,
    answerRoom: new AnswerRoom(metrics.answerBytes),
    routes: [
      ...routesOf({ config, runtime, parts, metrics, dispatcher: worker, online }),
      ...(services && config.roles.includes('services') ? [services.routes] : []),
    ],
  })
  const url = await app.listen({ host, port })
  const { postgres, engines, stream } = parts
  const sweeping =
    config.roles.includes('api') && engines && stream
      ? startSweeping({ postgres, engine: engines.background, stream, log })
      : undefined
  const copying =
    config.roles.includes('api') && engines ? startCopying({ postgres, engine: engines.background, log }) : undefined
  // With port 0 it is known only now.
  runtime.servicesUrl = servicesUrl ?? servicesUrlAt(host, boundPort(app))
  log.info({ url, roles: config.roles }, 'listening')
  return {
    config,
    url,
    newApiKey,
    stop: () =>
      stopAll(
        app,
        [
          [sweeping, copying, online, worker],
          [services, writer],
        ],
        parts,
      ),
  }
}

const boundPort = (app: FastifyInstance): number => (app.server.address() as AddressInfo).port

interface Served {
  config: Config
  runtime: RuntimeSettings
  parts: Parts
  metrics: Metrics
  /** Hears of evaluations to work on, when this process works on them. */
  dispatcher: Dispatcher | undefined
  /** Follows live runs, when this process does. */
  online: Online | undefined
}

function routesOf({ config, runtime, parts, metrics, dispatcher, online }: Served): ((app: FastifyInstance) => void)[] {
  const { stream, engines } = parts
  const registry = { db: parts.postgres.db, runtime, engine: engines?.reads }
  const routes = [healthRoutes(partsInUse(config, parts), metrics)]
  if (config.roles.includes('receiver') && stream) routes.push(otlpRoutes(stream, metrics))
  if (config.roles.includes('api') && stream && engines) {
    routes.push(
      deadLetterRoutes(stream),
      ...tracingRoutes({ stream, engine: engines.reads, background: engines.background, metrics, registry }),
    )
  }
  if (config.roles.includes('api') && engines) {
    const { reads, background } = engines
    routes.push(analyticsRoutes(reads), sessionRoutes(reads))
    routes.push(retentionRoutes({ postgres: parts.postgres, engine: background }))
    const { url: clickhouseUrl, own } = parts.clickhouse
    const readers = own ? ownReaders(own) : serverReaders(background)
    routes.push(sqlReaderRoutes({ readers, clickhouseUrl }))
    routes.push(comparisonRoutes({ db: parts.postgres.db, runtime, engine: reads }))
  }
  if (config.roles.includes('api'))
    routes.push(catalogueRoutes(runtime), folderRoutes(parts), priceRoutes(parts.postgres))
  if (config.roles.includes('api')) routes.push(...accountRoutes(parts))
  if (config.roles.includes('api'))
    routes.push(
      registryRoutes(registry),
      testcaseRoutes(registry),
      testsetFileRoutes(registry),
      legacyConfigRoutes(registry),
      evaluationRoutes({
        db: parts.postgres.db,
        runtime,
        metrics: evaluationMetrics(parts),
        engine: engines?.reads,
        dispatcher,
        online,
      }),
    )
  return routes
}

/** Metrics of evaluations need ClickHouse, and the stream to know which spans are not stored yet. */
function evaluationMetrics({ engines, stream }: Parts): EvaluationMetrics | undefined {
  if (!engines || !stream) return undefined
  return createMetrics({ engine: engines.reads, waitingMs: async () => 1_000 * (await stream.stats()).oldestSeconds })
}

/**
 * A process with only the receiver role is useful as long as the stream responds; without Postgres, known keys keep
 * working for a while. If a load balancer removed it, exports would be rejected that it could have accepted.
 */
function partsInUse({ roles }: Config, { postgres, stream, engines }: Parts): Record<string, PartInUse> {
  const takesExportsAlone = roles.includes('receiver') && !roles.includes('api') && !roles.includes('services')
  const parts: Record<string, PartInUse> = {
    postgres: { check: () => postgres.ping(), spareMs: takesExportsAlone ? AWAY_MS_MAX : 0 },
  }
  if (stream) parts.stream = { check: () => stream.stats(), spareMs: 0 }
  if (engines)
    parts.clickhouse = {
      check: () => engines.readiness.rows({ text: 'SELECT 1 FROM spans LIMIT 1', params: {} }),
      spareMs: 0,
    }
  return parts
}

/** The tables must exist before the first query or writer; the first process to start creates them. */
async function migrateStore(config: Config, parts: Parts): Promise<void> {
  if (!config.roles.some(role => role === 'api' || role === 'writer' || role === 'worker')) return
  const engine = parts.engines?.background ?? openEngine(parts.clickhouse.url, { connections: 1 })
  await migrateSpans(engine, join(ROOT, 'clickhouse', 'single'))
  if (engine !== parts.engines?.background) await engine.close()
}

async function makeDefaultProject(config: Config, { postgres, seeds }: Parts): Promise<string | undefined> {
  const { apiKey } = await ensureDefaultProject(postgres.db, { apiKey: config.apiKey, seeds: seeds.project })
  if (apiKey === undefined || config.apiKey) return undefined
  await writeKeyFile(config.dataDir, apiKey)
  return apiKey
}

/** Background work besides serving requests. */
interface Working {
  stop(): Promise<void>
}

/** One group after the other: evaluations call handlers, whose traces are published. */
async function stopAll(app: FastifyInstance, groups: (Working | undefined)[][], parts: Parts): Promise<void> {
  await app.close()
  for (const working of groups) await Promise.all(working.map(one => one?.stop()))
  await closeParts(parts)
}
