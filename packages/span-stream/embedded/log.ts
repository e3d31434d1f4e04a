import { statSync } from 'node:fs'
import { join } from 'node:path'
import { type Micros, microsNow } from '@spanhouse/model'
import { type Database, open, type RootDatabase } from 'lmdb'
import { BULK_SHARE, DEAD_SHARE, Refusal, refusal } from '../admission.ts'
import { type Lane, Pace } from '../lanes.ts'
import type { DeadLetter, ListedLetter, SpanMessage } from '../span-stream.ts'
import { storedBytes } from './envelope.ts'
import { checkFile } from './file-check.ts'
import { MessageTable } from './message-table.ts'
import { Progress, type Queue } from './progress.ts'
import { RecentIds } from './recent-ids.ts'

interface Letter {
  reason: string
  rejected_at: Micros
  attempt: number
}

export interface LogOptions {
  bytesMax: number
  partitions: number
}

/** The key of a setting stored in the file. */
const PARTITIONS = 'partitions'

/** Space in the map besides messages and dead letters: indexes, and free pages not yet reused. */
const MAP_SPARE_BYTES = 2 ** 30

/**
 * Everything the embedded stream stores, with all its transactions. A write resolves when its transaction is on disk:
 * `overlappingSync: false` makes LMDB flush the pages before it writes the meta page that makes them valid, so neither
 * kill -9 nor a power failure can undo a resolved write, and no other thread sees data that is not yet durable. Writes
 * that arrive while a transaction is being flushed share the next one.
 */
export class EmbeddedLog {
  readonly #root: RootDatabase
  readonly bytesMax: number
  readonly partitions: number
  readonly live: MessageTable
  readonly dead: MessageTable
  readonly progress: Progress
  readonly #recent: RecentIds
  readonly #letters: Database<Letter, number>
  readonly #notes: Database<number, string>
  readonly #pace = new Pace()
  readonly #writing = new Set<Promise<unknown>>()
  readonly #file: string
  readonly #inode: number
  #closed = false

