import { copyChanges } from '@spanhouse/evaluation'
import { type Postgres, whileLeased } from '@spanhouse/postgres'
import type { Engine } from '@spanhouse/span-store'
import type { Logger } from 'pino'
import { type Background, inBackground, repeatedly } from './background.ts'

/** How often changes of runs and results are copied to ClickHouse. */
const COPY_EVERY_MS = 1_000

export interface CopiedStores {
  postgres: Pick<Postgres, 'db' | 'lease'>
  engine: Engine
  log: Logger
}

/** Copies runs and results to ClickHouse periodically, in one process at a time. */
export const startCopying = ({ postgres, engine, log }: CopiedStores): Background =>
  inBackground(signal =>
    repeatedly(COPY_EVERY_MS, signal, () =>
      // The lease is kept as long as it goes well.
      whileLeased(postgres, 'evaluation-copy', lost => {
        const ended = AbortSignal.any([signal, lost])
        return repeatedly(COPY_EVERY_MS, ended, () => copyChanges({ db: postgres.db, engine }, ended))
      }).catch(error => log.warn({ err: error }, 'cannot copy evaluation results to ClickHouse; trying again later')),
    ),
  )
