import { createMetrics, type Metrics } from '@spanhouse/evaluation'
import type { Logger } from 'pino'
import type { Parts } from '../parts.ts'

/** Metrics of evaluations need ClickHouse, and the stream, which tells how long the oldest span has been waiting. */
export function evaluationMetrics({ engines, stream }: Parts, log: Logger): Metrics | undefined {
  if (!engines || !stream) return undefined
  const waitingMs = async (): Promise<number> => 1_000 * (await stream.stats()).oldestSeconds
  return createMetrics({ engine: engines.reads, waitingMs, log })
}