  /** Throws if the file is damaged or holds messages for another number of partitions. */
  constructor(path: string, { bytesMax, partitions }: LogOptions) {
    this.bytesMax = bytesMax
    this.partitions = partitions
    checkFile(path)
    // Address space, not disk: the file grows as it is written. lmdb could also grow a smaller map by remapping it.
    const mapSize = 3 * bytesMax + MAP_SPARE_BYTES
    // No batching by event turn: with it, a failed commit leaves a rejection that nobody can handle.
    const writing = { overlappingSync: false, eventTurnBatching: false }
    this.#root = open({ path, mapSize, ...writing, noMemInit: true, maxDbs: 16 })
    this.#file = join(path, 'data.mdb')
    this.#inode = statSync(this.#file).ino
    this.live = new MessageTable(this.#root, 'live')
    this.dead = new MessageTable(this.#root, 'dead')
    this.progress = new Progress(this.#root)
    this.#recent = new RecentIds(this.#root)
    this.#letters = this.#root.openDB({ name: 'letters', encoding: 'json' })
    this.#notes = this.#root.openDB({ name: 'notes', encoding: 'json' })
    if (this.#notes.get(PARTITIONS) !== partitions) this.#root.transactionSync(() => this.#setPartitions())
  }

  /** With another number, a trace in progress would be given to two writers. */
  #setPartitions(): void {
    const stored = this.#notes.get(PARTITIONS)
    if (stored === this.partitions) return
    if (this.live.tally().count > 0)
      throw new Error(
        `The span stream holds messages for ${stored ?? 'an unknown number of'} partitions, not ${this.partitions}`,
      )
    this.#notes.put(PARTITIONS, this.partitions)
  }

  /** Makes visible what other threads have committed since the last turn of the event loop. */
  refresh(): void {
    this.#root.resetReadTxn()
  }

  /** Stores the messages whose ids are new: all of them or none. */
  async append(messages: readonly SpanMessage[]): Promise<void> {
    this.#checkPlace()
    const lanes = messages.map(message => this.#pace.laneOf(message))
    const isSharing = lanes.includes('bulk') && this.#pace.isShared()
    const why = await this.#write((): 'full' | 'project_full' | undefined => {
      const now = Date.now()
      const added = messages.filter(message => !this.#recent.has(keyOf(message), now))
      const bytes = added.reduce((sum, message) => sum + bytesOf(message), this.live.tally().bytes)
      if (added.length > 0 && bytes > this.bytesMax) return 'full'
      if (added.length > 0 && isSharing && bytes > this.bytesMax * BULK_SHARE) return 'project_full'
      for (const [index, message] of messages.entries()) this.#appendOne(message, lanes[index] as Lane, now)
      return undefined
    })
    if (why) throw refusal(why)
  }

  /** Data written to a removed file is lost when the process exits. */
  #checkPlace(): void {
    const present = statSync(this.#file, { throwIfNoEntry: false })
    if (present?.ino !== this.#inode) throw refusal('unreachable', new Error(`${this.#file} was removed`))
  }

  #appendOne(message: SpanMessage, lane: Lane, now: number): void {
    const key = keyOf(message)
    if (this.#recent.has(key, now)) return
    this.#recent.add(key, now)
    this.progress.add(this.live.append(message), { partition: message.partition, lane })
  }

  /** Counts a delivery of each message. Messages that the consumer has already settled are omitted from the result. */
  begin(batch: readonly { queue: Queue; number: number }[]): Promise<Map<number, number>> {
    return this.#write(() => {
      const attempts = new Map<number, number>()
      for (const { queue, number } of batch) {
        const attempt = this.progress.begin(queue, number)
        if (attempt !== undefined) attempts.set(number, attempt)
      }
      return attempts
    })
  }

  finish(queue: Queue, number: number): Promise<void> {
    return this.#write(() => this.#finish(queue, number))
  }

  #finish(queue: Queue, number: number): void {
    if (this.progress.finish(queue, number)) this.live.remove(number)
  }

  delay(queue: Queue, number: number, dueMs: number): Promise<void> {
    return this.#write(() => this.progress.delay(queue, number, dueMs))
  }

  /** Moves the message to the dead letters. Does nothing if the consumer has already settled it. */
  async bury(queue: Queue, number: number, { reason, attempt }: Omit<Letter, 'rejected_at'>): Promise<void> {
    const full = await this.#write(() => {
      const message = this.progress.isPending(queue, number) ? this.live.message(number) : undefined
      if (message === undefined) return false
      if (this.dead.tally().bytes + bytesOf(message) > this.bytesMax * DEAD_SHARE) return true
      this.#letters.put(this.dead.append(message), { reason, attempt, rejected_at: microsNow() })
      this.#finish(queue, number)
      return false
    })
    if (full) throw refusal('dead_letters_full')
  }

  /** Removes a dead letter, and publishes it again if `publish` is set. False if it does not exist. */
  async exhume(number: number, publish: boolean): Promise<boolean> {
    const answer = await this.#write(() => {
      const message = this.dead.message(number)
      if (message === undefined) return 'none'
      if (publish && this.live.tally().bytes + bytesOf(message) > this.bytesMax) return 'full'
      if (publish) this.progress.add(this.live.append(message), { partition: message.partition, lane: 'prompt' })
      this.dead.remove(number)
      this.#letters.remove(number)
      return 'done'
    })
    if (answer === 'full') throw refusal('full')
    return answer === 'done'
  }

  listed(number: number): ListedLetter | null {
    const [letter, envelope] = [this.#letters.get(number), this.dead.envelope(number)]
    if (!letter || !envelope) return null
    const { bodyBytes, ...message } = envelope
    return { id: String(number), message, bodyBytes, ...letter }
  }

  letter(number: number): DeadLetter | null {
    const [letter, message] = [this.#letters.get(number), this.dead.message(number)]
    // Copied with its body: the letter may be removed while the caller uses it.
    return letter && message ? { id: String(number), message: { ...message }, ...letter } : null
  }

  async #write<T>(action: () => T): Promise<T> {
    if (this.#closed) throw refusal('closed')
    const written = this.#root.transaction(action)
    this.#writing.add(written)
    try {
      return await written
    } catch (error) {
      const refused = await asRefusal(error)
      if (refused instanceof Refusal) await this.#noteFailure()
      throw refused
    } finally {
      this.#writing.delete(written)
    }
  }

  /**
   * LMDB reuses the pages that a transaction freed two transactions later, and a failed transaction does not count. So
   * on a full disk, a large publish would never find the space freed by acknowledged messages. A write small enough to
   * succeed solves this.
   */
  async #noteFailure(): Promise<void> {
    await this.#root
      .transaction(() => this.#notes.put('last-failure', microsNow()))
      .catch(error => (error as CommitFailure).commitError?.catch(() => undefined))
  }

  /** Resolves when everything written is on disk and the file is closed. */
  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    await Promise.allSettled(this.#writing)
    await this.#root.close()
  }
}

/** An id counts per partition: a share that is forwarded keeps the id of its message. */
const keyOf = ({ partition, id }: SpanMessage): string => `${partition}.${id}`

const bytesOf = ({ id, body }: SpanMessage): number => storedBytes(id, body.length)

/** lmdb reports the cause of a failed commit (such as a full disk) through another promise, which must be handled. */
interface CommitFailure {
  commitError?: Promise<unknown>
  code?: unknown
}

/**
 * Turns a write that the disk or LMDB rejected into a temporary rejection; a defect in our own transaction is rethrown.
 */
async function asRefusal(error: unknown): Promise<unknown> {
  const { commitError, code } = error as CommitFailure
  if (commitError !== undefined) return refusal('unreachable', await commitError.catch(reason => reason))
  return typeof code === 'number' ? refusal('unreachable', error) : error
}
