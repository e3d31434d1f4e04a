import type { Uuid } from '@spanhouse/model'
import { refusal } from '../admission.ts'
import { createDelivery, LOOKS_MAX } from '../settle.ts'
import type { DeliveriesOptions, Delivery, SpanMessage } from '../span-stream.ts'
import { type Connection, REQUEST_MS_MAX } from './connection.ts'
import type { DeadLetters } from './dead-letters.ts'
import { type Fetched, toMessage } from './fetched.ts'
import { fromHeaders, unknownMetadata } from './headers.ts'
import { type Storage, settleAll } from './storage.ts'
import { type Queue, queuesOf, type Topology } from './topology.ts'

export interface SettlementParts {
  connection: Connection
  storage: Storage
  topology: Topology
  letters: DeadLetters
  holdMs: number
}

export interface SettlementOptions extends Pick<DeliveriesOptions, 'consumer' | 'signal'> {
  /** Called when a message is redelivered after a delay. */
  onRetried(sequence: number, delayMs: number): void
}

/** Positions of the messages of a project. */
interface Range {
  subject: string
  from: number
  to: number
  project_id: Uuid
}

/** Delay before retrying a message whose parts could not be read, or that could not become a dead letter. */
const FAILED_MS = 1_000
/** Maximum concurrent removals. The server discards all pending ones once there are ten thousand. */
const REMOVALS_MAX = 128

/**
 * The messages that a reader has fetched, until each is settled: acknowledged, retried, or a dead letter. The server is
 * told regularly that they are in progress, or it would redeliver them; a message that it redelivers anyway is not
 * delivered to the caller twice.
 */
export class Settlement {
  readonly #parts: SettlementParts
  readonly #options: SettlementOptions
  readonly #held = new Map<number, Fetched>()
  readonly #removals: Promise<unknown>[] = Array.from({ length: REMOVALS_MAX }, () => Promise.resolve())
  #removed = 0

  constructor(parts: SettlementParts, options: SettlementOptions) {
    this.#parts = parts
    this.#options = options
  }

  holds(sequence: number): boolean {
    return this.#held.has(sequence)
  }

  /** Records that a message was fetched. False if it is already held and only its reply subject is new. */
  hold(fetched: Fetched): boolean {
    const known = this.#held.get(fetched.sequence)
    if (known) known.reply = fetched.reply
    else this.#held.set(fetched.sequence, fetched)
    return known === undefined
  }

  /** Tells the server that held messages are in progress, and returns those held too long. */
  beat(): void {
    for (const fetched of this.#held.values()) {
      if (fetched.untilMs <= performance.now()) this.#giveBack(fetched, 0)
      else if (fetched.reply !== null) this.#parts.connection.nats.publish(fetched.reply, '+WPI')
    }
  }

  /** The deliveries of a batch. Messages that cannot be delivered become dead letters, or are retried. */
  async deliver(batch: readonly Fetched[]): Promise<Delivery[]> {
    const deliveries = await Promise.all(batch.map(fetched => this.#deliver(fetched)))
    return deliveries.filter(delivery => delivery !== null)
  }

  async #deliver(fetched: Fetched): Promise<Delivery | null> {
    const { storage, topology, holdMs } = this.#parts
    const { headers, data, metadata } = fetched
    fetched.untilMs = performance.now() + holdMs
    try {
      if (metadata === null) return await this.#bury(fetched, 'The message was not written by Spanhouse')
      const body = await storage.body(topology.live, headers, data)
      if (body?.length !== metadata.bodyBytes) return await this.#withoutParts(fetched)
      return this.#delivery(fetched, toMessage(metadata, body))
    } catch {
      // The server is unavailable or the dead letters are full. The message is safe and must not block those behind it.
      this.#giveBack(fetched, FAILED_MS)
      return null
    }
  }

  /**
   * A killed server restores the latest removed messages, but not always their parts. And a process that held a message
   * for too long, or was paused, may settle it after it was fetched again: the message is gone then, and after it its
   * parts.
   */
  async #withoutParts(fetched: Fetched): Promise<null> {
    const { storage, topology } = this.#parts
    const { wasSettled, sequence, headers } = fetched
    if (!wasSettled && (await storage.hasSame(topology.live, sequence, headers)))
      return this.#bury(fetched, 'Parts of the message are missing')
    await this.#finish(fetched)
    return null
  }

