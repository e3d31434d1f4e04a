import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** The counters of the receiver. */
export interface IngestMetrics {
  accepted: Counter
  rejected: Counter
  refused: Counter<'code'>
  bytesHeld: Gauge
}

/** The counters of the services. */
export interface RunMetrics extends Pick<IngestMetrics, 'accepted'> {
  tracesLost: Counter
}

/** One batch as reported by the writer. In seconds unless the name says otherwise. */
export interface BatchReport {
  spans: number
  inserted: number
  replaced: number
  known: number
  deleted: number
  updated: number
  rejectedMessages: number
  decodeSeconds: number
  storeSeconds: number
  /** From acceptance to storage, of the newest and the oldest message; empty if none could be decoded. */
  lagSeconds: number[]
  memorySpans: number
}

/** The stream's state, read when the metrics are requested. */
export interface StreamGauges {
  depth: number
  bytes: number
  bytesMax: number
  oldestSeconds: number
  deadLetters: number
}

/** All metrics of one process, in Prometheus' text format under `/metrics`. */
export class Metrics implements IngestMetrics, RunMetrics {
  readonly registry = new Registry()
  readonly accepted = this.#counter('spanhouse_spans_accepted_total', 'Spans made durable in the stream.')
  readonly rejected = this.#counter('spanhouse_spans_rejected_total', 'Unusable spans in accepted exports.')
  readonly tracesLost = this.#counter(
    'spanhouse_run_traces_lost_total',
    'Runs whose trace was not recorded: the stream accepted nothing for too long, or an internal error.',
  )
  readonly refused = new Counter({
    name: 'spanhouse_exports_refused_total',
    help: 'Exports rejected with an error, by error code.',
    labelNames: ['code'] as const,
    registers: [this.registry],
  })
  readonly connections = new Gauge({
    name: 'spanhouse_connections',
    help: 'Open connections of clients.',
    labelNames: ['listener'] as const,
    registers: [this.registry],
  })
  readonly connectionsClosed = new Counter({
    name: 'spanhouse_connections_closed_total',
    help: 'Connections closed because the maximum number was open.',
    labelNames: ['listener'] as const,
    registers: [this.registry],
  })
  readonly bytesHeld = this.#gauge(
    'spanhouse_bodies_bytes',
    'Bytes of request bodies being received or processed, and of the data derived from them; beyond 256 MiB, or 128 MiB for one project, further requests get 503.',
  )
  readonly answerBytes = this.#gauge(
    'spanhouse_answers_bytes',
    'Bytes of memory held by large responses being sent; beyond 512 MiB (256 MiB for one project) further ones get 503.',
  )
  readonly #written = new Counter({
    name: 'spanhouse_spans_written_total',
    help: 'Spans read from the stream: inserted, replaced by a later version, already known, or of a deleted trace.',
    labelNames: ['outcome'] as const,
    registers: [this.registry],
  })
  readonly #updated = this.#counter('spanhouse_rows_updated_total', 'Rows whose totals a later span changed.')
  readonly #rejectedMessages = this.#counter('spanhouse_messages_rejected_total', 'Messages moved to the dead letters.')
  readonly #batch = this.#histogram('spanhouse_batch_spans', 'Spans in a batch.', [1, 10, 100, 1e3, 3e3, 1e4, 3e4])
  readonly #decode = this.#histogram('spanhouse_decode_seconds', 'Time to decode a batch.', SECONDS)
  readonly #store = this.#histogram('spanhouse_store_seconds', 'Time to compute totals and store a batch.', SECONDS)
  readonly #lag = this.#histogram('spanhouse_lag_seconds', 'Time from acceptance to storage.', SECONDS)
  readonly #memory = this.#gauge('spanhouse_memory_spans', 'Spans in memory, as skeletons of recent traces.')
  readonly #memorySpans: number[] = []
  readonly #partitions = this.#gauge(
    'spanhouse_writer_partitions',
    'Partitions of the stream that this process stores.',
  )
  readonly #partitionCounts: number[] = []

  constructor(readStream: (() => Promise<StreamGauges>) | undefined) {
    collectDefaultMetrics({ register: this.registry })
    if (readStream) this.#observeStream(readStream)
  }

  /** `writer` is the number of a writing thread. */
  observeBatch(report: BatchReport, writer = 0): void {
    this.#written.inc({ outcome: 'inserted' }, report.inserted)
    this.#written.inc({ outcome: 'replaced' }, report.replaced)
    this.#written.inc({ outcome: 'known' }, report.known)
    this.#written.inc({ outcome: 'deleted' }, report.deleted)
    this.#updated.inc(report.updated)
    this.#rejectedMessages.inc(report.rejectedMessages)
    this.#batch.observe(report.spans)
    this.#decode.observe(report.decodeSeconds)
    this.#store.observe(report.storeSeconds)
    for (const seconds of report.lagSeconds) this.#lag.observe(Math.max(0, seconds))
    this.#memorySpans[writer] = report.memorySpans
    this.#memory.set(total(this.#memorySpans))
  }

  observePartitions(count: number, writer: number): void {
    this.#partitionCounts[writer] = count
    this.#partitions.set(total(this.#partitionCounts))
  }

  /** All of them come from one query of the stream, made by the first. */
  #observeStream(read: () => Promise<StreamGauges>): void {
    let looking: Promise<StreamGauges | null> | undefined
    const look = (): Promise<StreamGauges | null> => {
      looking ??= read()
        .catch(() => null)
        .finally(() => {
          looking = undefined
        })
      return looking
    }
    const observe = (name: string, help: string, pick: (stats: StreamGauges | null) => number | undefined): void => {
      new Gauge({
        name,
        help,
        registers: [this.registry],
        async collect() {
          const value = pick(await look())
          if (value !== undefined) this.set(value)
        },
      })
    }
    observe('spanhouse_stream_up', 'Whether the stream could be queried.', stats => (stats ? 1 : 0))
    for (const [name, { metric, help }] of Object.entries(STREAM_GAUGES))
      observe(metric, help, stats => stats?.[name as keyof StreamGauges])
  }

  #counter(name: string, help: string): Counter {
    return new Counter({ name, help, registers: [this.registry] })
  }

  #gauge(name: string, help: string): Gauge {
    return new Gauge({ name, help, registers: [this.registry] })
  }

  #histogram(name: string, help: string, buckets: number[]): Histogram {
    return new Histogram({ name, help, buckets, registers: [this.registry] })
  }
}

/** Of the threads that have reported. */
const total = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0)

const STREAM_GAUGES: Record<keyof StreamGauges, { metric: string; help: string }> = {
  depth: { metric: 'spanhouse_stream_messages', help: 'Messages in the stream that are not yet stored.' },
  bytes: { metric: 'spanhouse_stream_bytes', help: 'Their bytes.' },
  bytesMax: {
    metric: 'spanhouse_stream_bytes_max',
    help: 'The size limit in bytes; beyond it exports get 503.',
  },
  oldestSeconds: { metric: 'spanhouse_stream_oldest_seconds', help: 'Age of the oldest message not yet stored.' },
  deadLetters: { metric: 'spanhouse_dead_letters', help: 'Messages that could not be processed.' },
}

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60]
