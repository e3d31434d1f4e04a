import type { Bell } from '../bell.ts'
import type { Sized, Source } from '../gather.ts'
import { createDelivery } from '../settle.ts'
import type { ConsumerName, Delivery } from '../span-stream.ts'
import type { EmbeddedLog } from './log.ts'

interface Ready extends Sized {
  number: number
}

export interface EmbeddedReaderOptions {
  consumer: ConsumerName
  holdMs: number
  ended: AbortSignal
}

/** Messages planned ahead in one look at the log. Only their envelopes are read then. */
const PAGE = 256

/**
 * How long a message may go unnoticed that another process published. Threads of one process ring a bell instead, and
 * looking costs a few microseconds.
 */
const POLL_MS = 250

const HELD_UNTIL_READ = Number.POSITIVE_INFINITY

/**
 * One iteration of one consumer. It walks up the messages with a cursor, comes back for those whose delay is over, and
 * remembers in `#held` which it has queued or handed out and until when, so that none is handed out twice meanwhile.
 * What is held longer than that is let go, and the cursor goes back for it.
 */
export class EmbeddedReader implements Source<Ready> {
  readonly #log: EmbeddedLog
  readonly #bell: Bell
  readonly #consumer: ConsumerName
  readonly #holdMs: number
  readonly #ended: AbortSignal
  readonly #held = new Map<number, number>()
  readonly #queue: Ready[] = []
  #cursor = 0

  constructor(log: EmbeddedLog, bell: Bell, { consumer, holdMs, ended }: EmbeddedReaderOptions) {
    this.#log = log
    this.#bell = bell
    this.#consumer = consumer
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
    const [delayed] = this.#log.progress.delayed(this.#consumer, 1, this.#held)
    const dueInMs = delayed === undefined ? POLL_MS : delayed.dueMs - Date.now()
    return this.#bell.wait(Math.min(msMax, POLL_MS, Math.max(1, dueInMs)))
  }

  #fill(now: number): void {
    this.#log.refresh()
    this.#letGo(now)
    const { progress } = this.#log
    const due = progress.delayed(this.#consumer, PAGE, this.#held).filter(({ dueMs }) => dueMs <= now)
    for (const { number } of due) this.#enqueue(number)
    const fresh = progress.fresh(this.#consumer, this.#cursor, PAGE, this.#held)
    for (const number of fresh.numbers) this.#enqueue(number)
    this.#cursor = fresh.next
  }

  #enqueue(number: number): void {
    const envelope = this.#log.live.envelope(number)
    if (envelope === undefined) return
    this.#held.set(number, HELD_UNTIL_READ)
    this.#queue.push({ number, spans: envelope.span_count, bytes: envelope.bodyBytes })
  }

  #letGo(now: number): void {
    for (const [number, untilMs] of this.#held) {
      if (untilMs > now) continue
      this.#held.delete(number)
      this.#cursor = Math.min(this.#cursor, number)
    }
  }

  /** The deliveries of a batch, each counted durably before anybody sees it. */
  async deliver(batch: readonly Ready[]): Promise<Delivery[]> {
    const attempts = await this.#log.begin(
      this.#consumer,
      batch.map(({ number }) => number),
    )
    return batch.flatMap(({ number }) => this.#delivery(number, attempts.get(number)) ?? [])
  }

  #delivery(number: number, attempt: number | undefined): Delivery | undefined {
    const message = this.#log.live.message(number)
    if (attempt === undefined || message === undefined) {
      this.#held.delete(number)
      return undefined
    }
    this.#held.set(number, Date.now() + this.#holdMs)
    const [log, consumer] = [this.#log, this.#consumer]
    const delivery: Delivery = {
      message,
      sequence: number,
      attempt,
      ack: () => this.#settle(number, log.finish(consumer, number)),
      retry: delayMs => this.#settle(number, log.delay(consumer, number, Date.now() + delayMs)),
      reject: reason => this.#settle(number, log.bury(consumer, number, { reason, attempt })),
    }
    return createDelivery(delivery, this.#ended)
  }

  async #settle(number: number, written: Promise<void>): Promise<void> {
    await written
    this.#held.delete(number)
    this.#bell.ring()
  }
}
