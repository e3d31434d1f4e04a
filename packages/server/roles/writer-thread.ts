import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { MessageChannel, parentPort, workerData } from 'node:worker_threads'
import { Problem, type Uuid } from '@spanhouse/model'
import type { Postgres } from '@spanhouse/postgres'
import { runThreadBehind } from '@spanhouse/priority'
import {
  beginRun,
  closeShard,
  type Engine,
  mergeLeftovers,
  openEngine,
  openShard,
  removeExpired,
  renewRun,
  SpanWriter,
  StoreMismatch,
} from '@spanhouse/span-store'
import type { SpanStream } from '@spanhouse/span-stream'
import { pause } from '../background/background.ts'
import { openLog } from '../log/log.ts'
import type { BatchReport } from '../metrics.ts'
import type { ProjectPrices } from '../projects/prices.ts'
import { canGrow, openStream } from '../stream.ts'
import { holdPartitions } from './partitions.ts'
import { PriceCache } from './price-cache.ts'
import type { Writing } from './write-routes.ts'
import { runWriter } from './writer.ts'
import type { PricesAnswer, WriterMessage, WriterThreadData } from './writer-role.ts'

/**
 * The writer's thread: decoding and computing totals must not block the event loop that serves requests. It opens its
 * own connections to stream and store. An error ends the process; after a stop it exits when everything is closed.
 */
const { config, clickhouseUrl, index, count } = workerData as WriterThreadData
const port = parentPort as NonNullable<typeof parentPort>
const log = openLog(config.logLevel, 'writer')
/**
 * The writer has its own connections, one for batches and one for chores, so that these and the queries never wait for
 * each other.
 */
const WRITER_ENGINE = { connections: 2, queueMs: 120_000 }

interface Chore {
  run(engine: Engine): Promise<unknown>
  everyMs: number
  failure: string
}

/** What is done from time to time, each time after one to two such periods: not by all writers at once. */
const CHORES: readonly Chore[] = [
  /** Spans whose expiry was changed after they were stored. */
  { run: removeExpired, everyMs: 3_600_000, failure: 'cannot remove expired spans' },
  { run: mergeLeftovers, everyMs: 10_000, failure: 'cannot merge the parts that the last inserts left' },
]

/** Done by each writer with a run of its own. */
const RENEWAL: Chore = { run: renewRun, everyMs: 86_400_000, failure: 'cannot renew the run of this writer' }

runThreadBehind()
const stopping = new AbortController()
const post = (message: WriterMessage): void => port.postMessage(message)
const prices = new PriceCache(askPrices)

// What only networked writers need is loaded by them alone: embedded, that would be most of a thread's modules.
const postgres = config.databaseUrl
  ? await (await import('@spanhouse/postgres')).openPostgres({ url: config.databaseUrl })
  : undefined
const stream = postgres && canGrow(config) ? await openGrowing(postgres) : await openStream(config, log)
const shards = config.clickhouseUrls?.map((urls, index) => openShard(index + 1, urls, WRITER_ENGINE))

/** Aborts when the stream has more partitions. */
let grown = new AbortController()

port.on('message', () => stopping.abort())
post({ kind: 'ready' })
const watching = postgres && watch(postgres)
while (!stopping.signal.aborted) {
  grown = new AbortController()
  const division = stream.partitions
  await holdPartitions({
    partitions: Array.from({ length: division }, (_, partition) => partition).filter(one => one % count === index),
    leases: postgres,
    signal: AbortSignal.any([stopping.signal, grown.signal]),
    log,
    run: async (partitions, signal) => {
      post({ kind: 'partitions', count: partitions.length })
      await hold({ partitions, division, signal }).finally(() => post({ kind: 'partitions', count: 0 }))
    },
  })
}
await watching
await Promise.all(shards?.map(closeShard) ?? [])
await stream.close()
await postgres?.close()
port.close()

async function openGrowing({ db }: Postgres): Promise<SpanStream> {
  const { openSharedStream } = await import('../cluster/open-shared-stream.ts')
  return openSharedStream(db, config, log)
}

