import type { Micros, Uuid } from '@spanhouse/model'

export const MESSAGE_FORMATS = ['otlp', 'json', 'deletion'] as const
export type MessageFormat = (typeof MESSAGE_FORMATS)[number]

/**
 * One partition's share of one accepted export. All spans of a trace are in the same partition, so one writer at a
 * time sees them all.
 */
export interface SpanMessage {
  /**
   * Unique per publish attempt group: publishing the same id again within two minutes stores nothing twice.
   * Printable ASCII without blanks, 1 to 200 characters.
   */
  id: string
  partition: number
  project_id: Uuid
  /** The user whose credential sent the spans; becomes `created_by_id`. */
  user_id: Uuid
  /** When the receiver accepted it. Of two versions of one span the later accepted wins. */
  accepted_at: Micros
  span_count: number
  /**
   * How `body` is encoded: `otlp` is a protobuf `TracesData`, `json` a list of spans that came as JSON, `deletion` the 16
   * bytes of the id of a trace that is to be deleted, as far as it was accepted up to then.
   */
  format: MessageFormat
  /** May be a view into a larger buffer. It is not copied: leave the bytes alone until `publish` has settled. */
  body: Uint8Array
}

/**
 * One message handed to one consumer. Exactly one of `ack`, `retry` and `reject` is called. While the stream cannot be
 * reached they go on trying as long as the iteration runs; once its signal is aborted they reject instead, with a Problem
 * `overloaded`. A message that is not settled is delivered again: when its iteration ends, when its consumer dies, or
 * when the iteration has held it for the stream's holding time (ten minutes).
 */
export interface Delivery {
  /** Its body is there until the delivery is settled. It may be read anew each time it is asked for. */
  readonly message: SpanMessage
  /** Position in the stream: larger means published later in the same partition. */
  readonly sequence: number
  /**
   * 1 at the first delivery, then counting up, across restarts of the consumer too. Networked, a message that was
   * fetched and given back when an iteration ended counts as delivered.
   */
  readonly attempt: number
  /** Resolves when the stream has durably noted that this consumer is done with the message. */
  ack(): Promise<void>
  /** Delivers the message again, not sooner than after `delayMs`; other messages go on meanwhile. */
  retry(delayMs: number): Promise<void>
  /**
   * Moves the message to the dead letters with the reason (of which 2,000 characters are kept). Durable before it
   * resolves; then as good as acknowledged. When the dead letters are at their limit of bytes (a quarter of the stream's)
   * the message stays in the stream instead and comes again after a minute.
   */
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
  /**
   * Ends the iteration after the current batch. What is not settled when the iteration ends comes again, at once and to
   * whoever reads next; settling it even later still counts.
   */
  signal: AbortSignal
}

/** The consumers that exist. The stream keeps a message until it is done with. Networked, a second one needs a stream of its own. */
export const CONSUMERS = ['writer'] as const
export type ConsumerName = (typeof CONSUMERS)[number]

export interface DeadLetter {
  id: string
  /**
   * The body is null when the letter is damaged: a killed nats-server has lost parts of it, or brought back a letter that had
   * been replayed or discarded without them. Such a letter can only be discarded.
   */
  message: Omit<SpanMessage, 'body'> & { body: Uint8Array | null }
  reason: string
  rejected_at: Micros
  /** The attempt that was rejected. */
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
 * The durable log between receivers and writers: at least once; within a partition in the order in which the calls of
 * `publish` resolved, as long as nothing is retried. It is the only queue in Spanhouse.
 */
export interface SpanStream {
  /** How many partitions there are; a trace's partition is `partitionOf(trace id, partitions)`. */
  readonly partitions: number
  /**
   * Resolves only when every message is durable. Rejects with a Problem `overloaded` (503, with a time to come back)
   * when the stream is at its limit of bytes or cannot be reached; then some of the messages may have been stored,
   * which is harmless because publishing them again stores nothing twice. Rejects with `too_large` when a message
   * alone exceeds the stream's limit of bytes.
   */
  publish(messages: readonly SpanMessage[]): Promise<void>
  /**
   * Batches in order, never empty. The next batch is read while the last one is settled by the caller or after.
   * One iteration at a time per consumer and partition: seeing to that (with a lease) is the caller's part.
   */
  deliveries(options: DeliveriesOptions): AsyncIterable<Delivery[]>
  /** Dead letters, oldest first, after the one with the id `after` (which need not exist any more). */
  deadLetters(options: { limit: number; after?: string }): Promise<DeadLetter[]>
  deadLetter(id: string): Promise<DeadLetter | null>
  /**
   * Publishes the message of a dead letter again and removes the letter. False when there is none with the id. Rejects
   * with a Problem `conflict` when the letter is damaged.
   */
  replay(id: string): Promise<boolean>
  /** Removes a dead letter for good: the spans in it are lost. False when there is none with the id. */
  discard(id: string): Promise<boolean>
  stats(): Promise<StreamStats>
  /** Ends all iterations. Resolves when what was published is durable and all resources are freed. */
  close(): Promise<void>
}
