import { Deliverer, startEventRetention } from '@spanhouse/events'
import type { Logger } from 'pino'
import type { EventMetrics } from '../event-metrics.ts'
import type { Parts } from '../parts.ts'

export interface DeliveryStart {
  parts: Pick<Parts, 'postgres' | 'vault' | 'outbound'>
  metrics: EventMetrics
  log: Logger
}

/** Delivers events to webhooks, and removes old events, until it is stopped. */
export function startDelivery({ parts, metrics, log }: DeliveryStart): { stop(): Promise<void> } {
  const { postgres, vault, outbound } = parts
  const deliverer = new Deliverer({
    db: postgres.db,
    vault,
    outbound,
    onAttempt: (outcome, seconds) => {
      metrics.attempts.inc({ outcome })
      if (outcome === 'success') metrics.seconds.observe(seconds)
    },
    onError: error => log.warn({ err: error }, 'cannot deliver events; trying again'),
  })
  metrics.observeUnderWay(() => deliverer.underWay)
  const retention = startEventRetention(postgres, error => log.warn({ err: error }, 'cannot remove old events'))
  return {
    stop: async () => {
      await Promise.all([deliverer.stop(), retention.stop()])
    },
  }
}
