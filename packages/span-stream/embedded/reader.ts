import type { Bell } from '../bell.ts'
import type { Source, Waiting } from '../gather.ts'
import { LANES, type Lane } from '../lanes.ts'
import { createDelivery, LOOKS_MAX } from '../settle.ts'
import type { ConsumerName, Delivery } from '../span-stream.ts'
import type { EmbeddedLog } from './log.ts'
import type { Queue } from './progress.ts'

interface Ready extends Waiting {
  queue: Queue
  number: number
}

/** The position up to which the messages of one lane of a partition are queued. */
interface Cursor {
  queue: Queue
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

/** How often an empty lane is looked at while there are messages in the other one. */
const LOOK_EVERY_MS = 5

const HELD_UNTIL_READ = Number.POSITIVE_INFINITY
const NEVER = Number.NEGATIVE_INFINITY

/**
 * One iteration of one consumer. It advances a cursor through the messages of each partition, returns to those whose
 * delay is over, and records in `#held` which messages it has queued or delivered and until when, so that none is
 * delivered twice meanwhile. Messages held longer than that are released, and the cursors go back to them. Only delays
 * are stored and so by the clock of the day; all other times are by one that is never set.
 */
export class EmbeddedReader implements Source<Ready> {
  readonly #log: EmbeddedLog
  readonly #bell: Bell
  readonly #cursors: Cursor[]
  readonly #holdMs: number
  readonly #ended: AbortSignal
  readonly #held = new Map<number, number>()
  readonly #waiting: Record<Lane, Ready[]> = { prompt: [], bulk: [] }
  /** When the messages of a lane were last looked for. */
  readonly #lookedAt: Record<Lane, number> = { prompt: NEVER, bulk: NEVER }

  constructor(log: EmbeddedLog, bell: Bell, { consumer, partitions, holdMs, ended }: EmbeddedReaderOptions) {
    this.#log = log
    this.#bell = bell
    this.#cursors = partitions.flatMap(partition =>
      LANES.map(lane => ({ queue: { consumer, partition, lane }, next: 0 })),
    )
    this.#holdMs = holdMs
    this.#ended = ended
  }

  peek(lane: Lane): Ready | undefined {
    const waiting = this.#waiting[lane]
    if (waiting.length === 0) this.#look(lane)
    return waiting[0]
  }

  take(lane: Lane): void {
    this.#waiting[lane].shift()
  }

  /** A lane that was empty is not looked at for each message of the other one. */
  #look(lane: Lane): void {
    const now = performance.now()
    if (now < this.#lookedAt[lane] + LOOK_EVERY_MS) return
    this.#letGo(now)
    this.#fill(lane)
    this.#lookedAt[lane] = this.#waiting[lane].length === 0 ? now : NEVER
  }

  async changed(msMax: number): Promise<void> {
    const delayed = this.#cursors.flatMap(({ queue }) => this.#log.progress.delayed(queue, 1, this.#held))
    const dueInMs = Math.min(...delayed.map(({ dueMs }) => dueMs)) - Date.now()
    await this.#bell.wait(Math.min(msMax, POLL_MS, Math.max(1, dueInMs)))
    for (const lane of LANES) this.#lookedAt[lane] = NEVER
  }

  #fill(lane: Lane): void {
    this.#log.refresh()
    const now = Date.now()
    const { progress } = this.#log
    for (const cursor of this.#cursors) {
      const { queue, next } = cursor
      if (queue.lane !== lane) continue
      const due = progress.delayed(queue, PAGE, this.#held).filter(({ dueMs }) => dueMs <= now)
      for (const { number } of due) this.#enqueue(queue, number)
      const fresh = progress.fresh(queue, next, PAGE, this.#held)
      for (const number of fresh.numbers) this.#enqueue(queue, number)
      cursor.next = fresh.next
    }
  }

  #enqueue(queue: Queue, number: number): void {
    const envelope = this.#log.live.envelope(number)
    if (envelope === undefined) return
    this.#held.set(number, HELD_UNTIL_READ)
    const { project_id, span_count: spans, bodyBytes: bytes } = envelope
    this.#waiting[queue.lane].push({ queue, number, sequence: number, project_id, spans, bytes })
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
    return batch.flatMap(({ queue, number }) => this.#delivery(queue, number, attempts.get(number)) ?? [])
  }

  #delivery(queue: Queue, number: number, attempt: number | undefined): Delivery | undefined {
    const message = this.#log.live.message(number)
    if (attempt === undefined || message === undefined) {
      this.#held.delete(number)
      return undefined
    }
    this.#held.set(number, performance.now() + this.#holdMs)
    const log = this.#log
    const delivery: Delivery = {
      message,
      sequence: number,
      attempt,
      isNext: async besides => {
        log.refresh()
        const before = LANES.flatMap(lane => log.progress.before({ ...queue, lane }, number, LOOKS_MAX, besides))
        return !before.some(one => log.live.envelope(one)?.project_id === message.project_id)
      },
      ack: () => this.#settle(number, log.finish(queue, number)),
      retry: delayMs => this.#settle(number, log.delay(queue, number, Date.now() + delayMs)),
      reject: reason => this.#settle(number, log.bury(queue, number, { reason, attempt })),
    }
    return createDelivery(delivery, this.#ended)
  }

  async #settle(number: number, written: Promise<void>): Promise<void> {
    await written
    this.#held.delete(number)
    this.#bell.ring()
  }
}
