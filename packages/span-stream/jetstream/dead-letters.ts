import { JetStreamApiError, type StoredMsg } from '@nats-io/jetstream'
import { microsNow } from '@spanhouse/model'
import type { ConsumerName, DeadLetter, SpanMessage } from '../span-stream.ts'
import { fromHeaders, getLetter, metadataOf, setLetter, toHeaders } from './headers.ts'
import { type Storage, WRONG_LAST_SEQUENCE } from './storage.ts'
import type { Topology } from './topology.ts'

export interface Rejection {
  consumer: ConsumerName
  sequence: number
  attempt: number
  reason: string
}

/** The stream of dead letters. A letter's id is its position there, so that ids go up with time. */
export class DeadLetters {
  readonly #storage: Storage
  readonly #topology: Topology

  constructor(storage: Storage, topology: Topology) {
    this.#storage = storage
    this.#topology = topology
  }

  /** Stores a letter, once for a consumer and message: the consumer may die before it acknowledges and reject again. */
  async add(message: SpanMessage, { consumer, sequence, attempt, reason }: Rejection): Promise<void> {
    const { dead } = this.#topology
    const subject = this.#topology.letterSubject(consumer, sequence, message.id)
    if ((await this.#storage.next(dead, subject, 1)) !== null) return
    const headers = toHeaders(metadataOf(message))
    setLetter(headers, { reason, attempt, rejected_at: microsNow() })
    const record = { subject, msgId: subject, headers, body: message.body, onlyFirst: true }
    await this.#storage.put(dead, record).catch(error => {
      if (!(error instanceof JetStreamApiError && error.code === WRONG_LAST_SEQUENCE)) throw error
    })
  }

  async list({ limit, after }: { limit: number; after?: string }): Promise<DeadLetter[]> {
    const letters: DeadLetter[] = []
    let from = after === undefined ? 1 : positionOf(after) + 1
    while (letters.length < limit) {
      const stored = await this.#storage.next(this.#topology.dead, this.#topology.lettersSubject, from)
      if (stored === null) break
      letters.push(await this.#read(stored))
      from = stored.seq + 1
    }
    return letters
  }

  async find(id: string): Promise<DeadLetter | null> {
    const stored = await this.#stored(id)
    return stored && this.#read(stored)
  }

  /** Publishes the letter's message again, under an id of its own: its first id may still count as a duplicate. */
  async replay(id: string): Promise<boolean> {
    const letter = await this.find(id)
    if (letter === null) return false
    const { message } = letter
    const { live } = this.#topology
    await this.#storage.put(live, {
      subject: this.#topology.subject(message.partition),
      msgId: `replay:${id}`,
      headers: toHeaders(metadataOf(message)),
      body: message.body,
    })
    return this.remove(id)
  }

  async remove(id: string): Promise<boolean> {
    const stored = await this.#stored(id)
    if (stored === null) return false
    const removed = await this.#storage.remove(this.#topology.dead, stored.seq)
    await this.#storage.removeParts(this.#topology.dead, stored.header)
    return removed
  }

  async #stored(id: string): Promise<StoredMsg | null> {
    const { dead, lettersSubject } = this.#topology
    const stored = await this.#storage.next(dead, lettersSubject, positionOf(id))
    return stored?.seq === positionOf(id) ? stored : null
  }

  async #read(stored: StoredMsg): Promise<DeadLetter> {
    const metadata = fromHeaders(stored.header)
    const body = await this.#storage.body(this.#topology.dead, stored.header, stored.data)
    if (metadata === null || body === null) throw new Error(`Dead letter ${stored.seq} is damaged`)
    const { bodyBytes, ...rest } = metadata
    return { id: String(stored.seq), message: { ...rest, body }, ...getLetter(stored.header) }
  }
}

/** Positions start at 1; 0 is none of them. */
const positionOf = (id: string): number => (/^\d{1,16}$/.test(id) ? Number(id) : 0)
