import { type Micros, microsNow, moveClock } from '@spanhouse/model'
import { type Database, sql } from '@spanhouse/postgres'
import type { Logger } from 'pino'
import { repeatedly } from './background.ts'

/*
 * When something was accepted decides which of two versions of a span is the later one, and what a deletion takes. Both
 * may come to different processes, whose machines' clocks differ. So they all follow the clock of the Postgres that they
 * share.
 */

/** How often the clocks are compared: that of the machine may be set meanwhile. */
const COMPARE_EVERY_MS = 10_000

/** Deviations that are logged for the operator. */
const NOTABLE_MICROS = 1_000_000

/**
 * Moves `microsNow` in this thread to the time in Postgres, and resolves with by how much. Times between the question
 * and the answer may be the same, so clocks that agree are left as they are, however long the answer takes.
 */
export async function compareClocks(db: Database, log: Logger): Promise<Micros> {
  const before = microsNow()
  const question = sql<{ now: string }>`select (extract(epoch from clock_timestamp()) * 1000000)::bigint::text as now`
  const now = Number((await question.execute(db)).rows[0]?.now)
  const after = microsNow()
  const difference = now < before ? now - before : Math.max(0, now - after)
  moveClock(difference)
  if (Math.abs(difference) > NOTABLE_MICROS)
    log.warn(
      { seconds: difference / 1e6 },
      "this machine's clock deviates from that of Postgres, which is used instead",
    )
  return difference
}

export interface ClockWatch {
  db: Database
  log: Logger
  signal: AbortSignal
}

/** Compares the clocks until the signal. While Postgres is away, the clock goes on as it is. */
export const watchClock = ({ db, log, signal }: ClockWatch): Promise<void> =>
  repeatedly(COMPARE_EVERY_MS, signal, async () => {
    await compareClocks(db, log).catch(() => undefined)
  })
