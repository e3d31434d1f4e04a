import type { Database } from '@spanhouse/postgres'
import { type NewEvent, recordAskedFor } from './record.ts'

/** Events of reads that wait to be recorded; further ones are dropped. */
const READ_EVENTS_MAX = 10_000
/** Recorded by one statement. */
const BATCH_MAX = 1_000
const FLUSH_MS = 100

export interface ReadEventsOptions {
  /** Called with the number of events that were dropped: the queue was full, or the database failed. */
  onDropped(count: number): void
}

/**
 * Events of reads. A read never waits for them: they are kept in memory and recorded in batches shortly after, if a
 * subscription asks for them. At most once: a process that is killed, a database that fails and a full queue lose them.
 */
export class ReadEvents {
  readonly #db: Database
  readonly #options: ReadEventsOptions
  #waiting: NewEvent[] = []
  #flushing: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(db: Database, options: ReadEventsOptions) {
    this.#db = db
    this.#options = options
  }

  note(event: NewEvent): void {
    if (this.#waiting.length >= READ_EVENTS_MAX) {
      this.#options.onDropped(1)
      return
    }
    this.#waiting.push(event)
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#flushing ??= this.#flush().finally(() => {
        this.#flushing = undefined
      })
    }, FLUSH_MS)
  }

  /** Records what is waiting. */
  async close(): Promise<void> {
    clearTimeout(this.#timer)
    await this.#flushing
    await this.#flush()
  }

  async #flush(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, BATCH_MAX)
      this.#waiting = this.#waiting.slice(BATCH_MAX)
      await recordAskedFor(this.#db, batch).catch(() => this.#options.onDropped(batch.length))
    }
  }
}
