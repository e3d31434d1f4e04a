import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { MessageChannel, parentPort, workerData } from 'node:worker_threads'
import { Problem, type Uuid } from '@spanhouse/model'
import {
  beginRun,
  closeShard,
  type Engine,
  openEngine,
  openShard,
  removeExpired,
  SpanWriter,
  StoreMismatch,
} from '@spanhouse/span-store'
import pino from 'pino'
import type { BatchReport } from '../metrics.ts'
import type { ProjectPrices } from '../project-prices.ts'
import { openStream } from '../stream.ts'
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
const log = pino({ level: config.logLevel, name: 'writer' })
/** The writer has its own connection, so that it and the queries never wait for each other. */
const WRITER_ENGINE = { connections: 1, queueMs: 120_000 }
/** How often spans are removed whose expiry was changed after they were stored. */
const EXPIRE_EVERY_MS = 3_600_000

const stopping = new AbortController()
const post = (message: WriterMessage): void => port.postMessage(message)
const prices = new PriceCache(askPrices)

const stream = await openStream(config, log)
// What only networked writers need is loaded by them alone: embedded, that would be most of a thread's modules.
const postgres = config.databaseUrl
  ? await (await import('@spanhouse/postgres')).openPostgres({ url: config.databaseUrl })
  : undefined
const shards = config.clickhouseUrls?.map((urls, index) => openShard(index + 1, urls, WRITER_ENGINE))

const partitions = Array.from({ length: stream.partitions }, (_, partition) => partition)

port.on('message', () => stopping.abort())
post({ kind: 'ready' })
await holdPartitions({
  partitions: partitions.filter(partition => partition % count === index),
  leases: postgres,
  signal: stopping.signal,
  log,
  run: async (partitions, signal) => {
    post({ kind: 'partitions', count: partitions.length })
    await hold(partitions, signal).finally(() => post({ kind: 'partitions', count: 0 }))
  },
})
await Promise.all(shards?.map(closeShard) ?? [])
await stream.close()
await postgres?.close()
port.close()

/** Writes these partitions until the signal. */
async function hold(partitions: readonly number[], signal: AbortSignal): Promise<void> {
  const single = { shards: [{ urls: [clickhouseUrl], server: 0 }], partitions, signal }
  if (!postgres) return write(single)
  if (!shards) return begin(single)
  const { writeRoutes } = await import('./write-routes.ts')
  return writeRoutes({ config, db: postgres.db, shards, partitions, signal, log, write: begin })
}

/** Ends before the signal if a server is away that others can replace: the next run uses one of those. */
async function write({ shards, partitions, ...until }: Writing, run?: number): Promise<void> {
  const away = new AbortController()
  const signal = AbortSignal.any([until.signal, away.signal])
  const engines = shards.map(({ urls, server }) => {
    const only = urls.length > 1 ? { server, onAway: () => away.abort() } : undefined
    return openEngine(urls, { ...WRITER_ENGINE, ...(run && { run }), ...(only && { only }) })
  })
  const expiring = setInterval(() => void expire(partitions, engines), EXPIRE_EVERY_MS)
  const report = (report: BatchReport): void => post({ kind: 'batch', report })
  try {
    if (run) for (const engine of engines) await beginRun(engine, partitions)
    await runWriter({ stream, writer: new SpanWriter(engines), prices, partitions, signal, log, report })
  } finally {
    clearInterval(expiring)
    await Promise.all(engines.map(engine => engine.close()))
  }
}

/** With other writers, each period with partitions is a run that they can fence. */
async function begin(writing: Writing): Promise<void> {
  await write(writing, randomInt(1, 2 ** 47)).catch(error => {
    if (error instanceof StoreMismatch) throw error
    log.error({ err: error, partitions: writing.partitions }, 'a writer run failed; starting a new one')
  })
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

/** Of a single server, only the writer with the first partition does this; of a cluster all do, on their shards. */
async function expire(partitions: readonly number[], engines: readonly Engine[]): Promise<void> {
  if (!shards && !partitions.includes(0)) return
  for (const engine of engines)
    await removeExpired(engine).catch(error =>
      log.warn({ err: error }, 'cannot remove expired spans; trying again later'),
    )
}
