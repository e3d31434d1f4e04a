import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { AWAY_MS_MAX, ensureDefaultProject } from '@spanhouse/access'
import { ReadEvents } from '@spanhouse/events'
import type { RuntimeSettings } from '@spanhouse/runtime'
import { migrateSpans, openEngine } from '@spanhouse/span-store'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { Room } from './budget/room.ts'
import { type Config, servicesUrlAt } from './config.ts'
import { startSweeping } from './deleted-projects.ts'
import { EventMetrics } from './event-metrics.ts'
import { AnswerRoom } from './http/answer-room.ts'
import { buildApp } from './http/app.ts'
import { writeKeyFile } from './key-file.ts'
import { Metrics } from './metrics.ts'
import { closeParts, openParts, type Parts } from './parts.ts'
import { startDelivery } from './roles/delivery.ts'
import { needsOf } from './roles/roles.ts'
import { startWriter } from './roles/writer-role.ts'
import { accountRoutes } from './routes/accounts/accounts.ts'
import { deadLetterRoutes } from './routes/dead-letters.ts'
import { evaluationRoutes } from './routes/evaluations/evaluations.ts'
import { eventRoutes } from './routes/events.ts'
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
import { tracingRoutes } from './routes/tracing/tracing.ts'
import { webhookRoutes } from './routes/webhooks.ts'
import { requireLongSecretKey } from './secret-key.ts'
import { openServices } from './services/open-services.ts'
import { Quotas } from './shares/quotas.ts'
import { Shares } from './shares/shares.ts'
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
  const quotas = new Quotas(metrics.registry)
  const eventMetrics = new EventMetrics(metrics.registry)
  const readEvents = new ReadEvents(parts.postgres.db, { onDropped: count => eventMetrics.readsDropped.inc(count) })
  const delivery = config.roles.includes('worker') ? startDelivery({ parts, metrics: eventMetrics, log }) : undefined
  const writer = config.roles.includes('writer')
    ? await startWriter({ config, clickhouseUrl: parts.clickhouse.url, postgres: parts.postgres, metrics, onFailure })
    : undefined
  const services = config.roles.includes('services')
    ? openServices({ config, runtime, parts, metrics, log })
    : undefined
  const app = await buildApp({
    logger: log,
    authenticator: parts.authenticator,
    room: new Room(metrics.bytesHeld),
    shares: new Shares(metrics.registry),
    quotas,
    answerRoom: new AnswerRoom(metrics.answerBytes),
    routes: [
      ...routesOf({ config, runtime, parts, metrics, quotas, readEvents }),
      ...(services ? [services.routes] : []),
    ],
  })
  const url = await app.listen({ host, port })
  const { postgres, engines, stream } = parts
  const sweeping =
    config.roles.includes('api') && engines && stream
      ? startSweeping({ postgres, engine: engines.background, stream, log })
      : undefined
  // With port 0 it is known only now.
  runtime.servicesUrl = servicesUrl ?? servicesUrlAt(host, boundPort(app))
  log.info({ url, roles: config.roles }, 'listening')
  return {
    config,
    url,
    newApiKey,
    stop: () => stopAll(app, [sweeping, services, writer, delivery, { stop: () => readEvents.close() }], parts),
  }
}

const boundPort = (app: FastifyInstance): number => (app.server.address() as AddressInfo).port

interface Served {
  config: Config
  runtime: RuntimeSettings
  parts: Parts
  metrics: Metrics
  quotas: Quotas
  readEvents: ReadEvents
}

function routesOf({ config, runtime, parts, metrics, quotas, readEvents }: Served): ((app: FastifyInstance) => void)[] {
  const { stream, engines } = parts
  const registry = { db: parts.postgres.db, runtime, engine: engines?.reads, readEvents }
  const routes = [healthRoutes(partsInUse(config, parts), metrics)]
  if (config.roles.includes('receiver') && stream) routes.push(otlpRoutes(stream, metrics))
  if (config.roles.includes('api') && stream && engines) {
    routes.push(
      deadLetterRoutes(stream),
      ...tracingRoutes({ stream, engine: engines.reads, background: engines.background, metrics, quotas, registry }),
    )
  }
  if (config.roles.includes('api') && engines) {
    const { reads, background } = engines
    routes.push(analyticsRoutes(reads), sessionRoutes(reads))
    routes.push(retentionRoutes({ postgres: parts.postgres, engine: background }))
  }
  if (config.roles.includes('api'))
    routes.push(catalogueRoutes(runtime), folderRoutes(parts), priceRoutes(parts.postgres))
  if (config.roles.includes('api'))
    routes.push(...accountRoutes(parts), webhookRoutes(parts), eventRoutes(parts.postgres))
  if (config.roles.includes('api'))
    routes.push(
      registryRoutes(registry),
      testcaseRoutes(registry),
      testsetFileRoutes(registry),
      legacyConfigRoutes(registry),
      evaluationRoutes({ db: parts.postgres.db, runtime }),
    )
  return routes
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
  if (!config.roles.some(role => role === 'api' || role === 'writer')) return
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

async function stopAll(app: FastifyInstance, working: (Working | undefined)[], parts: Parts): Promise<void> {
  await app.close()
  await Promise.all(working.map(one => one?.stop()))
  await closeParts(parts)
}
