import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

const SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300]

/** The metrics of events and webhooks. */
export class EventMetrics {
  readonly attempts: Counter<'outcome'>
  readonly seconds: Histogram
  readonly readsDropped: Counter
  readonly #registry: Registry

  constructor(registry: Registry) {
    this.#registry = registry
    const registers = [registry]
    this.attempts = new Counter({
      name: 'spanhouse_webhook_attempts_total',
      help: 'Attempts to deliver an event: success, retry (another one follows), failed.',
      labelNames: ['outcome'] as const,
      registers,
    })
    this.seconds = new Histogram({
      name: 'spanhouse_webhook_seconds',
      help: 'Time from an event to its successful delivery.',
      buckets: SECONDS,
      registers,
    })
    this.readsDropped = new Counter({
      name: 'spanhouse_read_events_dropped_total',
      help: 'Events of reads that were not recorded: too many at once, or Postgres failed.',
      registers,
    })
  }

  observeUnderWay(read: () => number): void {
    new Gauge({
      name: 'spanhouse_webhook_attempts_under_way',
      help: 'Attempts under way in this process.',
      registers: [this.#registry],
      collect() {
        this.set(read())
      },
    })
  }
}
