import { CONSUMERS } from '../span-stream.ts'
import type { Connection } from './connection.ts'
import type { Storage } from './storage.ts'
import type { Topology } from './topology.ts'

/**
 * Keeps the positions of the live stream ahead of its consumers. A killed server may return with positions that have
 * gone back (see Leftovers), and a message stored at one of them is lost if the server is killed again before it is
 * processed. So after each connection, nothing is published or fetched until the positions up to the consumers' are
 * used up.
 */
export class Positions {
  readonly #connection: Connection
  readonly #storage: Storage
  readonly #topology: Topology
  #checked: { outages: number; done: Promise<void> } | undefined

  constructor(connection: Connection, storage: Storage, topology: Topology) {
    this.#connection = connection
    this.#storage = storage
    this.#topology = topology
  }

  /** Resolves when the stream is ahead, which is checked once per connection. Rejects with a Problem `overloaded`. */
  ready(): Promise<void> {
    const { outages } = this.#connection
    if (this.#checked?.outages !== outages) {
      const done = this.#check()
      this.#checked = { outages, done }
      done.catch(() => {
        if (this.#checked?.done === done) this.#checked = undefined
      })
    }
    return this.#checked.done
  }

  /** Requesting a consumer that the server has lost creates it again. */
  async #check(): Promise<void> {
    const { live } = this.#topology
    const queues = this.#topology.queues()
    const durables = CONSUMERS.flatMap(consumer => queues.map(queue => this.#topology.durable(consumer, queue)))
    const consumers = await Promise.all(durables.map(durable => this.#storage.consumer(live, durable)))
    await this.#storage.advance(live, Math.max(0, ...consumers.map(({ delivered }) => delivered.stream_seq)))
  }
}
