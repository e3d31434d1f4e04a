import { setTimeout as delay } from 'node:timers/promises'
import { copyChanges } from '@spanhouse/evaluation'
import type { Postgres } from '@spanhouse/postgres'
import type { Engine } from '@spanhouse/span-store'
import type { Logger } from 'pino'

/** How often changes of runs and results are copied to ClickHouse. */
const COPY_EVERY_MS = 1_000

export interface CopiedStores {
  postgres: Pick<Postgres, 'db' | 'lease'>
  engine: Engine
  log: Logger
}

/**
 * Copies runs and results to ClickHouse periodically, in one process at a time. `stop` resolves when no statement is
 * running.
 */
export function startCopying(stores: CopiedStores): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const ended = copyNowAndThen(stores, stopping.signal)
  return {
    stop: () => {
      stopping.abort()
      return ended
    },
  }
}

async function copyNowAndThen(stores: CopiedStores, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await copyAlone(stores, signal).catch(error => {
      stores.log.warn({ err: error }, 'cannot copy evaluation results to ClickHouse; trying again later')
    })
    await delay(COPY_EVERY_MS, undefined, { signal }).catch(() => {})
  }
}

/** Keeps the lease as long as it goes well; does nothing while another process copies. */
async function copyAlone({ postgres, engine }: CopiedStores, signal: AbortSignal): Promise<void> {
  const lease = await postgres.lease('evaluation-copy')
  if (lease === null) return
  const ended = AbortSignal.any([signal, lease.lost])
  try {
    while (!ended.aborted) {
      await copyChanges({ db: postgres.db, engine }, ended)
      await delay(COPY_EVERY_MS, undefined, { signal: ended }).catch(() => {})
    }
  } finally {
    await lease.release()
  }
}
