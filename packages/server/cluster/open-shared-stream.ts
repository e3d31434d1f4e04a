import type { Database } from '@spanhouse/postgres'
import type { SpanStream } from '@spanhouse/span-stream'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { openStream } from '../stream.ts'
import { openDivided } from './divisions.ts'

/** Opens the stream in NATS with what is in Postgres of it; see `openDivided`. Warns if another database had it last. */
export async function openSharedStream(db: Database, config: Config, log: Logger): Promise<SpanStream> {
  const { id: installation } = await db.selectFrom('installation').select('id').executeTakeFirstOrThrow()
  return openDivided(db, config, divisions => openStream(config, log, { divisions, installation }))
}
