import type { RunData } from '../runs/run-data.ts'

/** Calls of one run that a worker has under way at most; `batch_size` bounds those of all workers together. */
export const WORKER_CALLS_MAX = 64

/** `batch_size` when the run says nothing. */
const BATCH_SIZE = 10

/** More is as good as no limit; it fits the columns and sums of calls. */
const BATCH_SIZE_MAX = 1_000_000

/** Retries of one call at most, whatever `max_retries` says. */
const RETRIES_MAX = 10

/** Wait before the first retry when `retry_delay` is absent; each further one waits twice as long, up to a minute. */
const RETRY_SECONDS = { usual: 1, max: 60 }

/** How a run limits its calls (`data.concurrency`). */
export interface CallLimits {
  batchSize: number
  attemptsMax: number
  retrySeconds: number
}

/** The limits of a run, with what it leaves out, and within the bounds above. */
export function callLimits(data: RunData | null): CallLimits {
  const { batch_size = BATCH_SIZE, max_retries = 0, retry_delay = RETRY_SECONDS.usual } = data?.concurrency ?? {}
  return {
    batchSize: Math.min(BATCH_SIZE_MAX, Math.max(1, batch_size)),
    attemptsMax: 1 + Math.min(RETRIES_MAX, Math.max(0, max_retries)),
    retrySeconds: Math.max(0, retry_delay),
  }
}

/** How long to wait after the attempt with this number (1: the first) has failed. */
export const retryMs = ({ retrySeconds }: CallLimits, attempt: number, retryAfterSeconds = 0): number =>
  1000 * Math.min(RETRY_SECONDS.max, Math.max(retryAfterSeconds, retrySeconds * 2 ** (attempt - 1)))
