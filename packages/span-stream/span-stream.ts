import type { Micros, Uuid } from '@spanhouse/model'

/**
 * One partition's share of one accepted export. All spans of a trace are in the same partition, so one writer at a
 * time sees them all.
 */
export interface SpanMessage {
  /** Unique per publish attempt group: publishing the same id again within two minutes stores nothing twice. */
  id: string
  partition: number
  project_id: Uuid
  /** The user whose credential sent the spans; becomes `created_by_id`. */
  user_id: Uuid
  /** When the receiver accepted it. Of two versions of one span the later accepted wins. */
  accepted_at: Micros
  span_count: number
  /** How `body` is encoded: `otlp` is a protobuf `TracesData`, `json` a list of spans in the interface's own shape. */
  format: 'otlp' | 'json'
  body: Uint8Array
}

/**
 * One message handed to one consumer. Exactly one of `ack`, `retry` and `reject` is called; none within the stream's
 * acknowledgement time, or a consumer that dies, means that the message is delivered again.
 */
export interface Delivery {
  readonly message: SpanMessage
  /** Position in the stream: larger means published later in the same partition. */
  readonly sequence: number
  /** 1 at the first delivery, then counting up, across restarts of the consumer too. */
  readonly attempt: number
  /** Resolves when the stream has durably noted that this consumer is done with the message. */
  ack(): Promise<void>
  /** Delivers the message again, not sooner than after `delayMs`; other messages go on meanwhile. */
  retry(delayMs: number): Promise<void>
  /** Moves the message to the dead letters with the reason. Durable before it resolves; then as good as acknowledged. */
  reject(reason: string): Promise<void>
}

export interface DeliveriesOptions {
  /** A durable name. Every named consumer sees every message of its partitions once acknowledged. */
  consumer: ConsumerName
  partitions: readonly number[]
  /** A batch ends when it holds this many spans or bytes (one message may exceed both) … */
  spansMax: number
  bytesMax: number
  /** … or this long after its first message came. */
  lingerMs: number
  /** Ends the iteration after the current batch. Messages delivered and not settled come again later. */
  signal: AbortSignal
}

/** The consumers that exist. The stream keeps a message until every one of them is done with it. */
export const CONSUMERS = ['writer'] as const
export type ConsumerName = (typeof CONSUMERS)[number]

export interface DeadLetter {
  id: string
  message: SpanMessage
  reason: string
  rejected_at: Micros
  attempt: number
}

export interface StreamStats {
  /** Messages and bytes not yet done with by the slowest consumer. */
  depth: number
  bytes: number
  bytesMax: number
  /** Age of the oldest of them in seconds; 0 when there is none. */
  oldestSeconds: number
  deadLetters: number
}

/**
 * The durable log between receivers and writers: at least once, in order within a partition as long as nothing is
 * retried. It is the only queue in Spanhouse.
 */
export interface SpanStream {
  /** How many partitions there are; a trace's partition is `hash(trace id) mod partitions`. */
  readonly partitions: number
  /**
   * Resolves only when every message is durable. Rejects with a Problem `overloaded` (503, with a time to come back)
   * when the stream is at its limit of bytes or cannot be reached; then some of the messages may have been stored,
   * which is harmless because publishing them again stores nothing twice.
   */
  publish(messages: readonly SpanMessage[]): Promise<void>
  /** Batches in order, never empty. The next batch is read while the last one is settled by the caller or after. */
  deliveries(options: DeliveriesOptions): AsyncIterable<Delivery[]>
  /** Dead letters, oldest first, after the one with the id `after`. */
  deadLetters(options: { limit: number; after?: string }): Promise<DeadLetter[]>
  deadLetter(id: string): Promise<DeadLetter | null>
  /** Publishes the message of a dead letter again and removes the letter. False when there is none with the id. */
  replay(id: string): Promise<boolean>
  stats(): Promise<StreamStats>
  /** Resolves when what was published is durable and all resources are freed. */
  close(): Promise<void>
}
