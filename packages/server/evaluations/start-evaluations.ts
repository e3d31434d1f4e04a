import { Engine, type Metrics, Online } from '@spanhouse/evaluation'
import type { RuntimeSettings } from '@spanhouse/runtime'
import type { SpanStream } from '@spanhouse/span-stream'
import type { Logger } from 'pino'
import type { Engines, Parts } from '../parts.ts'
import type { Services } from '../services/run.ts'
import type { Shares } from '../shares/shares.ts'
import { HostedWorkflows } from './hosted-workflows.ts'
import { SpanStoreTraces } from './span-store-traces.ts'

export interface EvaluationsStart {
  parts: Parts
  runtime: RuntimeSettings
  services: Services
  shares: Shares
  /** Computes metrics of what is finished. */
  metrics: Metrics | undefined
  log: Logger
}

/** Begins to execute evaluations in this process, beside any number of others. */
export function startEvaluations({ parts, runtime, services, shares, metrics, log }: EvaluationsStart): Engine {
  const { postgres, authenticator, engines, stream } = parts
  return new Engine({
    db: postgres.db,
    runtime,
    workflows: new HostedWorkflows({ services, authenticator, shares, log }),
    traces: new SpanStoreTraces((engines as Engines).background, stream as SpanStream),
    metrics,
    log,
  })
}

/** Begins to follow live runs: in one process at a time, for the engine of this one and all others. */
export function followLiveRuns({ parts, runtime, log }: EvaluationsStart, dispatcher: Engine): Online {
  const { postgres, engines, stream } = parts
  return new Online({
    postgres,
    runtime,
    engine: (engines as Engines).background,
    stream: stream as SpanStream,
    dispatcher,
    log,
  })
}