async function watch({ db }: Postgres): Promise<void> {
  const { signal } = stopping
  const { watchClock } = await import('../background/shared-clock.ts')
  const { watchDivision } = await import('../cluster/divisions.ts')
  await Promise.all([
    watchClock({ db, log, signal }),
    canGrow(config) && watchDivision({ db, stream, signal, log, onGrown: () => grown.abort() }),
  ])
}

/** Partitions that are held, of as many as traces are divided among. */
interface Holding {
  partitions: readonly number[]
  division: number
  signal: AbortSignal
}

/** Writes these partitions until the signal. */
async function hold({ partitions, division, signal }: Holding): Promise<void> {
  const single = { shards: [{ urls: [clickhouseUrl], server: 0 }], partitions, signal }
  if (!postgres) return write(single, division)
  if (!shards) return writeAsRun(single, division)
  const { writeRoutes } = await import('./write-routes.ts')
  const places = { config, db: postgres.db, shards, partitions, signal, log }
  return writeRoutes({ ...places, write: writing => writeAsRun(writing, division) })
}

/** Ends before the signal if a server is away that others can replace: the next run uses one of those. */
async function write({ shards, partitions, ...until }: Writing, division: number, run?: number): Promise<void> {
  const over = new AbortController()
  const signal = AbortSignal.any([until.signal, over.signal])
  const engines = shards.map(({ urls, server }) => {
    const only = urls.length > 1 ? { server, onAway: () => over.abort() } : undefined
    return openEngine(urls, { ...WRITER_ENGINE, ...(run && { run }), ...(only && { only }) })
  })
  // Of a single server, only the writer with the first partition does the chores; of a cluster all do, on their shards.
  if (config.clickhouseUrls || partitions.includes(0))
    for (const chore of CHORES) void doPeriodically(chore, engines, signal)
  if (run) void doPeriodically(RENEWAL, engines, signal)
  const report = (report: BatchReport): void => post({ kind: 'batch', report })
  try {
    if (run) for (const engine of engines) await beginRun(engine, partitions)
    if (run && canGrow(config) && !(await takeOver({ partitions, division, signal }))) return
    await runWriter({ stream, writer: new SpanWriter(engines), prices, partitions, division, signal, log, report })
  } finally {
    over.abort()
    await Promise.all(engines.map(engine => engine.close()))
  }
}

/** With other writers, each period with partitions is a run that they can fence. Resolves when it is over. */
async function writeAsRun(writing: Writing, division: number): Promise<void> {
  await write(writing, division, randomInt(1, 2 ** 47)).catch(error => {
    if (error instanceof StoreMismatch) throw error
    log.error({ err: error, partitions: writing.partitions }, 'a writer run failed; starting a new one')
  })
}

async function takeOver(holding: Holding): Promise<boolean> {
  const divisions = await import('../cluster/divisions.ts')
  return divisions.takeOver((postgres as Postgres).db, holding)
}

async function askPrices(project_ids: Uuid[]): Promise<ReadonlyMap<Uuid, ProjectPrices>> {
  const { port1, port2 } = new MessageChannel()
  const answered = once(port1, 'message') as Promise<[PricesAnswer]>
  const question: WriterMessage = { kind: 'prices', project_ids, answer: port2 }
  port.postMessage(question, [port2])
  const [answer] = await answered
  if ('prices' in answer) return answer.prices
  throw new Problem('overloaded', `The projects' own prices cannot be read: ${answer.failure}`)
}

async function doPeriodically(chore: Chore, engines: readonly Engine[], signal: AbortSignal): Promise<void> {
  const { run, everyMs, failure } = chore
  for (;;) {
    await pause(everyMs * (1 + Math.random()), signal)
    if (signal.aborted) return
    for (const engine of engines)
      await run(engine).catch(error => signal.aborted || log.warn({ err: error }, `${failure}; trying again later`))
  }
}
