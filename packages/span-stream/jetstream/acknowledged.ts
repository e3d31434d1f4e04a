import type { Connection } from './connection.ts'
import type { Shelf } from './topology.ts'

interface Settled {
  sequence: number
  /** Where it was acknowledged; null when it was not a consumer that delivered it. */
  reply: string | null
}

/** nats-server writes what was removed from a stream to disk every two minutes. */
const REMEMBER_MS = 150_000
const REMEMBER_MAX = 200_000
/** Messages in a row before the server is given time to take them. */
const FLUSH_EVERY = 10_000

/**
 * Settles again when the server was away. It confirms an acknowledgement and a removal before they are on disk, and before
 * 2.10 it writes consumers and streams at different times. After it was killed, a consumer may wait for messages that are
 * not in the stream any more, and the stream may hold messages that were done with. To acknowledge and remove once more
 * what was settled within the last minutes puts both right, and changes nothing else.
 */
export class Acknowledged {
  readonly #connection: Connection
  readonly #stream: string
  /** The older half and the younger half of the time they are kept. */
  #generations: [Settled[], Settled[]] = [[], []]
  #since = performance.now()
  #due = false

  constructor(connection: Connection, { stream }: Shelf) {
    this.#connection = connection
    this.#stream = stream
    connection.onBack(() => {
      this.#due = true
    })
  }

  remember(settled: Settled): void {
    if (!this.#connection.losesTrack) return
    const now = performance.now()
    if (now - this.#since > REMEMBER_MS || this.#generations[1].length >= REMEMBER_MAX) {
      this.#generations = [this.#generations[1], []]
      this.#since = now
    }
    this.#generations[1].push(settled)
  }

  /** Resolves when the server has everything again, at once when it was not away. */
  async repeat(): Promise<void> {
    if (!this.#due) return
    this.#due = false
    let sent = 0
    for (const { reply, sequence } of this.#generations.flat()) {
      if (!this.#connection.up) return
      if (reply !== null) this.#connection.nats.publish(reply, '+ACK')
      // Nobody waits for the answer: most are gone already.
      const removal = JSON.stringify({ seq: sequence, no_erase: true })
      this.#connection.nats.publish(`$JS.API.STREAM.MSG.DELETE.${this.#stream}`, removal)
      if (++sent % FLUSH_EVERY === 0) await this.#flush()
    }
    await this.#flush()
  }

  #flush(): Promise<void> {
    return this.#connection.ask(() => this.#connection.nats.flush())
  }
}
