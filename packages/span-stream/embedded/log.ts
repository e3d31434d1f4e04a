import { statSync } from 'node:fs'
import { join } from 'node:path'
import { type Micros, microsNow } from '@spanhouse/model'
import { type Database, open, type RootDatabase } from 'lmdb'
import { DEAD_SHARE, Refusal, refusal } from '../admission.ts'
import type { DeadLetter, SpanMessage } from '../span-stream.ts'
import { storedBytes } from './envelope.ts'
import { checkFile } from './file-check.ts'
import { MessageTable } from './message-table.ts'
import { type Lane, Progress } from './progress.ts'
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

/** The name of a note. */
const PARTITIONS = 'partitions'

/** Room in the map beside messages and dead letters: indexes, and free pages not yet used again. */
const MAP_SPARE_BYTES = 2 ** 30

/**
 * Everything the embedded stream stores, and every transaction on it. A write resolves when its transaction is on
 * disk: `overlappingSync: false` makes LMDB flush the pages before it writes the meta page that makes them valid, so
 * neither kill -9 nor a power cut can take back what was resolved, and no other thread sees what is not durable yet.
 * Writes that come while a transaction is being flushed share the next one.
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
  readonly #writing = new Set<Promise<unknown>>()
  readonly #file: string
  readonly #inode: number
  #closed = false

  /** Throws when the file is damaged or holds messages that were cut for another number of partitions. */
  constructor(path: string, { bytesMax, partitions }: LogOptions) {
    this.bytesMax = bytesMax
    this.partitions = partitions
    checkFile(path)
    // Address space, not disk: the file grows as it is written. lmdb would also grow a smaller map, by mapping again.
    const mapSize = 3 * bytesMax + MAP_SPARE_BYTES
    // Without batches by event turn, because with them a failed commit leaves a rejection that nobody can handle.
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

  /** With another number a trace that is under way would be given to two writers. */
  #setPartitions(): void {
    const stored = this.#notes.get(PARTITIONS)
    if (stored === this.partitions) return
    if (this.live.tally().count > 0)
      throw new Error(
        `The span stream holds messages for ${stored ?? 'an unknown number of'} partitions, not ${this.partitions}`,
      )
    this.#notes.put(PARTITIONS, this.partitions)
  }

  /** Lets reads see what other threads have committed since the event loop's last turn. */
  refresh(): void {
    this.#root.resetReadTxn()
  }

  /** Stores the messages whose ids are new, all or none of them. */
  async append(messages: readonly SpanMessage[]): Promise<void> {
    this.#checkPlace()
    const full = await this.#write(() => {
      const now = Date.now()
      const added = messages.filter(({ id }) => !this.#recent.has(id, now))
      const bytes = added.reduce((sum, message) => sum + bytesOf(message), this.live.tally().bytes)
      if (added.length > 0 && bytes > this.bytesMax) return true
      for (const message of added) this.#appendOne(message, now)
      return false
    })
    if (full) throw refusal('full')
  }

  /** What is written to a file that was removed ends with the process. */
  #checkPlace(): void {
    const present = statSync(this.#file, { throwIfNoEntry: false })
    if (present?.ino !== this.#inode) throw refusal('unreachable', new Error(`${this.#file} was removed`))
  }

  #appendOne(message: SpanMessage, now: number): void {
    if (this.#recent.has(message.id, now)) return
    this.#recent.add(message.id, now)
    this.progress.add(this.live.append(message), message.partition)
  }

  /** Counts a delivery of each message. Those the consumer is done with are not in the answer. */
  begin(batch: readonly { lane: Lane; number: number }[]): Promise<Map<number, number>> {
    return this.#write(() => {
      const attempts = new Map<number, number>()
      for (const { lane, number } of batch) {
        const attempt = this.progress.begin(lane, number)
        if (attempt !== undefined) attempts.set(number, attempt)
      }
      return attempts
    })
  }

  finish(lane: Lane, number: number): Promise<void> {
    return this.#write(() => this.#finish(lane, number))
  }

  #finish(lane: Lane, number: number): void {
    if (this.progress.finish(lane, number)) this.live.remove(number)
  }

  delay(lane: Lane, number: number, dueMs: number): Promise<void> {
    return this.#write(() => this.progress.delay(lane, number, dueMs))
  }

  /** Moves the message to the dead letters. Nothing happens when the consumer is done with it. */
  async bury(lane: Lane, number: number, { reason, attempt }: Omit<Letter, 'rejected_at'>): Promise<void> {
    const full = await this.#write(() => {
      const message = this.progress.isPending(lane, number) ? this.live.message(number) : undefined
      if (message === undefined) return false
      if (this.dead.tally().bytes + bytesOf(message) > this.bytesMax * DEAD_SHARE) return true
      this.#letters.put(this.dead.append(message), { reason, attempt, rejected_at: microsNow() })
      this.#finish(lane, number)
      return false
    })
    if (full) throw refusal('dead_letters_full')
  }

  /** Takes a dead letter away, into the stream again when `publish` is set. False when there is none. */
  async exhume(number: number, publish: boolean): Promise<boolean> {
    const answer = await this.#write(() => {
      const message = this.dead.message(number)
      if (message === undefined) return 'none'
      if (publish && this.live.tally().bytes + bytesOf(message) > this.bytesMax) return 'full'
      if (publish) this.progress.add(this.live.append(message), message.partition)
      this.dead.remove(number)
      this.#letters.remove(number)
      return 'done'
    })
    if (answer === 'full') throw refusal('full')
    return answer === 'done'
  }

  letter(number: number): DeadLetter | null {
    const [letter, message] = [this.#letters.get(number), this.dead.message(number)]
    // Copied with its body: the letter may be taken away while somebody looks at it.
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
   * LMDB uses the pages that a transaction freed two transactions later, and one that failed does not count. So on a full
   * disk the room that acknowledged messages leave would never be found by a large publish. A write that is small enough
   * to succeed moves it on.
   */
  async #noteFailure(): Promise<void> {
    await this.#root
      .transaction(() => this.#notes.put('last-failure', microsNow()))
      .catch(error => (error as CommitFailure).commitError?.catch(() => undefined))
  }

  /** Resolves when all that was written is on disk and the file is closed. */
  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    await Promise.allSettled(this.#writing)
    await this.#root.close()
  }
}

const bytesOf = ({ id, body }: SpanMessage): number => storedBytes(id, body.length)

/** lmdb tells why a commit failed (a full disk, say) by another promise, which must be listened to. */
interface CommitFailure {
  commitError?: Promise<unknown>
  code?: unknown
}

/** A write that the disk or LMDB refused becomes a refusal; a defect in our own transaction stays what it is. */
async function asRefusal(error: unknown): Promise<unknown> {
  const { commitError, code } = error as CommitFailure
  if (commitError !== undefined) return refusal('unreachable', await commitError.catch(reason => reason))
  return typeof code === 'number' ? refusal('unreachable', error) : error
}
