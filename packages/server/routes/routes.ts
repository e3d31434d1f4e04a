import { AWAY_MS_MAX } from '@spanhouse/access'
import type { Metrics as EvaluationMetrics } from '@spanhouse/evaluation'
import type { ReadEvents } from '@spanhouse/events'
import type { RuntimeSettings } from '@spanhouse/runtime'
import { checkReadable } from '@spanhouse/span-store'
import type { FastifyInstance } from 'fastify'
import { CLICKHOUSE_DDL } from '../cluster/ddl.ts'
import type { Config } from '../config.ts'
import type { Intake } from '../ingest/intake.ts'
import { mcpRoutes } from '../mcp/mcp-routes.ts'
import type { Metrics } from '../metrics.ts'
import type { Engines, Parts } from '../parts.ts'
import { readersOf } from '../projects/sql-readers.ts'
import type { Worker } from '../roles/worker.ts'
import type { Quotas } from '../shares/quotas.ts'
import { accountRoutes } from './accounts/accounts.ts'
import { clusterRoutes } from './cluster.ts'
import { deadLetterRoutes } from './dead-letters.ts'
import { entryRoutes } from './entry.ts'
import { errorTypeRoutes } from './error-types.ts'
import { runCaseRoutes } from './evaluations/cases.ts'
import { comparisonRoutes } from './evaluations/comparison.ts'
import { evaluationRoutes } from './evaluations/evaluations.ts'
import { eventRoutes } from './events.ts'
import { healthRoutes, type PartInUse } from './health.ts'
import { otlpRoutes } from './otlp.ts'
import { catalogueRoutes } from './registry/catalogue.ts'
import { folderRoutes } from './registry/folders.ts'
import { legacyConfigRoutes } from './registry/legacy-configs.ts'
import { registryRoutes } from './registry/registry.ts'
import { testcaseRoutes } from './registry/testcases.ts'
import { testsetFileRoutes } from './registry/testset-files.ts'
import { analyticsRoutes } from './tracing/analytics.ts'
import { priceRoutes } from './tracing/prices.ts'
import { retentionRoutes } from './tracing/retention.ts'
import { sessionRoutes } from './tracing/sessions.ts'
import { sqlReaderRoutes } from './tracing/sql-reader.ts'
import { tracingRoutes } from './tracing/tracing.ts'
import { listRoutes } from './web/lists.ts'
import { pageRoutes } from './web/pages.ts'
import { traceViewRoutes } from './web/trace-view.ts'
import { webhookRoutes } from './webhooks.ts'

/** Adds endpoints to the application. */
export type Routes = (app: FastifyInstance) => void

export interface Served {
  config: Config
  runtime: RuntimeSettings
  parts: Parts
  metrics: Metrics
  quotas: Quotas
  /** Undefined in processes that cannot read traces. */
  evaluationMetrics: EvaluationMetrics | undefined
  readEvents: ReadEvents
  /** Undefined without the role receiver. */
  intake: Intake | undefined
  /** Undefined without the role worker. */
  worker: Worker | undefined
}

/** The endpoints that the roles of this process serve, without those of the services. */
export function routesOf(served: Served): Routes[] {
  const { config, parts, metrics, intake } = served
  return [
    entryRoutes,
    errorTypeRoutes,
    healthRoutes(partsInUse(config, parts), metrics),
    ...(intake ? [otlpRoutes(intake)] : []),
    ...(config.roles.includes('api') ? apiRoutes(served) : []),
  ]
}

function apiRoutes(served: Served): Routes[] {
  const { parts, runtime, readEvents, evaluationMetrics, worker } = served
  const { postgres, engines } = parts
  const { db } = postgres
  const engine = engines?.reads
  const registry = { db, runtime, engine, readEvents }
  const { dispatcher, online } = worker ?? {}
  return [
    ...(engines ? spanRoutes(served, engines) : []),
    catalogueRoutes(runtime),
    folderRoutes(parts),
    priceRoutes(postgres),
    ...accountRoutes(parts),
    webhookRoutes(parts),
    eventRoutes(postgres),
    registryRoutes(registry),
    testcaseRoutes(registry),
    testsetFileRoutes(registry),
    legacyConfigRoutes(registry),
    evaluationRoutes({ db, runtime, metrics: evaluationMetrics, engine, dispatcher, online }),
    mcpRoutes,
  ]
}

/** What is answered from ClickHouse. */
function spanRoutes({ parts, runtime, metrics, quotas, readEvents }: Served, { reads, background }: Engines): Routes[] {
  const { postgres, stream, clickhouse } = parts
  const { db } = postgres
  const registry = { db, runtime, engine: reads, readEvents }
  const cluster = clickhouse.shards && { shards: clickhouse.shards, postgres, folder: CLICKHOUSE_DDL }
  const readers = readersOf(clickhouse, background)
  return [
    ...(stream
      ? [
          deadLetterRoutes(stream),
          ...tracingRoutes({ stream, engine: reads, background, metrics, quotas, registry, postgres }),
        ]
      : []),
    analyticsRoutes(reads),
    sessionRoutes(reads),
    traceViewRoutes(reads),
    pageRoutes,
    listRoutes({ engine: reads, registry }),
    retentionRoutes({ postgres, engine: background }),
    sqlReaderRoutes({ db, readers, clickhouseUrl: clickhouse.url }),
    comparisonRoutes({ db, runtime, engine: reads }),
    runCaseRoutes({ db, runtime, engine: reads }),
    clusterRoutes({ cluster, db, stream }),
  ]
}

/**
 * A process with only the receiver role is useful as long as the stream responds; without Postgres, known keys keep
 * working for a while. If a load balancer removed it, exports would be rejected that it could have accepted. One with
 * only the API answers all questions without the stream, and refuses the few writes that need it.
 */
function partsInUse({ roles }: Config, { postgres, stream, engines }: Parts): Record<string, PartInUse> {
  const takesExportsAlone = roles.includes('receiver') && !roles.includes('api') && !roles.includes('services')
  const isApiAlone = roles.every(role => role === 'api')
  const parts: Record<string, PartInUse> = {
    postgres: { check: () => postgres.ping(), spareMs: takesExportsAlone ? AWAY_MS_MAX : 0 },
  }
  if (stream) parts.stream = { check: () => stream.stats(), spareMs: isApiAlone ? Number.POSITIVE_INFINITY : 0 }
  if (engines)
    parts.clickhouse = {
      check: () => checkReadable(engines.readiness),
      spareMs: 0,
    }
  return parts
}
