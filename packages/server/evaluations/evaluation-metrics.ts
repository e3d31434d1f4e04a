import { createMetrics, type Metrics } from '@spanhouse/evaluation'
import type { Parts } from '../parts.ts'

/** Metrics of evaluations need ClickHouse, and the stream, which tells how long the oldest span has been waiting. */
export function evaluationMetrics({ engines, stream }: Parts): Metrics | undefined {
  if (!engines || !stream) return undefined
  return createMetrics({ engine: engines.reads, waitingMs: async () => 1_000 * (await stream.stats()).oldestSeconds })
}
