import { once } from 'node:events'
import { type MessagePort, Worker } from 'node:worker_threads'
import type { Uuid } from '@spanhouse/model'
import type { Postgres } from '@spanhouse/postgres'
import type { Config } from '../config.ts'
import type { BatchReport, Metrics } from '../metrics.ts'
import { type ProjectPrices, pricesOfProjects } from '../projects/prices.ts'
import { writerThreads } from '../stream.ts'

/** What the writer's thread reports to the process. */
export type WriterMessage =
  | { kind: 'ready' }
  | { kind: 'partitions'; count: number }
  | { kind: 'batch'; report: BatchReport }
  /** The embedded Postgres is open only in the process's main thread, so that thread queries it for all. */
  | { kind: 'prices'; project_ids: Uuid[]; answer: MessagePort }

export type PricesAnswer = { prices: Map<Uuid, ProjectPrices> } | { failure: string }

export interface RunningWriter {
  /** Resolves when the current batch is stored and acknowledged and all connections of the thread are closed. */
  stop(): Promise<void>
}

/** The start parameters of a writer's thread: it is number `index` of `count`. */
export interface WriterThreadData {
  config: Config
  clickhouseUrl: string
  index: number
  count: number
}

export interface WriterStart {
  config: Config
  clickhouseUrl: string
  postgres: Pick<Postgres, 'db'>
  metrics: Metrics
  /** Called when a thread dies: the process cannot continue. */
  onFailure(error: Error): void
}

/** Starts the writer's threads and resolves when they are ready. */
export async function startWriter(start: WriterStart): Promise<RunningWriter> {
  const { config, clickhouseUrl } = start
  const count = writerThreads(config)
  const threads = await Promise.all(
    Array.from({ length: count }, (_, index) => startThread({ config, clickhouseUrl, index, count }, start)),
  )
  return {
    stop: async () => {
      await Promise.all(threads.map(thread => thread.stop()))
    },
  }
}

async function startThread(
  data: WriterThreadData,
  { postgres, metrics, onFailure }: WriterStart,
): Promise<RunningWriter> {
  const worker = new Worker(new URL('./writer-thread.ts', import.meta.url), { workerData: data })
  const ready = Promise.withResolvers<void>()
  const ended = once(worker, 'exit')
  worker.on('message', (message: WriterMessage) => {
    if (message.kind === 'batch') metrics.observeBatch(message.report, data.index)
    else if (message.kind === 'partitions') metrics.observePartitions(message.count, data.index)
    else if (message.kind === 'prices') void answerPrices(postgres, message)
    else ready.resolve()
  })
  worker.once('error', error => {
    ready.reject(error)
    onFailure(error as Error)
  })
  await ready.promise
  return {
    stop: async () => {
      worker.postMessage('stop')
      await ended
    },
  }
}

async function answerPrices(
  postgres: Pick<Postgres, 'db'>,
  { project_ids, answer }: Extract<WriterMessage, { kind: 'prices' }>,
): Promise<void> {
  const prices = await pricesOfProjects(postgres, project_ids).then(
    (prices): PricesAnswer => ({ prices }),
    (error: Error): PricesAnswer => ({ failure: error.message }),
  )
  answer.postMessage(prices)
  answer.close()
}
