import type { Micros, Uuid } from '@spanhouse/model'

export const MESSAGE_FORMATS = ['otlp', 'json', 'deletion'] as const
export type MessageFormat = (typeof MESSAGE_FORMATS)[number]

/**
 * One partition's share of one accepted export. All spans of a trace are in the same partition, so one writer at a
 * time sees them all.
 */
export interface SpanMessage {
  /**
   * Identifies the publish and its retries: publishing the same id to the same partition again within two minutes
   * stores nothing. Printable ASCII without blanks, 1 to 200 characters.
   */
  id: string
  partition: number
  project_id: Uuid
  /** The user whose credential sent the spans; becomes `created_by_id`. */
  user_id: Uuid
  /** When the receiver accepted it. Of two versions of a span, the one accepted later wins. */
  accepted_at: Micros
  span_count: number
  /**
   * The encoding of `body`: `otlp` is a protobuf `TracesData`, `json` a list of spans received as JSON, `deletion` the
   * 16-byte id of a trace to delete, up to the time of acceptance.
   */
  format: MessageFormat
  /** May be a view of a larger buffer. It is not copied: do not change the bytes until `publish` has settled. */
  body: Uint8Array
}

/**
 * One message delivered to one consumer. Exactly one of `ack`, `retry` and `reject` must be called. While the stream is
 * unreachable they keep trying as long as the iteration runs; once its signal is aborted they reject with a Problem
 * `overloaded`. An unsettled message is redelivered: when its iteration ends, when its consumer dies, or when the
 * iteration has held it for the stream's holding time (ten minutes).
 */
export interface Delivery {
  /** Its body is available until the delivery is settled. Each access may read it again. */
  readonly message: SpanMessage
  /** Position in the stream: larger means published later in the same partition. */
  readonly sequence: number
  /**
   * 1 for the first delivery, then counting up, also across restarts of the consumer. In a networked stream, a message
   * that was fetched and returned when an iteration ended counts as delivered.
   */
  readonly attempt: number
  /**
   * Whether this consumer has settled what the message's project published to the partition before it, apart from the
   * messages at these positions. It may have passed those of the other lane, and those that were delivered to a reader
   * that died. Those behind many others are not looked at.
   */
  isNext(besides: ReadonlySet<number>): Promise<boolean>
  /** Resolves when the stream has durably recorded that this consumer has processed the message. */
  ack(): Promise<void>
  /** Redelivers the message after at least `delayMs`; other messages are delivered meanwhile. */
  retry(delayMs: number): Promise<void>
  /**
   * Moves the message to the dead letters with the reason (truncated to 2,000 characters). Resolves once that is
   * durable; the message then counts as acknowledged. If the dead letters have reached their size limit (a quarter of
   * the stream's), the message stays in the stream and is redelivered after a minute.
   */
  reject(reason: string): Promise<void>
}

export interface DeliveriesOptions {
  /** A durable name. Every named consumer sees every message of its partitions until it acknowledges it. */
  consumer: ConsumerName
  partitions: readonly number[]
  /** A batch ends when it reaches this many spans or bytes (a single message may exceed both) … */
  spansMax: number
  bytesMax: number
  /** … or, if it belongs to a project that sends much while others send, this many spans … */
  sharedSpansMax: number
  /** … or this long after its first message arrived. */
  lingerMs: number
  /**
   * Ends the iteration after the current batch. Messages unsettled at that point are redelivered immediately to the
   * next reader; settling them later still counts.
   */
  signal: AbortSignal
}

/**
 * The existing consumers. The stream keeps a message until all have acknowledged it. Networked, a second one needs its
 * own stream.
 */
export const CONSUMERS = ['writer'] as const
export type ConsumerName = (typeof CONSUMERS)[number]

export interface DeadLetter {
  id: string
  /**
   * The body is null if the letter is damaged: a killed nats-server has lost parts of it, or restored a replayed or
   * discarded letter without them. Such a letter can only be discarded.
   */
  message: Omit<SpanMessage, 'body'> & { body: Uint8Array | null }
  reason: string
  rejected_at: Micros
  /** The number of the attempt that was rejected. */
  attempt: number
}

/** A dead letter without its body: those of many letters together may be larger than memory. */
export interface ListedLetter extends Omit<DeadLetter, 'message'> {
  message: Omit<SpanMessage, 'body'>
  /** Null if the letter is damaged. */
  bodyBytes: number | null
}

export interface StreamStats {
  /** Messages and bytes that the slowest consumer has not yet acknowledged. */
  depth: number
  bytes: number
  bytesMax: number
  /** The age of the oldest of them in seconds; 0 if there is none. */
  oldestSeconds: number
  deadLetters: number
}

/**
 * The durable log between receivers and writers. Delivery is at least once and, within a partition, in the order in
 * which the calls of `publish` resolved, as long as nothing is retried and no project exceeds its pace: what it
 * publishes beyond that is in a lane of its own, which the messages of others pass (see `lanes.ts`). It is the only
 * queue in Spanhouse.
 */
export interface SpanStream {
  /** The number of partitions; a trace's partition is `partitionOf(trace id, partitions)`. It may grow. */
  readonly partitions: number
  /**
   * Uses more partitions from now on: a multiple of their number. Other processes may go on with fewer. What was
   * published stays where it is, so that readers forward what belongs elsewhere by publishing it there under the same
   * id. Undefined: their number is fixed.
   */
  grow?(partitions: number): Promise<void>
  /**
   * Resolves only when every message is durable. Rejects with a Problem `overloaded` (503 with `Retry-After`) if the
   * stream is full or unreachable; some of the messages may then have been stored, which is harmless because publishing
   * them again stores nothing twice. Rejects with `too_large` if a single message exceeds the stream's size limit.
   */
  publish(messages: readonly SpanMessage[]): Promise<void>
  /**
   * Batches in order, never empty. The next batch is read while the caller settles the previous one or later. One
   * iteration at a time per consumer and partition: the caller must ensure this (with a lease).
   */
  deliveries(options: DeliveriesOptions): AsyncIterable<Delivery[]>
  /** Dead letters, oldest first, after the one with the id `after` (which need no longer exist). */
  deadLetters(options: { limit: number; after?: string }): Promise<ListedLetter[]>
  deadLetter(id: string): Promise<DeadLetter | null>
  /**
   * Publishes the message of a dead letter again and removes the letter. False if the id does not exist. Rejects with a
   * Problem `conflict` if the letter is damaged.
   */
  replay(id: string): Promise<boolean>
  /** Removes a dead letter permanently: its spans are lost. False if the id does not exist. */
  discard(id: string): Promise<boolean>
  stats(): Promise<StreamStats>
  /** Ends all iterations. Resolves when everything published is durable and all resources are released. */
  close(): Promise<void>
}