  async #bury(fetched: Fetched, reason: string): Promise<null> {
    const { metadata, sequence, subject, data } = fetched
    const message = toMessage(metadata ?? unknownMetadata({ sequence, partition: partitionIn(subject), data }), data)
    await this.#reject(fetched, message, reason)
    return null
  }

  #delivery(fetched: Fetched, message: SpanMessage): Delivery {
    const delivery: Delivery = {
      message,
      sequence: fetched.sequence,
      attempt: fetched.attempt,
      isNext: besides => this.#isNext(fetched, besides),
      ack: () => this.#finish(fetched),
      retry: delayMs => this.#retry(fetched, delayMs),
      reject: reason => this.#reject(fetched, message, reason),
    }
    return createDelivery(delivery, this.#options.signal)
  }

  /** A settled message is no longer in the stream. */
  async #isNext(fetched: Fetched, besides: ReadonlySet<number>): Promise<boolean> {
    const lanes = queuesOf([partitionIn(fetched.subject)])
    const found = await settleAll(lanes.map(queue => this.#hasBefore(fetched, queue, besides)))
    return !found.includes(true)
  }

  /**
   * Whether a lane has something of the same project before the message. What is held is in memory. It may be many
   * messages, so what is before them (retried, or left by a reader that died) and after them is looked for separately.
   */
  async #hasBefore({ sequence, project_id }: Fetched, queue: Queue, besides: ReadonlySet<number>): Promise<boolean> {
    const subject = this.#parts.topology.subject(queue)
    const held = [...this.#held.values()].filter(one => one.subject === subject && one.sequence < sequence)
    if (held.some(one => one.project_id === project_id && !besides.has(one.sequence))) return true
    const last = held.reduce((most, one) => Math.max(most, one.sequence), 0)
    for (const from of new Set([1, last + 1]))
      if (await this.#isBetween({ subject, from, to: sequence, project_id }, besides)) return true
    return false
  }

  /** Whether one of the first messages of a subject between two positions is of the project. */
  async #isBetween({ subject, from, to, project_id }: Range, besides: ReadonlySet<number>): Promise<boolean> {
    const { storage, topology } = this.#parts
    let at = from
    for (let looks = 0; looks < LOOKS_MAX; looks++) {
      const stored = await storage.next(topology.live, subject, at)
      if (stored === null || stored.seq >= to) return false
      if (!besides.has(stored.seq) && fromHeaders(stored.header)?.project_id === project_id) return true
      at = stored.seq + 1
    }
    return false
  }

  async #reject(fetched: Fetched, message: SpanMessage, reason: string): Promise<void> {
    const { sequence, attempt } = fetched
    await this.#parts.letters.add(message, { consumer: this.#options.consumer, sequence, attempt, reason })
    await this.#finish(fetched)
  }

  /** Removing a message acknowledges it: the server also settles it with its consumer. */
  async #finish(fetched: Fetched): Promise<void> {
    const { storage, topology, connection } = this.#parts
    await this.#inTurn(() =>
      fetched.outages === connection.outages
        ? storage.remove(topology.live, fetched.sequence)
        : storage.removeSame(topology.live, fetched.sequence, fetched.headers),
    )
    this.#held.delete(fetched.sequence)
    // The sweeper removes what fails here, and what may belong to another message after an outage.
    if (fetched.outages === connection.outages)
      await storage.removeParts(topology.live, fetched.headers).catch(() => undefined)
  }

  /** Starts a removal once the one requested REMOVALS_MAX before it has finished. */
  #inTurn(remove: () => Promise<boolean>): Promise<boolean> {
    const lane = this.#removed++ % REMOVALS_MAX
    const removal = (this.#removals[lane] as Promise<unknown>).then(remove)
    this.#removals[lane] = removal.catch(() => undefined)
    return removal
  }

  async #retry(fetched: Fetched, delayMs: number): Promise<void> {
    const { reply, sequence } = fetched
    if (reply === null) return this.#giveBack(fetched, delayMs)
    const { connection } = this.#parts
    const request = () => connection.nats.request(reply, nak(delayMs), { timeout: REQUEST_MS_MAX })
    await connection.ask(request).catch(error => {
      throw refusal('unreachable', error)
    })
    this.#held.delete(sequence)
    this.#options.onRetried(sequence, delayMs)
  }

  /** A leftover is found again once no reader holds it. */
  #giveBack({ sequence, reply }: Fetched, delayMs: number): void {
    if (reply === null) {
      setTimeout(() => this.#held.delete(sequence), delayMs).unref()
      return
    }
    this.#held.delete(sequence)
    this.#options.onRetried(sequence, delayMs)
    const { nats, up } = this.#parts.connection
    if (up) nats.publish(reply, nak(delayMs))
  }

  /** Returns all unsettled messages, in order. */
  giveBackAll(): void {
    const unsettled = [...this.#held.values()].sort((one, other) => one.sequence - other.sequence)
    for (const fetched of unsettled) this.#giveBack(fetched, 0)
  }
}

const partitionIn = (subject: string): number => Number(subject.split('.').at(-1))

const nak = (delayMs: number): string =>
  delayMs > 0 ? `-NAK ${JSON.stringify({ delay: Math.round(delayMs * 1e6) })}` : '-NAK'
