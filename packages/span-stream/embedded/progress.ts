import type { Database, RootDatabase } from 'lmdb'
import { CONSUMERS, type ConsumerName } from '../span-stream.ts'

/** The entries one consumer reads in order. */
export interface Lane {
  consumer: ConsumerName
  partition: number
}

const nameOf = ({ consumer, partition }: Lane): string => `${consumer}-${partition}`

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

  add(number: number, partition: number): void {
    for (const consumer of CONSUMERS) this.#pending.put([nameOf({ consumer, partition }), number], UNTRIED)
  }

  isPending(lane: Lane, number: number): boolean {
    return this.#pending.doesExist([nameOf(lane), number])
  }

  /** Counts a delivery and returns the count; undefined if the consumer has settled the message. */
  begin(lane: Lane, number: number): number | undefined {
    const row = this.#pending.get([nameOf(lane), number])
    if (row === undefined) return undefined
    const attempts = row.attempts + 1
    this.#pending.put([nameOf(lane), number], { ...row, attempts })
    return attempts
  }

  delay(lane: Lane, number: number, dueMs: number): void {
    const row = this.#pending.get([nameOf(lane), number])
    if (row === undefined) return
    this.#removeDelay(lane, number, row)
    this.#pending.put([nameOf(lane), number], { ...row, dueMs })
    this.#delayed.put([nameOf(lane), dueMs, number], true)
  }

  /** Records that the consumer has settled the message. True if no other consumer needs it. */
  finish(lane: Lane, number: number): boolean {
    const row = this.#pending.get([nameOf(lane), number])
    if (row === undefined) return false
    this.#removeDelay(lane, number, row)
    this.#pending.remove([nameOf(lane), number])
    return !CONSUMERS.some(consumer => this.isPending({ ...lane, consumer }, number))
  }

  #removeDelay(lane: Lane, number: number, { dueMs }: Pending): void {
    if (dueMs > 0) this.#delayed.remove([nameOf(lane), dueMs, number])
  }

  /** Up to `limit` never-delayed messages from `from` on that are not skipped, and where to continue. */
  fresh(lane: Lane, from: number, limit: number, skip: ReadonlyMap<number, unknown>) {
    const numbers: number[] = []
    let next = from
    for (const { key, value } of this.#pending.getRange({ start: [nameOf(lane), from], end: [nameOf(lane), LAST] })) {
      next = key[1] + 1
      if (value.dueMs === 0 && !skip.has(key[1]) && numbers.push(key[1]) === limit) break
    }
    return { numbers, next }
  }

  /** Up to `limit` delayed messages that are not skipped, ordered by due time. */
  delayed(lane: Lane, limit: number, skip: ReadonlyMap<number, unknown>) {
    const found: { number: number; dueMs: number }[] = []
    for (const [, dueMs, number] of this.#delayed.getKeys({ start: [nameOf(lane)], end: [nameOf(lane), LAST] })) {
      if (!skip.has(number) && found.push({ number, dueMs }) === limit) break
    }
    return found
  }
}
