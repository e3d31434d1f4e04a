import { context, trace } from '@opentelemetry/api'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, NodeTracerProvider, ParentBasedSampler } from '@opentelemetry/sdk-trace-node'
import { ensureSelfProject } from '@spanhouse/access'
import type { Logger } from 'pino'
import { Counter } from 'prom-client'
import type { Config } from '../config.ts'
import { writeSelfKeyFile } from '../data-folder/key-file.ts'
import { Exports } from '../ingest/exports.ts'
import { RepeatedLines } from '../log/repeated-lines.ts'
import type { Metrics } from '../metrics.ts'
import type { Parts } from '../parts.ts'
import type { Quotas } from '../shares/quotas.ts'
import { OwnExporter } from './own-exporter.ts'
import { RootSampler } from './root-sampler.ts'

/** Spans that wait for their export; further ones are dropped. */
const WAITING_SPANS_MAX = 4_096
/** Of the text of a statement, for example. */
const ATTRIBUTE_LENGTH_MAX = 4_000

export interface SelfTracingStart {
  config: Config
  parts: Parts
  metrics: Metrics
  quotas: Quotas
  log: Logger
}

/**
 * Records requests, jobs and the statements of both in a project of their own, through the program's own intake.
 * Writers are not traced: they would trace the storing of these spans. At a stop, what is recorded is exported.
 */
export async function startSelfTracing(start: SelfTracingStart): Promise<{ stop(): Promise<void> }> {
  const { config, parts, metrics, quotas, log } = start
  const { postgres, authenticator, stream, seeds } = parts
  if (!stream) throw new Error('Every role has the stream.')
  const keepKey = (apiKey: string): Promise<void> => writeSelfKeyFile(config.dataDir, apiKey)
  const { project } = await ensureSelfProject(postgres.db, { seeds: seeds.project, keepKey })
  const lost = new Counter({
    name: 'spanhouse_self_tracing_lost_total',
    help: 'Traces of the program itself beyond the number recorded in a second (limit), and its spans that were not accepted (refused).',
    labelNames: ['reason'] as const,
    registers: [metrics.registry],
  })
  const lines = new RepeatedLines()
  const exporter = new OwnExporter({
    authenticator,
    project,
    exports: new Exports({ stream, quotas, metrics, log }),
    onLost: (spans, error) => {
      lost.inc({ reason: 'refused' }, spans)
      if (lines.note(error.message) !== undefined)
        log.warn({ err: error, spans }, 'spans of the program itself are lost')
    },
  })
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'spanhouse', 'spanhouse.roles': [...config.roles] }),
    sampler: new ParentBasedSampler({ root: new RootSampler(project.project_id, () => lost.inc({ reason: 'limit' })) }),
    generalLimits: { attributeValueLengthLimit: ATTRIBUTE_LENGTH_MAX },
    spanProcessors: [new BatchSpanProcessor(exporter, { maxQueueSize: WAITING_SPANS_MAX })],
  })
  provider.register()
  return {
    stop: async () => {
      await provider.shutdown()
      trace.disable()
      context.disable()
    },
  }
}
