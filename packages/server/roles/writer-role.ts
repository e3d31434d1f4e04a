import { Worker } from 'node:worker_threads'
import type { Config } from '../config.ts'
import type { BatchReport, Metrics } from '../metrics.ts'
import { writerThreads } from '../parts.ts'

/** What the writer's thread tells the process. */
export type WriterMessage =
  | { kind: 'ready' }
  | { kind: 'partitions'; count: number }
  | { kind: 'batch'; report: BatchReport }
  | { kind: 'stopped' }

export interface RunningWriter {
  /** Resolves when the batch under way is stored and acknowledged and all connections of the thread are closed. */
  stop(): Promise<void>
}

/** What a writer's thread is given: it is number `index` of `count`. */
export interface WriterThreadData {
  config: Config
  index: number
  count: number
}

/**
 * Starts the writer's threads and resolves when they are ready. `onFailure` is called when one dies: the process
 * cannot go on then.
 */
export async function startWriter(
  config: Config,
  metrics: Metrics,
  onFailure: (error: Error) => void,
): Promise<RunningWriter> {
  const count = writerThreads(config)
  const threads = await Promise.all(
    Array.from({ length: count }, (_, index) => startThread({ config, index, count }, metrics, onFailure)),
  )
  return {
    stop: async () => {
      await Promise.all(threads.map(thread => thread.stop()))
    },
  }
}

async function startThread(
  data: WriterThreadData,
  metrics: Metrics,
  onFailure: (error: Error) => void,
): Promise<RunningWriter> {
  const worker = new Worker(new URL('./writer-thread.ts', import.meta.url), {
    workerData: data,
    resourceLimits: { maxYoungGenerationSizeMb: 32 },
  })
  const ready = Promise.withResolvers<void>()
  const stopped = Promise.withResolvers<void>()
  worker.on('message', (message: WriterMessage) => {
    if (message.kind === 'batch') metrics.observeBatch(message.report, data.index)
    else if (message.kind === 'partitions') metrics.observePartitions(message.count, data.index)
    else (message.kind === 'ready' ? ready : stopped).resolve()
  })
  worker.once('error', error => {
    ready.reject(error)
    onFailure(error as Error)
  })
  await ready.promise
  return {
    stop: () => {
      worker.postMessage('stop')
      return stopped.promise
    },
  }
}
