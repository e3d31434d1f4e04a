import type { Dispatcher, Online } from '@spanhouse/evaluation'
import { type EvaluationsStart, followLiveRuns, startEvaluations } from '../evaluations/start-evaluations.ts'
import { startDelivery } from './delivery.ts'
import type { EventMetrics } from './event-metrics.ts'

export interface WorkerStart extends EvaluationsStart {
  eventMetrics: EventMetrics
}

/** The background work of a process. */
export interface Worker {
  /** Is notified of evaluations to work on. */
  dispatcher: Dispatcher
  online: Online
  stop(): Promise<void>
}

/** Executes evaluations, follows live runs and delivers events, beside any number of other processes. */
export function startWorker({ eventMetrics, ...start }: WorkerStart): Worker {
  const dispatcher = startEvaluations(start)
  const online = followLiveRuns(start, dispatcher)
  const delivery = startDelivery({ parts: start.parts, metrics: eventMetrics, log: start.log })
  return {
    dispatcher,
    online,
    stop: async () => {
      await online.stop()
      await Promise.all([dispatcher.stop(), delivery.stop()])
    },
  }
}
