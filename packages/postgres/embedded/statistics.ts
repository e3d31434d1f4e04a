import { sql } from 'kysely'
import type { Database } from '../tables.ts'

/** How often it is checked whether a table has grown. */
const CHECK_EVERY_MS = 15_000
/** By how much a table grows before it is analyzed again, and how many pages more a small one needs. */
const GROWTH = 1.2
const PAGES_MIN = 16
const PAGE_BYTES = 8_192

/**
 * Analyzes tables that have grown, as the autovacuum of a server does; PGlite has none. Without statistics the planner
 * takes every value for a rare one and reads, for example, a whole evaluation run to find the cells of one scenario.
 * Returns what ends it.
 */
export function keepStatistics(db: Database): () => Promise<void> {
  let running: Promise<unknown> | undefined
  const timer = setInterval(() => {
    // One that fails, because the database is busy or closing, is repeated at the next check.
    running ??= analyzeGrown(db)
      .catch(() => undefined)
      .finally(() => {
        running = undefined
      })
  }, CHECK_EVERY_MS).unref()
  return async () => {
    clearInterval(timer)
    await running
  }
}

/** Analyzes the tables that have grown since they were last analyzed, one statement each, and returns their names. */
export async function analyzeGrown(db: Database): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select c.relname as name from pg_class c
    where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace
      and pg_relation_size(c.oid) / ${PAGE_BYTES}::integer > c.relpages * ${GROWTH}::double precision + ${PAGES_MIN}::integer
    order by c.relname`.execute(db)
  for (const { name } of rows) await sql`analyze ${sql.table(name)}`.execute(db)
  return rows.map(({ name }) => name)
}
