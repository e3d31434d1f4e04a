import { type Database, withDatabaseProblems } from '@spanhouse/postgres'
import type { SpanStream } from '@spanhouse/span-stream'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { untilReachable } from '../start/checks.ts'
import { openStream, type SharedStream } from '../stream.ts'
import { openDivided } from './divisions.ts'

/**
 * Opens the stream in NATS with what is in Postgres of it; see `openDivided`. Waits for both of them. Warns if another
 * database had it last.
 */
export function openSharedStream(db: Database, config: Config, log: Logger): Promise<SpanStream> {
  const open = (shared: SharedStream): Promise<SpanStream> =>
    untilReachable({ config, store: 'stream', log, attempt: () => openStream(config, log, shared) })
  const attempt = async (): Promise<SpanStream> => {
    const { id: installation } = await db.selectFrom('installation').select('id').executeTakeFirstOrThrow()
    return openDivided(db, config, divisions => open({ divisions, installation }))
  }
  return untilReachable({ config, store: 'postgres', log, attempt: () => withDatabaseProblems(attempt) })
}
