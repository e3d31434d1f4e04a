import type { Database, RootDatabase } from 'lmdb'
import { CONSUMERS, type ConsumerName } from '../span-stream.ts'

interface Pending {
  attempts: number
  /** Milliseconds since 1970 before which the message is not delivered again; 0 when it was never delayed. */
  dueMs: number
}

const LAST = Number.MAX_SAFE_INTEGER

/**
 * Which consumer still needs which message. A row of `pending` is the truth; `delayed` finds the rows with a due time
 * in the order of their times. All writing happens inside a transaction.
 */
export class Progress {
  readonly #pending: Database<Pending, [ConsumerName, number]>
  readonly #delayed: Database<true, [ConsumerName, number, number]>

  constructor(root: RootDatabase) {
    this.#pending = root.openDB({ name: 'pending', encoding: 'json' })
    this.#delayed = root.openDB({ name: 'delayed', encoding: 'json' })
  }

  add(number: number): void {
    for (const consumer of CONSUMERS) this.#pending.put([consumer, number], { attempts: 0, dueMs: 0 })
  }

  isPending(consumer: ConsumerName, number: number): boolean {
    return this.#pending.doesExist([consumer, number])
  }

  /** Counts a delivery and returns the count; undefined when the consumer is done with the message. */
  begin(consumer: ConsumerName, number: number): number | undefined {
    const row = this.#pending.get([consumer, number])
    if (row === undefined) return undefined
    const attempts = row.attempts + 1
    this.#pending.put([consumer, number], { ...row, attempts })
    return attempts
  }

  delay(consumer: ConsumerName, number: number, dueMs: number): void {
    const row = this.#pending.get([consumer, number])
    if (row === undefined) return
    this.#removeDelay(consumer, number, row)
    this.#pending.put([consumer, number], { ...row, dueMs })
    this.#delayed.put([consumer, dueMs, number], true)
  }

  /** Notes that the consumer is done with the message. True when no other consumer needs it. */
  finish(consumer: ConsumerName, number: number): boolean {
    const row = this.#pending.get([consumer, number])
    if (row === undefined) return false
    this.#removeDelay(consumer, number, row)
    this.#pending.remove([consumer, number])
    return !CONSUMERS.some(other => this.isPending(other, number))
  }

  #removeDelay(consumer: ConsumerName, number: number, { dueMs }: Pending): void {
    if (dueMs > 0) this.#delayed.remove([consumer, dueMs, number])
  }

  /** Up to `limit` never delayed messages from `from` on that are not skipped, and where to go on looking. */
  fresh(consumer: ConsumerName, from: number, limit: number, skip: ReadonlyMap<number, unknown>) {
    const numbers: number[] = []
    let next = from
    for (const { key, value } of this.#pending.getRange({ start: [consumer, from], end: [consumer, LAST] })) {
      next = key[1] + 1
      if (value.dueMs === 0 && !skip.has(key[1]) && numbers.push(key[1]) === limit) break
    }
    return { numbers, next }
  }

  /** Up to `limit` delayed messages that are not skipped, in the order of their due times. */
  delayed(consumer: ConsumerName, limit: number, skip: ReadonlyMap<number, unknown>) {
    const found: { number: number; dueMs: number }[] = []
    for (const [, dueMs, number] of this.#delayed.getKeys({ start: [consumer], end: [consumer, LAST] })) {
      if (!skip.has(number) && found.push({ number, dueMs }) === limit) break
    }
    return found
  }
}
