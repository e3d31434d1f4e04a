import { Problem } from '@spanhouse/model'
import { type Database, sql, type Trx } from '@spanhouse/postgres'
import type { SpanStream } from '@spanhouse/span-stream'
import type { Logger } from 'pino'
import { pause } from '../background/background.ts'
import type { Config } from '../config.ts'
import { type Layout, readLayout, storeRoutes } from './layout.ts'

/*
 * The number of the stream's partitions grows while processes run. A trace then belongs to another partition, or stays
 * in its own, and no trace may ever have two writers. So:
 *
 * - A new number is a multiple of the one before: the traces of a new partition come from a single earlier one.
 * - Processes look for the number in Postgres. Until a receiver knows the new one, it publishes to the earlier partition.
 * - A writer leaves to others what it finds in its partition but belongs elsewhere: it publishes that there, and only then
 *   acknowledges what it has read. If it dies in between, the next one does so again, which stores nothing twice.
 * - When a writer begins a run, it records by which number it divides, after the run has fenced those before it.
 * - A new partition waits until those whose traces it has taken over have been recorded: their writers store none of them
 *   any more.
 *
 * packages/span-stream/DECISIONS.md says why that is exact.
 */

/** The numbers of partitions so far, ascending; the last is the present one. */
async function readDivisions(db: Database | Trx): Promise<number[]> {
  const rows = await db.selectFrom('stream_divisions').select('partitions').orderBy('partitions').execute()
  return rows.map(({ partitions }) => partitions)
}

/**
 * Opens the stream with the numbers of partitions that it has had, if any are recorded; otherwise `open` chooses, and
 * its number is recorded. Throws an Error for the operator if the configured number was never the stream's. After a
 * failure nothing is open.
 */
export async function openDivided(
  db: Database,
  config: Pick<Config, 'streamPartitions'>,
  open: (divisions: readonly number[] | undefined) => Promise<SpanStream>,
): Promise<SpanStream> {
  const divisions = await readDivisions(db)
  requireKnown(config.streamPartitions, divisions)
  const stream = await open(divisions.length > 0 ? divisions : undefined).catch(async error => {
    // Another process may have let it grow since.
    if ((await readDivisions(db)).length === divisions.length) throw error
    return openDivided(db, config, open)
  })
  if (divisions.length > 0) return stream
  try {
    await db
      .insertInto('stream_divisions')
      .values({ partitions: stream.partitions })
      .onConflict(conflict => conflict.doNothing())
      .execute()
  } catch (error) {
    await stream.close()
    throw error
  }
  return stream
}

function requireKnown(configured: number | undefined, divisions: readonly number[]): void {
  const now = divisions.at(-1)
  if (configured === undefined || now === undefined || divisions.includes(configured)) return
  throw new Error(
    `SPANHOUSE_STREAM_PARTITIONS is ${configured}, but the stream has ${now} partitions: \`spanhouse cluster partitions\` changes their number.`,
  )
}

/** How often a process looks whether the number of partitions has grown. */
const LOOK_EVERY_MS = 1_000

export interface DivisionWatch {
  db: Database
  stream: SpanStream
  signal: AbortSignal
  log: Logger
  /** Called after the stream has grown. */
  onGrown?(): void
}

/** Lets a stream grow with the number of partitions in Postgres, until the signal. */
export async function watchDivision({ db, stream, signal, log, onGrown }: DivisionWatch): Promise<void> {
  while (!signal.aborted) {
    await pause(LOOK_EVERY_MS, signal)
    if (signal.aborted) return
    try {
      const partitions = (await readDivisions(db)).at(-1) ?? 0
      if (partitions <= stream.partitions) continue
      await stream.grow?.(partitions)
      log.info({ partitions }, 'the stream has more partitions')
      onGrown?.()
    } catch (error) {
      log.warn({ err: error }, 'cannot follow the number of partitions; trying again')
    }
  }
}

/** How often a writer looks whether the earlier ones of its traces have left them. */
const WAIT_LOOK_MS = 200

