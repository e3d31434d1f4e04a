import { randomUUID } from 'node:crypto'
import {
  type ConsumerInfo,
  JetStreamApiError,
  type JetStreamClient,
  type JetStreamManager,
  type JsMsg,
  jetstream,
  type NextMsgRequest,
  type PubAck,
  PubHeaders,
  type SeqMsgRequest,
  type StoredMsg,
} from '@nats-io/jetstream'
import { InvalidArgumentError, type MsgHdrs, RequestError } from '@nats-io/transport-node'
import { Refusal, refusal } from '../admission.ts'
import type { Connection } from './connection.ts'
import { getParts, HEADER_BYTES_MAX, setParts } from './headers.ts'
import type { Shelf } from './topology.ts'

/** Timeout of a publish, until its last message is confirmed. */
const PUBLISH_MS_MAX = 5_000

/**
 * More than the number of removals recorded in one file of a stream (8 MiB), and how many fillers are in flight at
 * once.
 */
const ADVANCE_MAX = 300_000
const ADVANCE_AT_ONCE = 500
/** How far consumers' positions on disk may lag: what they delivered just before the server was killed. */
const ADVANCE_MARGIN = 2_000

/** How many messages without their bodies are asked for at once. */
const HEADERS_AT_ONCE = 1_000

export interface StoredRecord {
  subject: string
  /** The id; storing it again within the duplicate window stores nothing. */
  msgId: string
  headers: MsgHdrs
  body: Uint8Array
  /** Reject the message if the subject already holds one. */
  onlyFirst?: boolean
}

/**
 * Messages of any size on a server that accepts only small ones (1 MiB by default).
 *
 * A body that fits is one message. Of a larger body, all pieces but the last are stored first, under the shelf's
 * subject for parts; once the server has confirmed them all, the last piece is published as the message, with the
 * positions of the parts in a header. So a large message appears in its partition completely or not at all, as one
 * message with one acknowledgement, however publishers interleave and whatever is redelivered. The parts of an attempt
 * are its own: they are removed if the message is not stored, or was stored before. A publisher that dies half-way, or
 * gets no answer, leaves unreferenced parts, which the Sweeper removes.
 */
export class Storage {
  readonly #connection: Connection
  readonly #js: JetStreamClient
  readonly #jsm: JetStreamManager
  readonly #recreate: () => Promise<void>
  #recreating: Promise<void> | undefined
  /** What `oldestMs` found first in the stream. A killed server may assign its position a second time. */
  #first: { seq: number; storedMs: number; isPart: boolean } | undefined

  /** `recreate` creates streams and consumers that the server no longer knows. */
  constructor(connection: Connection, jsm: JetStreamManager, recreate: () => Promise<void>) {
    this.#connection = connection
    this.#js = jetstream(connection.nats)
    this.#jsm = jsm
    this.#recreate = recreate
  }

