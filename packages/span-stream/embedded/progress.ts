import type { Database, RootDatabase } from 'lmdb'
import type { Lane } from '../lanes.ts'
import { CONSUMERS, type ConsumerName } from '../span-stream.ts'

/** The entries one consumer reads in order. */
export interface Queue {
  consumer: ConsumerName
  partition: number
  lane: Lane
}

/** Prompt queues have the name that queues had before there were lanes. */
const nameOf = ({ consumer, partition, lane }: Queue): string =>
  lane === 'prompt' ? `${consumer}-${partition}` : `${consumer}-${partition}-${lane}`

interface Pending {
  attempts: number
  /** Milliseconds since 1970 before which the message is not delivered again; 0 if it was never delayed. */
  dueMs: number
}

const UNTRIED: Pending = { attempts: 0, dueMs: 0 }

const LAST = Number.MAX_SAFE_INTEGER

/**
 * Which consumer still needs which message. The rows of `pending` are authoritative; `delayed` is an index of the rows
 * with a due time, ordered by it. All writes happen inside a transaction.
 */
export class Progress {
  readonly #pending: Database<Pending, [string, number]>
  readonly #delayed: Database<true, [string, number, number]>

  constructor(root: RootDatabase) {
    this.#pending = root.openDB({ name: 'pending', encoding: 'json' })
    this.#delayed = root.openDB({ name: 'delayed', encoding: 'json' })
  }

  add(number: number, place: Omit<Queue, 'consumer'>): void {
    for (const consumer of CONSUMERS) this.#pending.put([nameOf({ consumer, ...place }), number], UNTRIED)
  }

  isPending(queue: Queue, number: number): boolean {
    return this.#pending.doesExist([nameOf(queue), number])
  }

  /** Counts a delivery and returns the count; undefined if the consumer has settled the message. */
  begin(queue: Queue, number: number): number | undefined {
    const row = this.#pending.get([nameOf(queue), number])
    if (row === undefined) return undefined
    const attempts = row.attempts + 1
    this.#pending.put([nameOf(queue), number], { ...row, attempts })
    return attempts
  }

  delay(queue: Queue, number: number, dueMs: number): void {
    const row = this.#pending.get([nameOf(queue), number])
    if (row === undefined) return
    this.#removeDelay(queue, number, row)
    this.#pending.put([nameOf(queue), number], { ...row, dueMs })
    this.#delayed.put([nameOf(queue), dueMs, number], true)
  }

  /** Records that the consumer has settled the message. True if no other consumer needs it. */
  finish(queue: Queue, number: number): boolean {
    const row = this.#pending.get([nameOf(queue), number])
    if (row === undefined) return false
    this.#removeDelay(queue, number, row)
    this.#pending.remove([nameOf(queue), number])
    return !CONSUMERS.some(consumer => this.isPending({ ...queue, consumer }, number))
  }

  #removeDelay(queue: Queue, number: number, { dueMs }: Pending): void {
    if (dueMs > 0) this.#delayed.remove([nameOf(queue), dueMs, number])
  }

  /** Up to `limit` never-delayed messages from `from` on that are not skipped, and where to continue. */
  fresh(queue: Queue, from: number, limit: number, skip: ReadonlyMap<number, unknown>) {
    const numbers: number[] = []
    let next = from
    for (const { key, value } of this.#pending.getRange({ start: [nameOf(queue), from], end: [nameOf(queue), LAST] })) {
      next = key[1] + 1
      if (value.dueMs === 0 && !skip.has(key[1]) && numbers.push(key[1]) === limit) break
    }
    return { numbers, next }
  }

  /** Up to `limit` messages before `number` that the consumer has not settled and that are not skipped. */
  before(queue: Queue, number: number, limit: number, skip: ReadonlySet<number>): number[] {
    const numbers: number[] = []
    for (const [, before] of this.#pending.getKeys({ start: [nameOf(queue)], end: [nameOf(queue), number] }))
      if (!skip.has(before) && numbers.push(before) === limit) break
    return numbers
  }

  /** Up to `limit` delayed messages that are not skipped, ordered by due time. */
  delayed(queue: Queue, limit: number, skip: ReadonlyMap<number, unknown>) {
    const found: { number: number; dueMs: number }[] = []
    for (const [, dueMs, number] of this.#delayed.getKeys({ start: [nameOf(queue)], end: [nameOf(queue), LAST] })) {
      if (!skip.has(number) && found.push({ number, dueMs }) === limit) break
    }
    return found
  }
}
