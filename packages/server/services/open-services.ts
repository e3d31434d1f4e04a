import { openModels } from '@spanhouse/models'
import { outboundFetch } from '@spanhouse/outbound'
import { RUN_MS_MAX, type RuntimeSettings } from '@spanhouse/runtime'
import { openSandbox } from '@spanhouse/sandbox'
import type { SpanStream } from '@spanhouse/span-stream'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import type { RunMetrics } from '../metrics.ts'
import type { Parts } from '../parts.ts'
import { CodeRuntimes } from './code-runtimes.ts'
import { openMeans } from './means/means.ts'
import type { Services } from './run.ts'
import { RunTraces } from './run-traces.ts'
import { servicesRoutes } from './services.ts'
import { whenQuiet } from './when-quiet.ts'

/** The hosted services of one process. */
export interface HostedServices {
  services: Services
  routes(app: FastifyInstance): void
  /** Waits for runs in progress and their traces, then closes all clients. */
  stop(): Promise<void>
}

export interface HostedIn {
  config: Config
  runtime: RuntimeSettings
  parts: Parts
  metrics: RunMetrics
  log: Logger
}

/**
 * Opens what runs need. Connections open with the first run, interpreters with the first code in their language, or as
 * soon as the process is idle if such code has run before.
 */
export function openServices({ config, runtime, parts, metrics, log }: HostedIn): HostedServices {
  const { postgres, modelSecrets: secrets, outbound: rules } = parts
  const traces = new RunTraces(parts.stream as SpanStream, metrics, log)
  const models = openModels(rules)
  // Each handler sets the limit of its own requests.
  const outbound = outboundFetch({ ...rules, firstByteMs: RUN_MS_MAX, idleMs: RUN_MS_MAX, totalMs: RUN_MS_MAX })
  const sandbox = openSandbox()
  const codeRuntimes = new CodeRuntimes(postgres.db, log)
  // Loading Python takes two seconds of processor time: a first run should not wait for it, nor a start be slowed by
  // it.
  const cancelWarming = whenQuiet(async () => {
    for (const runtime of await codeRuntimes.all()) sandbox.prepare(runtime)
  })
  const means = { secrets, models, outbound, sandbox, codeRuntimes }
  const services: Services = {
    registry: { db: postgres.db, runtime },
    traces,
    openMeans: (owner, context) => openMeans(means, owner, context),
    // The address of the services is known for certain once the server listens.
    errorsUrl: () => `${config.docsUrl ?? runtime.servicesUrl.replace(/\/services$/, '/api/docs')}/errors`,
  }
  return {
    services,
    routes: servicesRoutes(services),
    stop: async () => {
      cancelWarming()
      await traces.stop()
      await Promise.all([models.close(), outbound.close(), sandbox.close()])
    },
  }
}
