import type { Connection } from './connection.ts'

/** nats-server writes what was removed from a stream to disk every two minutes. */
const REMEMBER_MS = 150_000
const REMEMBER_MAX = 200_000
/** Messages in a row before the server is given time to take them. */
const FLUSH_EVERY = 10_000

/**
 * Acknowledges again when the server was away. It confirms an acknowledgement before that is on disk, and before 2.10 it
 * writes consumers and streams at different times. After it was killed, a consumer may wait for messages that are not in
 * the stream any more, and the stream may hold messages that no consumer waits for: those would stay for ever. To
 * acknowledge once more what was acknowledged within the last minutes puts both right, and changes nothing else.
 */
export class Acknowledged {
  readonly #connection: Connection
  /** Reply subjects, the older half and the younger half of the time they are kept. */
  #generations: [string[], string[]] = [[], []]
  #since = performance.now()
  #due = false

  constructor(connection: Connection) {
    this.#connection = connection
    connection.onBack(() => {
      this.#due = true
    })
  }

  remember(reply: string): void {
    if (!this.#connection.losesTrack) return
    const now = performance.now()
    if (now - this.#since > REMEMBER_MS || this.#generations[1].length >= REMEMBER_MAX) {
      this.#generations = [this.#generations[1], []]
      this.#since = now
    }
    this.#generations[1].push(reply)
  }

  /** Resolves when the server has everything again, at once when it was not away. */
  async repeat(): Promise<void> {
    if (!this.#due) return
    this.#due = false
    let sent = 0
    for (const reply of this.#generations.flat()) {
      if (!this.#connection.up) return
      this.#connection.nats.publish(reply, '+ACK')
      if (++sent % FLUSH_EVERY === 0) await this.#flush()
    }
    await this.#flush()
  }

  #flush(): Promise<void> {
    return this.#connection.ask(() => this.#connection.nats.flush())
  }
}
