import { setTimeout as delay } from 'node:timers/promises'
import type { Uuid } from '@spanhouse/model'
import { databaseProblem } from '@spanhouse/postgres'
import type { MetricsPlace } from '../scope.ts'
import type { EngineParts } from './doors.ts'
import type { Membership } from './membership.ts'

/** How long a computation that failed waits before it is repeated. */
const RETRY_MS = 1_000
/** How often one is tried that fails though the stores are there. */
const TRIES_MAX = 3

export interface Measured {
  places: readonly MetricsPlace[]
  /** For whom. */
  user_id: Uuid | null
  signal: AbortSignal
}

/**
 * Computes metrics of what a worker has finished. It waits for a store that is away until the signal aborts, and some
 * minutes for one that is behind: nobody computes these metrics again. Metrics that cannot be computed otherwise change
 * nothing about the verdict.
 */
export async function measure(
  { db, runtime, metrics, log }: EngineParts,
  { project_id, run_id }: Membership,
  { places, user_id, signal }: Measured,
): Promise<void> {
  for (let tries = 1; metrics && !signal.aborted; )
    try {
      return await metrics.update({ db, runtime, project_id, user_id }, places, signal)
    } catch (error) {
      log.warn({ err: error, run_id, tries }, 'cannot compute the metrics of what was finished')
      const problem = databaseProblem(error)
      if (problem && !problem.retryable) return
      if (problem?.code !== 'overloaded' && tries++ === TRIES_MAX) return
      await delay(RETRY_MS, undefined, { signal }).catch(() => {})
    }
}
