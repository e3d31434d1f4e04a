import { createInbox, type Msg, type NatsConnection, nanos, type Subscription } from '@nats-io/transport-node'

/** How long the server keeps a request for messages before it responds that there are none. */
const EXPIRES_MS = 10_000
/** A request without a response for this long is lost, for instance in a restart of the server. */
const LOST_MS = EXPIRES_MS + 5_000
/** Delay before the next request if the server could not respond: the consumer is missing, or has no leader. */
const PAUSE_MS = 500

const REQUEST_TIMEOUT = 408

export interface PullerOptions {
  stream: string
  durable: string
  onMessage: (message: Msg) => void
  /** Whether the server has fully answered the last request. */
  onIdle: () => void
}

/**
 * Fetches from one durable consumer, one request at a time. The library's own `fetch` drops messages in transit when
 * stopped, and they would be redelivered only after the acknowledgement time; `drain` here delivers them first.
 * Protocol: https://docs.nats.io/reference/reference-protocols/nats_api_reference, CONSUMER.MSG.NEXT.
 */
export class Puller {
  readonly #nats: NatsConnection
  readonly #options: PullerOptions
  readonly #subscription: Subscription
  #expected = 0
  #lostAt = 0
  #pausedUntil = 0

  constructor(nats: NatsConnection, options: PullerOptions) {
    this.#nats = nats
    this.#options = options
    this.#subscription = nats.subscribe(createInbox(), {
      callback: (error, message) => (error ? this.#failed() : this.#receive(message)),
    })
  }

  #receive(message: Msg): void {
    const status = message.headers?.code ?? 0
    if (status === 0) {
      this.#expected = Math.max(0, this.#expected - 1)
      this.#lostAt = performance.now() + LOST_MS
      this.#options.onMessage(message)
    } else if (status === REQUEST_TIMEOUT) {
      this.#expected = 0
    } else {
      this.#failed()
    }
    if (this.#expected === 0) this.#options.onIdle()
  }

  #failed(): void {
    this.#expected = 0
    this.#pausedUntil = performance.now() + PAUSE_MS
  }

  /** Requests up to `count` messages, unless a request is in progress or the server has just failed. */
  ask(count: number): void {
    const now = performance.now()
    if ((this.#expected > 0 && now < this.#lostAt) || now < this.#pausedUntil || this.#nats.isClosed()) return
    this.#expected = count
    this.#lostAt = now + LOST_MS
    const { stream, durable } = this.#options
    const request = JSON.stringify({ batch: count, expires: nanos(EXPIRES_MS) })
    const reply = this.#subscription.getSubject()
    this.#nats.publish(`$JS.API.CONSUMER.MSG.NEXT.${stream}.${durable}`, request, { reply })
  }

  /** Forgets the request in progress: a server that was unavailable no longer knows it. */
  reset(): void {
    this.#expected = 0
    this.#pausedUntil = 0
  }

  /** Resolves when no more messages arrive. */
  drain(): Promise<void> {
    return this.#subscription.drain()
  }

  stop(): void {
    this.#subscription.unsubscribe()
  }
}
