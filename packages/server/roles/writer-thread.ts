import { parentPort, workerData } from 'node:worker_threads'
import { openPostgres } from '@spanhouse/postgres'
import { openEngine, SpanWriter } from '@spanhouse/span-store'
import pino from 'pino'
import { engineLocation, openStream, WRITER_ENGINE } from '../parts.ts'
import { holdPartitions } from './partitions.ts'
import { runWriter } from './writer.ts'
import type { WriterMessage, WriterThreadData } from './writer-role.ts'

/**
 * The writer's own thread: decoding and summing up must not hold up the event loop that answers requests. It opens
 * connections of its own to stream and store. It never exits by itself: an error ends the process, and after a stop
 * it waits to be ended together with it (the embedded engine does not survive the end of a thread that used it).
 */
const { config, index, count } = workerData as WriterThreadData
const port = parentPort as NonNullable<typeof parentPort>
const log = pino({ level: config.logLevel, name: 'writer' })
const stopping = new AbortController()
const post = (message: WriterMessage): void => port.postMessage(message)

const stream = await openStream(config)
const engine = await openEngine(engineLocation(config), WRITER_ENGINE)
const postgres = config.databaseUrl ? await openPostgres({ url: config.databaseUrl }) : undefined

const partitions = Array.from({ length: stream.partitions }, (_, partition) => partition)

port.on('message', () => stopping.abort())
post({ kind: 'ready' })
await holdPartitions({
  partitions: partitions.filter(partition => partition % count === index),
  leases: postgres,
  signal: stopping.signal,
  log,
  run: (partitions, signal) =>
    runWriter({
      stream,
      writer: new SpanWriter(engine),
      partitions,
      signal,
      log,
      report: report => post({ kind: 'batch', report }),
    }),
})
await stream.close()
await engine.close()
await postgres?.close()
post({ kind: 'stopped' })
