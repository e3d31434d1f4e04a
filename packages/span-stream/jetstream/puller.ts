import { setTimeout as sleep } from 'node:timers/promises'
import { createInbox, type Msg, type NatsConnection, nanos, type Subscription } from '@nats-io/transport-node'

/** How long the server keeps a request for messages before it answers that there are none. */
const EXPIRES_MS = 10_000
/** A request that heard nothing for so long is lost, for instance in a restart of the server. */
const LOST_MS = EXPIRES_MS + 5_000
/** Wait before asking again when the server could not answer: the consumer is missing, or has no leader. */
const PAUSE_MS = 500

/** How long the request of a nudge is kept, and the time between two. */
const NUDGE_MS = 200
const NUDGE_EVERY_MS = 3
/** Time for the messages on their way to arrive when a puller ends. */
const DRAIN_MS_MAX = 2_000

const REQUEST_TIMEOUT = 408

export interface PullerOptions {
  stream: string
  durable: string
  onMessage: (message: Msg) => void
  /** The server has answered the last request in full. */
  onIdle: () => void
}

/**
 * Fetches from one durable consumer, one request at a time. The library's own `fetch` drops what is on its way when it
 * is stopped, which would come again only after the acknowledgement time; `drain` here hands it over first.
 * Protocol: https://docs.nats.io/reference/reference-protocols/nats_api_reference, CONSUMER.MSG.NEXT.
 */
export class Puller {
  readonly #nats: NatsConnection
  readonly #options: PullerOptions
  readonly #subscription: Subscription
  /** Where nudges are answered; only messages matter. */
  readonly #nudged: Subscription
  #expected = 0
  #lostAt = 0
  #pausedUntil = 0
  #heardAt = performance.now()

  constructor(nats: NatsConnection, options: PullerOptions) {
    this.#nats = nats
    this.#options = options
    this.#subscription = nats.subscribe(createInbox(), {
      callback: (error, message) => (error ? this.#failed() : this.#receive(message)),
    })
    this.#nudged = nats.subscribe(createInbox(), {
      callback: (error, message) => {
        if (!error && !message.headers?.code) options.onMessage(message)
      },
    })
  }

  #receive(message: Msg): void {
    const status = message.headers?.code ?? 0
    this.#heardAt = performance.now()
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

  /** Asks for up to `count` messages, unless a request is under way or the server has just failed. */
  ask(count: number): void {
    const now = performance.now()
    if ((this.#expected > 0 && now < this.#lostAt) || now < this.#pausedUntil || this.#nats.isClosed()) return
    this.#expected = count
    this.#lostAt = now + LOST_MS
    this.#heardAt = now
    this.#request(this.#subscription, { batch: count, expires: nanos(EXPIRES_MS) })
  }

  #request(subscription: Subscription, request: { batch: number; expires: number }): void {
    const { stream, durable } = this.#options
    const reply = subscription.getSubject()
    this.#nats.publish(`$JS.API.CONSUMER.MSG.NEXT.${stream}.${durable}`, JSON.stringify(request), { reply })
  }

  /** How long a request has been under way without an answer. */
  get silentMs(): number {
    return this.#expected > 0 ? performance.now() - this.#heardAt : 0
  }

  /**
   * Makes the server look again, `count` times. After it was killed, a consumer of nats-server before 2.10 may wait for
   * messages that do not exist any more. Before it delivers anything else it tries one of those at each look, and it
   * looks only when something happens. So requests happen, one by one: of several at once it notices one.
   */
  async nudge(count: number): Promise<void> {
    for (let nudge = 0; nudge < count && !this.#nudged.isClosed() && !this.#nudged.isDraining(); nudge++) {
      this.#request(this.#nudged, { batch: 1, expires: nanos(NUDGE_MS) })
      await sleep(NUDGE_EVERY_MS)
    }
  }

  /** Forgets the request under way: a server that was gone does not know it any more. */
  reset(): void {
    this.#expected = 0
    this.#pausedUntil = 0
  }

  /**
   * Resolves when no more messages come and the server has forgotten the request under way. Asking for the consumer's
   * state makes it do so. Otherwise nats-server 2.9 takes a message that is given back, finds the request without
   * anybody behind it, and delivers that message only after the acknowledgement time.
   */
  async drain(): Promise<void> {
    await Promise.all([this.#subscription.drain(), this.#nudged.drain()])
    const { stream, durable } = this.#options
    await this.#nats.request(`$JS.API.CONSUMER.INFO.${stream}.${durable}`, undefined, { timeout: DRAIN_MS_MAX })
  }

  stop(): void {
    this.#subscription.unsubscribe()
    this.#nudged.unsubscribe()
  }
}
