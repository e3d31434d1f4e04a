import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { MessageChannel, parentPort, workerData } from 'node:worker_threads'
import { Problem, type Uuid } from '@spanhouse/model'
import { openPostgres } from '@spanhouse/postgres'
import { beginRun, type Engine, openEngine, removeExpired, SpanWriter, StoreMismatch } from '@spanhouse/span-store'
import pino from 'pino'
import type { BatchReport } from '../metrics.ts'
import { openStream, WRITER_ENGINE } from '../parts.ts'
import type { ProjectPrices } from '../project-prices.ts'
import { holdPartitions } from './partitions.ts'
import { PriceCache } from './price-cache.ts'
import { runWriter } from './writer.ts'
import type { PricesAnswer, WriterMessage, WriterThreadData } from './writer-role.ts'

/**
 * The writer's thread: decoding and computing totals must not block the event loop that serves requests. It opens its
 * own connections to stream and store. An error ends the process; after a stop it exits when everything is closed.
 */
const { config, clickhouseUrl, index, count } = workerData as WriterThreadData
const port = parentPort as NonNullable<typeof parentPort>
const log = pino({ level: config.logLevel, name: 'writer' })
/** How often spans are removed whose expiry was changed after they were stored. */
const EXPIRE_EVERY_MS = 3_600_000

const stopping = new AbortController()
const post = (message: WriterMessage): void => port.postMessage(message)
const prices = new PriceCache(askPrices)

const stream = await openStream(config, log)
const postgres = config.databaseUrl ? await openPostgres({ url: config.databaseUrl }) : undefined

const partitions = Array.from({ length: stream.partitions }, (_, partition) => partition)

port.on('message', () => stopping.abort())
post({ kind: 'ready' })
await holdPartitions({
  partitions: partitions.filter(partition => partition % count === index),
  leases: postgres,
  signal: stopping.signal,
  log,
  run: postgres ? runFenced : (partitions, signal) => runOn(partitions, signal),
})
await stream.close()
await postgres?.close()
port.close()

async function runOn(partitions: readonly number[], signal: AbortSignal, run?: number): Promise<void> {
  const engine = openEngine(clickhouseUrl, { ...WRITER_ENGINE, ...(run ? { run } : {}) })
  const expiring = partitions.includes(0) ? setInterval(() => void expire(engine), EXPIRE_EVERY_MS) : undefined
  const report = (report: BatchReport): void => post({ kind: 'batch', report })
  post({ kind: 'partitions', count: partitions.length })
  try {
    if (run) await beginRun(engine, partitions)
    await runWriter({ stream, writer: new SpanWriter(engine), prices, partitions, signal, log, report })
  } finally {
    clearInterval(expiring)
    post({ kind: 'partitions', count: 0 })
    await engine.close()
  }
}

/** With other writers, each period with partitions is a run that they can fence. */
async function runFenced(partitions: readonly number[], signal: AbortSignal): Promise<void> {
  await runOn(partitions, signal, randomInt(1, 2 ** 47)).catch(error => {
    if (error instanceof StoreMismatch) throw error
    log.error({ err: error, partitions }, 'a writer run failed; starting a new one')
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

/** Only the writer with the first partition does this. */
async function expire(engine: Engine): Promise<void> {
  await removeExpired(engine).catch(error =>
    log.warn({ err: error }, 'cannot remove expired spans; trying again later'),
  )
}