  /** Resolves when the server has confirmed everything. Rejects with a Problem `overloaded` after five seconds. */
  async put(shelf: Shelf, record: StoredRecord): Promise<PubAck> {
    const until = performance.now() + PUBLISH_MS_MAX
    const timeout = () => Math.max(1, until - performance.now())
    const pieces = slice(record.body, this.#connection.payloadBytesMax - HEADER_BYTES_MAX)
    const last = pieces.pop()
    const { subject, msgId, headers, onlyFirst } = record
    const attempt = randomUUID()
    const { outages } = this.#connection
    const stored: number[] = []
    // After an outage, other messages may be at their positions (see Leftovers).
    const drop = async (): Promise<void> => {
      if (outages === this.#connection.outages) await Promise.allSettled(stored.map(seq => this.remove(shelf, seq)))
    }
    const storePart = async (piece: Uint8Array, index: number): Promise<number> => {
      const msgID = `${partId(msgId, index)}${attempt}`
      const { seq } = await this.#publish(shelf, shelf.partsSubject, piece, { msgID, timeout: timeout() })
      stored.push(seq)
      return seq
    }
    let isSent = false
    try {
      setParts(headers, await settleAll(pieces.map(storePart)))
      isSent = true
      const expect = onlyFirst ? { lastSubjectSequence: 0 } : {}
      const answer = await this.#publish(shelf, subject, last, { msgID: msgId, headers, expect, timeout: timeout() })
      if (answer.duplicate) await drop()
      return answer
    } catch (error) {
      // Without an answer the message may be stored.
      if (!isSent || isAnswer(error)) await drop()
      throw error
    }
  }

  #publish(shelf: Shelf, ...publication: Parameters<JetStreamClient['publish']>): Promise<PubAck> {
    return this.#ask(() => this.#js.publish(...publication), shelf.whenFull)
  }

  async #ask<T>(request: () => Promise<T>, whenFull: Shelf['whenFull'] = 'full'): Promise<T> {
    try {
      return await this.#connection.ask(request).catch(async error => {
        if (!isGone(error)) throw error
        await this.#recreateOnce()
        return this.#connection.ask(request)
      })
    } catch (error) {
      throw asRefusal(error, whenFull)
    }
  }

  /** Concurrent callers that find the streams missing share one attempt. */
  #recreateOnce(): Promise<void> {
    this.#recreating ??= this.#connection.ask(this.#recreate).finally(() => {
      this.#recreating = undefined
    })
    return this.#recreating
  }

  /**
   * The whole body of a message, given its headers and last piece. Null if a part is missing, or if another message is
   * at its position (see Leftovers).
   */
  async body(shelf: Shelf, headers: MsgHdrs | undefined, last: Uint8Array): Promise<Uint8Array | null> {
    const parts = getParts(headers)
    if (parts.length === 0) return last
    const pieces = await settleAll(parts.map((seq, index) => this.#part(shelf, seq, partId(idOf(headers), index))))
    return pieces.includes(null) ? null : Buffer.concat([...(pieces as Uint8Array[]), last])
  }

  /** A direct read may ask a replica that lags; only the stream's leader knows that a message is gone. */
  async #part({ stream }: Shelf, seq: number, id: string): Promise<Uint8Array | null> {
    const fast = await this.#ask(() => this.#jsm.direct.getMessage(stream, { seq }))
    const stored = fast ?? (await this.#ask(() => this.#jsm.streams.getMessage(stream, { seq })))
    return idOf(stored?.header).startsWith(id) ? (stored?.data ?? null) : null
  }

  /** The first message under the subject (which may have wildcards) at or after a position. */
  next({ stream }: Shelf, subject: string, seq: number): Promise<StoredMsg | null> {
    const query: NextMsgRequest & SeqMsgRequest = { seq: Math.max(1, seq), next_by_subj: subject }
    return this.#ask(() => this.#jsm.streams.getMessage(stream, query))
  }

  /** Removes a message. False if it does not exist. */
  remove({ stream }: Shelf, seq: number): Promise<boolean> {
    return this.#ask(() =>
      this.#jsm.streams.deleteMessage(stream, seq, false).catch(error => {
        if (error instanceof JetStreamApiError && NOT_THERE.includes(error.code)) return false
        throw error
      }),
    )
  }

  /** Whether a message that was read before is still at its position, which a killed server may assign again. */
  async hasSame({ stream }: Shelf, seq: number, headers: MsgHdrs | undefined): Promise<boolean> {
    const stored = await this.#ask(() => this.#jsm.streams.getMessage(stream, { seq }))
    return stored !== null && idOf(stored.header) === idOf(headers)
  }

  /**
   * Removes a message that was read before an outage. A killed server may assign positions a second time (see
   * Leftovers): a message with another id at the position stays.
   */
  async removeSame(shelf: Shelf, seq: number, headers: MsgHdrs | undefined): Promise<boolean> {
    return (await this.hasSame(shelf, seq, headers)) && this.remove(shelf, seq)
  }

  async removeParts(shelf: Shelf, headers: MsgHdrs | undefined): Promise<void> {
    await settleAll(getParts(headers).map(seq => this.remove(shelf, seq)))
  }

  /** Removes the parts of a message that may be gone, but not other messages at their positions. */
  async removeOwnParts(shelf: Shelf, headers: MsgHdrs | undefined): Promise<void> {
    const remove = async (seq: number, index: number): Promise<void> => {
      if ((await this.#part(shelf, seq, partId(idOf(headers), index))) !== null) await this.remove(shelf, seq)
    }
    await settleAll(getParts(headers).map(remove))
  }

  /** Stores a message without content and returns its position. */
  async mark(shelf: Shelf): Promise<number> {
    const { seq } = await this.#publish(shelf, shelf.partsSubject, undefined, { timeout: PUBLISH_MS_MAX })
    return seq
  }

  /** Removes all messages under a subject up to a position. */
  async purge({ stream }: Shelf, subject: string, upTo: number): Promise<void> {
    await this.#ask(() => this.#jsm.streams.purge(stream, { filter: subject, seq: upTo + 1 }))
  }

  /**
   * If the stream is behind `position`, uses up the positions up to it and a few thousand more, which a killed server
   * may assign a second time (see Leftovers). A message at such a position is lost if that server is killed again: a
   * later record in its file says that it was removed. The sweeper removes the empty parts that fill them.
   */
  async advance(shelf: Shelf, position: number): Promise<void> {
    let { last } = await this.state(shelf)
    if (last >= position || position - last > ADVANCE_MAX) return
    const target = position + ADVANCE_MARGIN
    while (last < target) {
      const fillers = Array.from({ length: Math.min(ADVANCE_AT_ONCE, target - last) }, () => this.mark(shelf))
      last = Math.max(last, ...(await settleAll(fillers)))
    }
  }

  /**
   * All messages of a shelf, in order, without their bodies. Rejects with a Problem `overloaded` if they do not all
   * come.
   */
  async *headers({ stream }: Shelf): AsyncGenerator<Pick<JsMsg, 'seq' | 'subject' | 'headers'>> {
    const consumer = await this.#ask(() => this.#js.consumers.get(stream, { headers_only: true }))
    try {
      let { num_pending: left } = await this.#ask(() => consumer.info())
      while (left > 0) {
        const before = left
        const options = { max_messages: Math.min(left, HEADERS_AT_ONCE), expires: PUBLISH_MS_MAX }
        for await (const message of await this.#ask(() => consumer.fetch(options))) {
          yield message
          left = message.info.pending
        }
        if (left === before) throw refusal('unreachable')
      }
    } finally {
      await consumer.delete().catch(() => undefined)
    }
  }

  /**
   * When the oldest message that is not a part was stored. Undefined: there is none. Asked for each subject only if a
   * part is the first in the stream, and for the first only once: an answer brings the whole message.
   */
  async oldestMs(shelf: Shelf, { first, oldestMs, subjects }: ShelfState): Promise<number | undefined> {
    if (this.#first?.seq !== first || this.#first.storedMs !== oldestMs) {
      const found = await this.next(shelf, '>', 1)
      const isPart = found?.subject === shelf.partsSubject
      this.#first = found === null ? undefined : { seq: found.seq, storedMs: found.time.getTime(), isPart }
    }
    if (!this.#first?.isPart) return this.#first?.storedMs
    const oldest = await settleAll(subjects.map(subject => this.next(shelf, subject, 1)))
    const times = oldest.flatMap(stored => (stored === null ? [] : stored.time.getTime()))
    return times.length === 0 ? undefined : Math.min(...times)
  }

  consumer({ stream }: Shelf, durable: string): Promise<ConsumerInfo> {
    return this.#ask(() => this.#jsm.consumers.info(stream, durable))
  }

  async state({ stream, partsSubject }: Shelf): Promise<ShelfState> {
    const { state, config } = await this.#ask(() => this.#jsm.streams.info(stream, { subjects_filter: partsSubject }))
    const parts = state.subjects?.[partsSubject] ?? 0
    const { messages, bytes, first_seq, first_ts, last_seq } = state
    return {
      whole: messages - parts,
      parts,
      bytes,
      first: first_seq,
      oldestMs: Date.parse(first_ts),
      last: last_seq,
      subjects: config.subjects.filter(subject => subject !== partsSubject),
    }
  }
}

export interface ShelfState {
  /** Messages that are not parts of others. */
  whole: number
  parts: number
  bytes: number
  /** The position of the oldest message or part, and when it was stored; meaningless if there is none. */
  first: number
  oldestMs: number
  /** The last position used. */
  last: number
  /** The subjects of messages that are not parts. */
  subjects: string[]
}

/** The start of a part's id, followed by the attempt to store its message. */
const partId = (msgId: string, index: number): string => `${msgId}/${index}/`

const idOf = (headers: MsgHdrs | undefined): string => headers?.get(PubHeaders.MsgIdHdr) ?? ''

/**
 * JetStream's errors for deleting a message that does not exist, and one at a position beyond the end of the stream.
 */
const NOT_THERE = [10057, 10043]

/** JetStream's error for a message that it could not store, for instance because the stream is full. */
const STORE_FAILED = 10077

/** Whether the streams must be created. If one is missing, a publisher only learns that its subject has no listener. */
function isGone(error: unknown): boolean {
  if (error instanceof JetStreamApiError) return GONE.includes(error.code)
  return error instanceof Error && error.cause instanceof RequestError && error.cause.isNoResponders()
}

/** JetStream's errors for an unknown stream, an unknown consumer, and a stream that is not open yet. */
const GONE = [10059, 10014, 10054]

/** Whether the server has answered that it did not store the message. */
const isAnswer = (error: unknown): boolean =>
  error instanceof JetStreamApiError || (error instanceof Refusal && error.cause instanceof JetStreamApiError)

/** Anything that prevents a server from storing a valid message is worth retrying. */
function asRefusal(error: unknown, whenFull: Shelf['whenFull']): unknown {
  if (error instanceof InvalidArgumentError || error instanceof Refusal) return error
  if (!(error instanceof JetStreamApiError)) return refusal('unreachable', error)
  if (error.code === WRONG_LAST_SEQUENCE) return error
  const full = error.code === STORE_FAILED && /maximum/.test(error.message)
  return refusal(full ? whenFull : 'unreachable', error)
}

/** JetStream's error if a subject does not hold what the publisher expects. */
export const WRONG_LAST_SEQUENCE = 10071

/** At least one piece. */
function slice(body: Uint8Array, bytesMax: number): Uint8Array[] {
  const count = Math.max(1, Math.ceil(body.length / bytesMax))
  return Array.from({ length: count }, (_, index) => body.subarray(index * bytesMax, (index + 1) * bytesMax))
}

/** Waits for all, so that nothing continues after a rejection; then rejects with the first failure. */
export async function settleAll<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(promises)
  return Promise.all(promises)
}
