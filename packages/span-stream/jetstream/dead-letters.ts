import { JetStreamApiError, type StoredMsg } from '@nats-io/jetstream'
import type { MsgHdrs } from '@nats-io/transport-node'
import { microsNow, Problem } from '@spanhouse/model'
import { Refusal } from '../admission.ts'
import type { ConsumerName, DeadLetter, ListedLetter, SpanMessage } from '../span-stream.ts'
import { fromHeaders, getLetter, getParts, metadataOf, setLetter, toHeaders, unknownMetadata } from './headers.ts'
import type { Positions } from './positions.ts'
import { type Storage, WRONG_LAST_SEQUENCE } from './storage.ts'
import type { Topology } from './topology.ts'

export interface Rejection {
  consumer: ConsumerName
  sequence: number
  attempt: number
  reason: string
}

/** The stream of dead letters. A letter's id is its position there, so ids ascend with time. */
export class DeadLetters {
  readonly #storage: Storage
  readonly #topology: Topology
  readonly #positions: Positions
  /** The position of the last mark in the stream. */
  #marked: number | undefined

  constructor(storage: Storage, topology: Topology, positions: Positions) {
    this.#storage = storage
    this.#topology = topology
    this.#positions = positions
  }

  /**
   * Stores a letter, once per consumer and message: the consumer may die before it acknowledges and reject the message
   * again.
   */
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

  async list({ limit, after }: { limit: number; after?: string }): Promise<ListedLetter[]> {
    const letters: ListedLetter[] = []
    let from = after === undefined ? 1 : positionOf(after) + 1
    while (letters.length < limit) {
      const stored = await this.#storage.next(this.#topology.dead, this.#topology.lettersSubject, from)
      if (stored === null) break
      letters.push(listed(await this.#read(stored)))
      from = stored.seq + 1
    }
    return letters
  }

  async find(id: string): Promise<DeadLetter | null> {
    const stored = await this.#stored(id)
    return stored && this.#read(stored)
  }

  /** Publishes the letter's message again under a new id: the original id may still count as a duplicate. */
  async replay(id: string): Promise<boolean> {
    const letter = await this.find(id)
    if (letter === null) return false
    const { body, ...metadata } = letter.message
    if (body === null) throw new Problem('conflict', `Dead letter ${id} is damaged: it can only be discarded`)
    await this.#positions.ready()
    await this.#storage.put(this.#topology.live, {
      subject: this.#topology.subject({ partition: metadata.partition, lane: 'prompt' }),
      msgId: `replay:${id}`,
      headers: toHeaders({ ...metadata, bodyBytes: body.length }),
      body,
    })
    return this.remove(id)
  }

  async remove(id: string): Promise<boolean> {
    const stored = await this.#stored(id)
    if (stored === null) return false
    const { dead } = this.#topology
    const isMarked = await this.#mark()
    const removed = await this.#storage.remove(dead, stored.seq)
    await this.#storage.removeOwnParts(dead, stored.header)
    if (!isMarked) await this.#mark()
    return removed
  }

  /**
   * Removes parts up to a position that no letter refers to: who stored them died or got no answer. What refers to them
   * must be stored by now, and is looked for in the whole stream, since letters stay for long. Marks of other processes
   * go with them, but not what is last.
   */
  async sweep(upTo: number): Promise<void> {
    const { dead } = this.#topology
    const unused = new Map<number, MsgHdrs | undefined>()
    let last = 0
    for await (const { seq, subject, headers } of this.#storage.headers(dead)) {
      if (subject === dead.partsSubject && seq <= upTo) unused.set(seq, headers)
      for (const part of getParts(headers)) unused.delete(part)
      last = seq
    }
    unused.delete(last)
    if (unused.size === 0) return
    const isMarked = await this.#mark()
    for (const [seq, headers] of unused) await this.#storage.removeSame(dead, seq, headers)
    if (!isMarked) await this.#mark()
  }

  /**
   * Ensures that the last position of the stream stays occupied. If everything in its last file was removed, a killed
   * server forgets that file and reuses its positions; data stored at such a position is lost if the server is killed
   * again, because removal records name it. A mark replaces the previous one. False if there is no space for one.
   */
  async #mark(): Promise<boolean> {
    const { dead } = this.#topology
    const position = await this.#storage.mark(dead).catch(error => {
      if (error instanceof Refusal && error.why === 'dead_letters_full') return undefined
      throw error
    })
    if (position === undefined) return false
    const previous = this.#marked
    this.#marked = Math.max(position, previous ?? 0)
    if (previous !== undefined) await this.#storage.remove(dead, Math.min(position, previous))
    return true
  }

  async #stored(id: string): Promise<StoredMsg | null> {
    const { dead, lettersSubject } = this.#topology
    const stored = await this.#storage.next(dead, lettersSubject, positionOf(id))
    return stored?.seq === positionOf(id) ? stored : null
  }

  /** Parts of a letter are missing if a killed server has lost them, or has restored a letter that was removed. */
  async #read(stored: StoredMsg): Promise<DeadLetter> {
    const { seq, header, data } = stored
    const known = fromHeaders(header)
    const body = known && (await this.#storage.body(this.#topology.dead, header, data))
    const { bodyBytes, ...metadata } = known ?? unknownMetadata({ sequence: seq, partition: 0, data })
    const whole = body?.length === bodyBytes ? body : null
    return { id: String(seq), message: { ...metadata, body: whole }, ...getLetter(header) }
  }
}

const listed = ({ message: { body, ...message }, ...letter }: DeadLetter): ListedLetter => ({
  ...letter,
  message,
  bodyBytes: body === null ? null : body.length,
})

/** Positions start at 1; 0 is never used. */
const positionOf = (id: string): number => (/^\d{1,16}$/.test(id) ? Number(id) : 0)
