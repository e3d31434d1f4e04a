import type { StoredMsg } from '@nats-io/jetstream'
import type { ConsumerName } from '../span-stream.ts'
import type { Storage } from './storage.ts'
import type { Topology } from './topology.ts'

export interface LeftoversOptions {
  consumer: ConsumerName
  partitions: Iterable<number>
  ackWaitMs: number
  /** Whether the reader has the message at a position already. */
  holds: (sequence: number) => boolean
  /** Whether the reader has no room for more. */
  isFull: () => boolean
  /** Takes a leftover. `wasSettled`: its consumer counts it as acknowledged. */
  onFound: (stored: StoredMsg, wasSettled: boolean) => void
}

/** Time between two searches, unless the last one ended for want of room. */
const SEARCH_EVERY_MS = 5_000
/** Acknowledgement times until a consumer must have delivered again what it had delivered to somebody else. */
const PASSED_OVER_AFTER = 2

/**
 * Finds messages that the stream holds and their consumer will never deliver. nats-server 2.10.27, killed, comes back with
 *
 * - messages that were removed before: the records of their removal were in a file that has been deleted since;
 * - positions that have gone back, when everything had been removed: new messages get positions that consumers are past;
 * - consumers that wait for messages which are not in the stream, so that the position to which they have all
 *   acknowledged stands still.
 *
 * So a leftover is what stands before the position to which its consumer has all acknowledged, or, for twice the
 * acknowledgement time, before the position to which it has delivered, and is neither held nor to be retried later. What
 * was settled shortly before comes once more, which the contract allows. Where a partition is empty a search costs one request.
 */
export class Leftovers {
  readonly #storage: Storage
  readonly #topology: Topology
  readonly #options: LeftoversOptions
  /** Where the consumer of a partition stood, and when that was noted. */
  readonly #noted = new Map<number, { position: number; at: number }>()
  /** When what was retried comes again. */
  readonly #retried = new Map<number, number>()
  #dueAt = 0
  #searching = false

  constructor(storage: Storage, topology: Topology, options: LeftoversOptions) {
    this.#storage = storage
    this.#topology = topology
    this.#options = options
  }

  /** Makes the next search look at everything anew: the server was away. */
  reset(): void {
    this.#dueAt = 0
    this.#noted.clear()
  }

  /** Notes that a message comes again after a delay, and is none until then. */
  retried(sequence: number, delayMs: number): void {
    if (delayMs > 0) this.#retried.set(sequence, Date.now() + delayMs)
  }

  /** Notes that a message has come. */
  arrived(sequence: number): void {
    this.#retried.delete(sequence)
  }

  /** Searches if it is time to. Rejects with a Problem `overloaded` when the server is away. */
  async search(): Promise<void> {
    if (this.#searching || performance.now() < this.#dueAt) return
    this.#searching = true
    try {
      for (const partition of this.#options.partitions) await this.#searchIn(partition)
      this.#dueAt = this.#options.isFull() ? 0 : performance.now() + SEARCH_EVERY_MS
    } finally {
      this.#searching = false
    }
  }

  async #searchIn(partition: number): Promise<void> {
    const { consumer, isFull, holds, onFound } = this.#options
    const { live } = this.#topology
    const subject = this.#topology.subject(partition)
    let stored = await this.#storage.next(live, subject, 1)
    if (stored === null) return
    const { ack_floor, delivered } = await this.#storage.consumer(live, this.#topology.durable(consumer, partition))
    const passed = Math.max(ack_floor.stream_seq, this.#passedOver(partition, delivered.stream_seq))
    while (stored !== null && stored.seq <= passed && !isFull()) {
      // What was not held when it was asked for may have been settled meanwhile: then it comes once more, which does no harm.
      if (!holds(stored.seq) && !this.#waits(stored.seq)) onFound(stored, stored.seq <= ack_floor.stream_seq)
      stored = await this.#storage.next(live, subject, stored.seq + 1)
    }
  }

  /** The position where the consumer of a partition stood so long ago that nothing before it is still to come from there. */
  #passedOver(partition: number, delivered: number): number {
    const noted = this.#noted.get(partition)
    const now = performance.now()
    if (noted && now - noted.at < this.#options.ackWaitMs * PASSED_OVER_AFTER) return 0
    this.#noted.set(partition, { position: delivered, at: now })
    return noted?.position ?? 0
  }

  /** Whether it was retried and its time has not come. */
  #waits(sequence: number): boolean {
    if ((this.#retried.get(sequence) ?? 0) > Date.now()) return true
    this.#retried.delete(sequence)
    return false
  }
}
