import { Worker } from 'node:worker_threads'
import type { Config } from '../config.ts'
import type { BatchReport, Metrics } from '../metrics.ts'

/** What the writer's thread tells the process. */
export type WriterMessage = { kind: 'ready' } | { kind: 'batch'; report: BatchReport } | { kind: 'stopped' }

export interface RunningWriter {
  /** Resolves when the batch under way is stored and acknowledged and all connections of the thread are closed. */
  stop(): Promise<void>
}

/**
 * Starts the writer in a thread of its own and resolves when it is ready. `onFailure` is called when the thread dies:
 * the process cannot go on then.
 */
export async function startWriter(
  config: Config,
  metrics: Metrics,
  onFailure: (error: Error) => void,
): Promise<RunningWriter> {
  const worker = new Worker(new URL('./writer-thread.ts', import.meta.url), {
    workerData: config,
    resourceLimits: { maxYoungGenerationSizeMb: 32 },
  })
  const ready = Promise.withResolvers<void>()
  const stopped = Promise.withResolvers<void>()
  worker.on('message', (message: WriterMessage) => {
    if (message.kind === 'batch') metrics.observeBatch(message.report)
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
