import type { StoredMsg } from '@nats-io/jetstream'
import { LANES, type Lane } from '../lanes.ts'
import type { ConsumerName } from '../span-stream.ts'
import type { Storage } from './storage.ts'
import type { Queue, Topology } from './topology.ts'

export interface LeftoversOptions {
  consumer: ConsumerName
  queues: readonly Queue[]
  ackWaitMs: number
  /** Whether the reader already has the message at a position. */
  holds: (sequence: number) => boolean
  /** Whether the reader has no space for more of a lane. */
  isFull: (lane: Lane) => boolean
  /** Accepts a leftover. `wasSettled`: its consumer counts it as acknowledged. */
  onFound: (stored: StoredMsg, found: { lane: Lane; wasSettled: boolean }) => void
}

/** Time between two searches, unless the last one ended because the reader was full. */
const SEARCH_EVERY_MS = 5_000
/**
 * Number of acknowledgement times after which a consumer must have redelivered what it had delivered to another reader.
 */
const PASSED_OVER_AFTER = 2

/**
 * Finds messages that the stream holds but their consumer will never deliver. After being killed, nats-server 2.10.27
 * returns with
 *
 * - messages that were removed before: the records of their removal were in a file that has since been deleted;
 * - positions that have gone back, if everything had been removed: new messages get positions that consumers have
 *   passed;
 * - consumers that wait for messages that are not in the stream, so that the position up to which they have
 *   acknowledged everything does not advance.
 *
 * So a leftover is a message before the position up to which its consumer has acknowledged everything or, for twice the
 * acknowledgement time, before the position up to which it has delivered, that is neither held nor due for a later
 * retry. A message that was settled shortly before is delivered once more, which the contract allows. For an empty
 * queue a search costs one request.
 */
export class Leftovers {
  readonly #storage: Storage
  readonly #topology: Topology
  readonly #options: LeftoversOptions
  /** The position of a queue's consumer, and when it was recorded. */
  readonly #noted = new Map<Queue, { position: number; at: number }>()
  /** When retried messages will be delivered again. */
  readonly #retried = new Map<number, number>()
  #dueAt = 0
  #searching = false

  constructor(storage: Storage, topology: Topology, options: LeftoversOptions) {
    this.#storage = storage
    this.#topology = topology
    this.#options = options
  }

  /** Makes the next search start over: the server was unavailable. */
  reset(): void {
    this.#dueAt = 0
    this.#noted.clear()
  }

  /** Records that a message is redelivered after a delay and is not a leftover until then. */
  retried(sequence: number, delayMs: number): void {
    if (delayMs > 0) this.#retried.set(sequence, Date.now() + delayMs)
  }

  /** Records that a message has arrived. */
  arrived(sequence: number): void {
    this.#retried.delete(sequence)
  }

  /** Searches if a search is due. Rejects with a Problem `overloaded` if the server is unavailable. */
  async search(): Promise<void> {
    if (this.#searching || performance.now() < this.#dueAt) return
    this.#searching = true
    try {
      for (const queue of this.#options.queues) await this.#searchIn(queue)
      this.#dueAt = LANES.some(this.#options.isFull) ? 0 : performance.now() + SEARCH_EVERY_MS
    } finally {
      this.#searching = false
    }
  }

  async #searchIn(queue: Queue): Promise<void> {
    const { consumer, isFull, holds, onFound } = this.#options
    const { live } = this.#topology
    const { lane } = queue
    const subject = this.#topology.subject(queue)
    let stored = await this.#storage.next(live, subject, 1)
    if (stored === null) return
    const { ack_floor, delivered } = await this.#storage.consumer(live, this.#topology.durable(consumer, queue))
    const passed = Math.max(ack_floor.stream_seq, this.#passedOver(queue, delivered.stream_seq))
    while (stored !== null && stored.seq <= passed && !isFull(lane)) {
      // A message that was not held when requested may have been settled meanwhile: it is then delivered once more,
      // which is harmless.
      if (!holds(stored.seq) && !this.#waits(stored.seq))
        onFound(stored, { lane, wasSettled: stored.seq <= ack_floor.stream_seq })
      stored = await this.#storage.next(live, subject, stored.seq + 1)
    }
  }

  /** The position of a queue's consumer, recorded so long ago that nothing before it can still be delivered. */
  #passedOver(queue: Queue, delivered: number): number {
    const noted = this.#noted.get(queue)
    const now = performance.now()
    if (noted && now - noted.at < this.#options.ackWaitMs * PASSED_OVER_AFTER) return 0
    this.#noted.set(queue, { position: delivered, at: now })
    return noted?.position ?? 0
  }

  /** Whether it was retried and is not due yet. */
  #waits(sequence: number): boolean {
    if ((this.#retried.get(sequence) ?? 0) > Date.now()) return true
    this.#retried.delete(sequence)
    return false
  }
}
