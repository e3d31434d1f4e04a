import type { Database, RootDatabase } from 'lmdb'
import type { SpanMessage } from '../span-stream.ts'
import { decodeEnvelope, type Envelope, encodeEnvelope, storedBytes } from './envelope.ts'

/** The totals over all messages of a table, and the next number. */
export interface Tally {
  next: number
  count: number
  bytes: number
}

/** Messages by ascending number, with exact totals. All writes happen inside a transaction. */
export class MessageTable {
  readonly #envelopes: Database<Buffer, number>
  readonly #bodies: Database<Buffer | Uint8Array, number>
  readonly #tally: Database<Tally, string>

  constructor(root: RootDatabase, name: string) {
    this.#envelopes = root.openDB({ name: `${name}-envelopes`, encoding: 'binary' })
    this.#bodies = root.openDB({ name: `${name}-bodies`, encoding: 'binary' })
    this.#tally = root.openDB({ name: `${name}-tally`, encoding: 'json' })
  }

  tally(): Tally {
    return this.#tally.get('all') ?? { next: 1, count: 0, bytes: 0 }
  }

  /** Adds a message and returns its number. LMDB copies the body directly from the caller's bytes to its page. */
  append(message: SpanMessage): number {
    const { next, count, bytes } = this.tally()
    const envelope = encodeEnvelope(message)
    this.#envelopes.put(next, envelope)
    this.#bodies.put(next, message.body)
    this.#tally.put('all', {
      next: next + 1,
      count: count + 1,
      bytes: bytes + storedBytes(message.id, message.body.length),
    })
    return next
  }

  remove(number: number): void {
    const envelope = this.envelope(number)
    if (envelope === undefined) return
    const { next, count, bytes } = this.tally()
    this.#envelopes.remove(number)
    this.#bodies.remove(number)
    this.#tally.put('all', { next, count: count - 1, bytes: bytes - storedBytes(envelope.id, envelope.bodyBytes) })
  }

  envelope(number: number): Envelope | undefined {
    const bytes = this.#envelopes.getBinary(number)
    return bytes && decodeEnvelope(bytes)
  }

  /**
   * The body is read each time it is accessed, and is gone once the message is removed: kept in memory, the bodies of
   * batches in progress would be the larger part of a writer's memory.
   */
  message(number: number): SpanMessage | undefined {
    const envelope = this.envelope(number)
    if (envelope === undefined) return undefined
    const { bodyBytes, ...rest } = envelope
    const bodies = this.#bodies
    return {
      ...rest,
      get body() {
        const body = bodies.getBinary(number)
        if (body === undefined) throw new Error(`Message ${rest.id} is no longer in the stream`)
        // lmdb's buffers have their own length property; a plain view of the same memory does not.
        return Buffer.from(body.buffer, body.byteOffset, bodyBytes)
      },
    }
  }

  /** The oldest message. */
  first(): { number: number; envelope: Envelope } | undefined {
    for (const number of this.numbers(0, 1)) {
      const envelope = this.envelope(number)
      if (envelope) return { number, envelope }
    }
    return undefined
  }

  numbers(from: number, limit: number): number[] {
    return [...this.#envelopes.getKeys({ start: from, limit })]
  }
}
