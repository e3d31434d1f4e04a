import { Deliverer, removeOldEvents } from '@spanhouse/events'
import { onBehalfOf } from '@spanhouse/postgres'
import type { Logger } from 'pino'
import { type Background, inBackground, repeatedly } from '../background/background.ts'
import type { Parts } from '../parts.ts'
import type { EventMetrics } from './event-metrics.ts'

/** How often old events are removed. */
const RETENTION_EVERY_MS = 10 * 60_000

export interface DeliveryStart {
  parts: Pick<Parts, 'postgres' | 'vault' | 'outbound'>
  metrics: EventMetrics
  log: Logger
}

/** Delivers events to webhooks, and removes old events, until it is stopped. */
export function startDelivery({ parts, metrics, log }: DeliveryStart): Background {
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
  const retention = inBackground(signal =>
    onBehalfOf('event retention', () =>
      repeatedly(RETENTION_EVERY_MS, signal, () =>
        removeOldEvents(postgres, signal).catch(error => log.warn({ err: error }, 'cannot remove old events')),
      ),
    ),
  )
  return {
    stop: async () => {
      await Promise.all([deliverer.stop(), retention.stop()])
    },
  }
}
