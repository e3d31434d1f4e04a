import { readdir, readFile } from 'node:fs/promises'
import type { Logger } from 'pino'
import { RepeatedLines } from '../log/repeated-lines.ts'
import type { Metrics } from '../metrics.ts'

/** Of one listener; an idle one takes up to 9 KB of memory. */
const CONNECTIONS_MAX = 10_000

/** A socket, or a session of HTTP/2. */
interface Connection {
  once(event: 'close', listener: () => void): unknown
  destroy(): unknown
}

/** Whether the whole request has been received. */
type HasArrived = () => boolean

export interface ConnectionsOptions {
  listener: 'http' | 'grpc'
  max: number
  metrics: Pick<Metrics, 'connections' | 'connectionsClosed'>
  log: Pick<Logger, 'warn'>
}

/**
 * The connections of one listener, which are bounded: once there are too many, one that waits for its client is closed
 * for each new one, so that clients who send nothing keep nobody out.
 */
export class Connections<C extends Connection> {
  readonly #options: ConnectionsOptions
  /** Those without a request, the one that has waited longest first. */
  readonly #idle = new Set<C>()
  /** The requests of all others. */
  readonly #busy = new Map<C, Set<HasArrived>>()
  readonly #lines = new RepeatedLines()

  constructor(options: ConnectionsOptions) {
    this.#options = options
  }

  /** A client has connected: another connection makes way for it if necessary, or else this one is closed. */
  add(connection: C): void {
    if (this.#idle.size + this.#busy.size >= this.#options.max) {
      const { value: waiting = connection } = this.waiting().next()
      this.#close(waiting)
      if (waiting === connection) return
    }
    this.#idle.add(connection)
    this.#count()
    connection.once('close', () => this.#forget(connection))
  }

  /** A request begins to arrive. The function that is returned ends it: it has been answered, or was aborted. */
  begin(connection: C, hasArrived: HasArrived): () => void {
    const requests = this.#busy.get(connection) ?? new Set()
    if (this.#idle.delete(connection)) this.#busy.set(connection, requests)
    requests.add(hasArrived)
    return () => {
      requests.delete(hasArrived)
      if (requests.size === 0 && this.#busy.delete(connection)) this.#idle.add(connection)
    }
  }

  /** Those that wait for their client, without a request that has arrived; first those without any. */
  *waiting(): Generator<C, undefined> {
    yield* this.#idle
    for (const [connection, requests] of this.#busy)
      if (![...requests].some(hasArrived => hasArrived())) yield connection
  }

  *[Symbol.iterator](): Generator<C> {
    yield* this.#idle
    yield* this.#busy.keys()
  }

  #close(connection: C): void {
    const { listener, max, metrics, log } = this.#options
    connection.destroy()
    this.#forget(connection)
    metrics.connectionsClosed.inc({ listener })
    const before = this.#lines.note(listener)
    if (before !== undefined)
      log.warn(
        { listener, max, notLogged: before || undefined },
        'too many connections: one was closed to make room for a new one',
      )
  }

  #forget(connection: C): void {
    this.#idle.delete(connection)
    this.#busy.delete(connection)
    this.#count()
  }

  #count(): void {
    this.#options.metrics.connections.set({ listener: this.#options.listener }, this.#idle.size + this.#busy.size)
  }
}

/**
 * How many connections each of the two listeners may have: a quarter of the file descriptors that are left once
 * everything else is open, since stores and models are reached with descriptors, too.
 */
export async function connectionsMax(): Promise<number> {
  const limits = await readFile('/proc/self/limits', 'utf8')
  const descriptors = Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY)
  const taken = (await readdir('/proc/self/fd')).length
  return Math.max(CONNECTIONS_MIN, Math.min(CONNECTIONS_MAX, Math.floor((descriptors - taken) / 4)))
}

const CONNECTIONS_MIN = 16
