/** The signals of OpenTelemetry that are not stored, and the setting that stops an SDK from sending them. */
export const OTHER_SIGNALS = {
  metrics: 'OTEL_METRICS_EXPORTER',
  logs: 'OTEL_LOGS_EXPORTER',
} as const

export type OtherSignal = keyof typeof OTHER_SIGNALS

/**
 * SDKs export metrics and logs to the endpoint of traces unless told otherwise. An error would be logged with every
 * export, and some would be retried; so they are accepted and discarded, with a warning once per connection.
 */
export class OtherSignals {
  readonly #warned = new WeakMap<object, Set<OtherSignal>>()

  /** The warning for the sender, empty if this connection has received it. */
  warning(connection: object, signal: OtherSignal): string {
    const warned = this.#warned.get(connection) ?? new Set()
    if (warned.has(signal)) return ''
    this.#warned.set(connection, warned.add(signal))
    return `Spanhouse stores traces only: ${signal} are discarded. Set ${OTHER_SIGNALS[signal]}=none to stop sending them.`
  }
}