/**
 * Records that the writers of these partitions divide by this number, and waits until no writer of another partition
 * stores traces that belong to these. Must be called after the run has fenced those before it, with a number read
 * before that. False: the number has grown meanwhile, or the signal has aborted.
 */
export async function takeOver(
  db: Database,
  { partitions, division, signal }: { partitions: readonly number[]; division: number; signal: AbortSignal },
): Promise<boolean> {
  const { rows } = await sql`
    insert into stream_partitions (stream_partition, partitions)
    select unnest(${sql.val(partitions)}::integer[]), ${division}
    where ${division} = (select max(partitions) from stream_divisions)
    on conflict (stream_partition) do update set partitions = greatest(stream_partitions.partitions, excluded.partitions)
    returning stream_partition`.execute(db)
  if (rows.length < partitions.length) return false
  const earlier = (await readDivisions(db)).filter(one => one < division)
  const origins = new Set(partitions.flatMap(partition => earlier.map(one => partition % one)))
  for (const partition of partitions) origins.delete(partition)
  while (!signal.aborted) {
    if ((await startedOf(db, division, [...origins])) === origins.size) return true
    await pause(WAIT_LOOK_MS, signal)
  }
  return false
}

/** How many of the partitions have, or have had, a writer that divides by this number. */
async function startedOf(db: Database | Trx, division: number, partitions: readonly number[]): Promise<number> {
  if (partitions.length === 0) return 0
  const rows = await db
    .selectFrom('stream_partitions')
    .select('stream_partition')
    .where('partitions', '>=', division)
    .where('stream_partition', 'in', partitions)
    .execute()
  return rows.length
}

/** How far a growth is. */
export interface DivisionStatus {
  partitions: number
  /** Those that writers have begun to process by this number. */
  started: number
}

/** Undefined: the number of partitions is not recorded, so it cannot grow. */
export async function divisionStatus(db: Database | Trx): Promise<DivisionStatus | undefined> {
  const partitions = (await readDivisions(db)).at(-1)
  if (partitions === undefined) return undefined
  return { partitions, started: await startedOf(db, partitions, rangeOf(partitions)) }
}

const rangeOf = (partitions: number): number[] => Array.from({ length: partitions }, (_, index) => index)

/** At most this share of the stream may be in use when it grows, since what is forwarded takes room twice. */
const USED_SHARE_MAX = 0.5

/**
 * Records a new number of partitions; new partitions inherit the shards of those whose traces they take over. Rejects
 * with a Problem `conflict` that says why if it cannot be.
 */
export async function growPartitions(
  { db, stream }: { db: Database; stream: SpanStream },
  wanted: number,
): Promise<void> {
  const { bytes, bytesMax } = await stream.stats()
  await db.transaction().execute(async trx => {
    await sql`lock table stream_divisions, cluster_shards in exclusive mode`.execute(trx)
    const status = await divisionStatus(trx)
    if (!status) throw conflict('Only a stream in NATS can grow, with DATABASE_URL and NATS_URL set.')
    const { partitions, started } = status
    if (wanted <= partitions || wanted % partitions !== 0)
      throw conflict(`The stream has ${partitions} partitions: their number can only become a multiple of that.`)
    if (started < partitions)
      throw conflict(
        `Only ${started} of ${partitions} partitions have a writer of this version: wait until all of them have, then try again.`,
      )
    if (bytes > bytesMax * USED_SHARE_MAX)
      throw conflict('The stream is more than half full: wait until writers have caught up, then try again.')
    await trx.insertInto('stream_divisions').values({ partitions: wanted }).execute()
    const layout = await readLayout(trx)
    if (layout) await storeRoutes(trx, inherited(layout, partitions, wanted))
  })
}

const inherited = ({ routes }: Layout, partitions: number, wanted: number): Layout['routes'] =>
  new Map(rangeOf(wanted).map(partition => [partition, routes.get(partition % partitions) ?? []]))

const conflict = (message: string): Problem => new Problem('conflict', message)
