import type { Bell } from '../bell.ts'
import type { Sized, Source } from '../gather.ts'
import { createDelivery } from '../settle.ts'
import type { ConsumerName, Delivery } from '../span-stream.ts'
import type { EmbeddedLog } from './log.ts'
import type { Lane } from './progress.ts'

interface Ready extends Sized {
  lane: Lane
  number: number
}

/** The position up to which the messages of one partition are queued. */
interface Cursor {
  lane: Lane
  next: number
}

export interface EmbeddedReaderOptions {
  consumer: ConsumerName
  partitions: readonly number[]
  holdMs: number
  ended: AbortSignal
}

/** Messages planned ahead in one scan of the log. Only their envelopes are read then. */
const PAGE = 256

/**
 * How long a message published by another process may go unnoticed. Threads of one process ring a bell instead; a scan
 * costs a few microseconds.
 */
const POLL_MS = 250

const HELD_UNTIL_READ = Number.POSITIVE_INFINITY

/**
 * One iteration of one consumer. It advances a cursor through the messages of each partition, returns to those whose
 * delay is over, and records in `#held` which messages it has queued or delivered and until when, so that none is
 * delivered twice meanwhile. Messages held longer than that are released, and the cursors go back to them.
 */
export class EmbeddedReader implements Source<Ready> {
  readonly #log: EmbeddedLog
  readonly #bell: Bell
  readonly #cursors: Cursor[]
  readonly #holdMs: number
  readonly #ended: AbortSignal
  readonly #held = new Map<number, number>()
  readonly #queue: Ready[] = []

  constructor(log: EmbeddedLog, bell: Bell, { consumer, partitions, holdMs, ended }: EmbeddedReaderOptions) {
    this.#log = log
    this.#bell = bell
    this.#cursors = partitions.map(partition => ({ lane: { consumer, partition }, next: 0 }))
    this.#holdMs = holdMs
    this.#ended = ended
  }

  peek(): Ready | undefined {
    if (this.#queue.length === 0) this.#fill(Date.now())
    return this.#queue[0]
  }

  take(): void {
    this.#queue.shift()
  }

  changed(msMax: number): Promise<void> {
    const delayed = this.#cursors.flatMap(({ lane }) => this.#log.progress.delayed(lane, 1, this.#held))
    const dueInMs = Math.min(...delayed.map(({ dueMs }) => dueMs)) - Date.now()
    return this.#bell.wait(Math.min(msMax, POLL_MS, Math.max(1, dueInMs)))
  }

  #fill(now: number): void {
    this.#log.refresh()
    this.#letGo(now)
    const { progress } = this.#log
    for (const cursor of this.#cursors) {
      const { lane, next } = cursor
      const due = progress.delayed(lane, PAGE, this.#held).filter(({ dueMs }) => dueMs <= now)
      for (const { number } of due) this.#enqueue(lane, number)
      const fresh = progress.fresh(lane, next, PAGE, this.#held)
      for (const number of fresh.numbers) this.#enqueue(lane, number)
      cursor.next = fresh.next
    }
  }

  #enqueue(lane: Lane, number: number): void {
    const envelope = this.#log.live.envelope(number)
    if (envelope === undefined) return
    this.#held.set(number, HELD_UNTIL_READ)
    this.#queue.push({ lane, number, spans: envelope.span_count, bytes: envelope.bodyBytes })
  }

  #letGo(now: number): void {
    for (const [number, untilMs] of this.#held) {
      if (untilMs > now) continue
      this.#held.delete(number)
      for (const cursor of this.#cursors) cursor.next = Math.min(cursor.next, number)
    }
  }

  /** The deliveries of a batch, each durably counted before the caller sees it. */
  async deliver(batch: readonly Ready[]): Promise<Delivery[]> {
    const attempts = await this.#log.begin(batch)
    return batch.flatMap(({ lane, number }) => this.#delivery(lane, number, attempts.get(number)) ?? [])
  }

  #delivery(lane: Lane, number: number, attempt: number | undefined): Delivery | undefined {
    const message = this.#log.live.message(number)
    if (attempt === undefined || message === undefined) {
      this.#held.delete(number)
      return undefined
    }
    this.#held.set(number, Date.now() + this.#holdMs)
    const log = this.#log
    const delivery: Delivery = {
      message,
      sequence: number,
      attempt,
      ack: () => this.#settle(number, log.finish(lane, number)),
      retry: delayMs => this.#settle(number, log.delay(lane, number, Date.now() + delayMs)),
      reject: reason => this.#settle(number, log.bury(lane, number, { reason, attempt })),
    }
    return createDelivery(delivery, this.#ended)
  }

  async #settle(number: number, written: Promise<void>): Promise<void> {
    await written
    this.#held.delete(number)
    this.#bell.ring()
  }
}
