import type { Msg } from '@nats-io/transport-node'
import { Bell } from '../bell.ts'
import type { Source } from '../gather.ts'
import type { Lane } from '../lanes.ts'
import type { DeliveriesOptions, Delivery } from '../span-stream.ts'
import { type Fetched, fromLeftover, toFetched } from './fetched.ts'
import { Leftovers } from './leftovers.ts'
import type { Positions } from './positions.ts'
import { Puller } from './puller.ts'
import { Settlement, type SettlementParts } from './settlement.ts'
import { type Queue, queuesOf } from './topology.ts'

export interface ReaderParts extends SettlementParts {
  positions: Positions
  ackWaitMs: number
}

/** Messages requested at once in a queue, and messages of a lane waiting to be delivered. */
const ASKED_MAX = 64
const WAITING_MAX = 1_000
/** Time for the pullers to stop. */
const END_MS_MAX = 3_000

/**
 * One iteration of one consumer over some partitions: a Puller for each lane of each partition fills the list of its
 * lane, from which batches are taken. The Settlement holds fetched messages until they are settled.
 */
export class JetStreamReader implements Source<Fetched> {
  readonly #parts: ReaderParts
  readonly #options: DeliveriesOptions
  readonly #bell = new Bell()
  readonly #pullers: ReadonlyMap<Queue, Puller>
  readonly #settlement: Settlement
  readonly #timer: NodeJS.Timeout
  readonly #forget: () => void
  readonly #waiting: Record<Lane, Fetched[]> = { prompt: [], bulk: [] }
  readonly #waitingBytes: Record<Lane, number> = { prompt: 0, bulk: 0 }
  #starting = 0
  #beatAt = performance.now()
  readonly #leftovers: Leftovers
  #ended: Promise<void> | undefined

  /** `options.signal` ends the iteration. */
  constructor(parts: ReaderParts, options: DeliveriesOptions) {
    this.#parts = parts
    this.#options = options
    const queues = queuesOf(options.partitions)
    this.#pullers = new Map(queues.map(queue => [queue, this.#puller(queue)]))
    this.#settlement = new Settlement(parts, {
      consumer: options.consumer,
      signal: options.signal,
      onRetried: (sequence, delayMs) => this.#leftovers.retried(sequence, delayMs),
    })
    this.#leftovers = new Leftovers(parts.storage, parts.topology, {
      consumer: options.consumer,
      queues,
      ackWaitMs: parts.ackWaitMs,
      holds: sequence => this.#settlement.holds(sequence),
      isFull: lane => this.#isFull(lane) || this.#ended !== undefined,
      onFound: (stored, { lane, wasSettled }) =>
        this.#add(lane, fromLeftover(stored, { wasSettled, outages: parts.connection.outages })),
    })
    this.#timer = setInterval(() => this.#tick(), Math.min(1_000, parts.ackWaitMs / 6))
    this.#forget = parts.connection.onBack(() => void this.#start())
    void this.#start()
  }

  /** Starts fetching, initially or after an outage. */
  async #start(): Promise<void> {
    this.#starting++
    for (const puller of this.#pullers.values()) puller.reset()
    // If the server becomes unavailable again, this runs when it is back.
    await this.#parts.positions.ready().catch(() => undefined)
    this.#starting--
    this.#leftovers.reset()
    this.#fetch()
  }

  #puller(queue: Queue): Puller {
    const { connection, topology } = this.#parts
    return new Puller(connection.nats, {
      stream: topology.live.stream,
      durable: topology.durable(this.#options.consumer, queue),
      onMessage: message => this.#receive(queue.lane, message),
      onIdle: () => this.#fetch(),
    })
  }

  /**
   * Requests only as much as is sure to fit: a lane's messages waiting and requested stay near the size of one batch.
   */
  #fetch(): void {
    if (this.#ended || this.#starting > 0) return
    const { bytesMax, partitions } = this.#options
    const fitting = Math.floor(bytesMax / (partitions.length * this.#parts.connection.payloadBytesMax))
    for (const [{ lane }, puller] of this.#pullers)
      if (!this.#isFull(lane)) puller.ask(Math.min(ASKED_MAX, Math.max(1, fitting)))
  }

  #isFull(lane: Lane): boolean {
    return this.#waiting[lane].length >= WAITING_MAX || this.#waitingBytes[lane] >= this.#options.bytesMax
  }

  #receive(lane: Lane, message: Msg): void {
    const fetched = toFetched(message, this.#parts.connection.outages)
    this.#leftovers.arrived(fetched.sequence)
    this.#add(lane, fetched)
  }

  #add(lane: Lane, fetched: Fetched): void {
    if (!this.#settlement.hold(fetched)) return
    this.#waiting[lane].push(fetched)
    this.#waitingBytes[lane] += fetched.data.length
    this.#bell.ring()
  }

  #tick(): void {
    const { connection, ackWaitMs } = this.#parts
    if (!connection.up) return
    if (performance.now() - this.#beatAt >= ackWaitMs / 3) {
      this.#beatAt = performance.now()
      this.#settlement.beat()
    }
    this.#fetch()
    if (this.#starting === 0) void this.#leftovers.search().catch(() => undefined)
  }

  peek(lane: Lane): Fetched | undefined {
    return this.#waiting[lane][0]
  }

  take(lane: Lane): void {
    this.#waitingBytes[lane] -= this.#waiting[lane].shift()?.data.length ?? 0
    this.#fetch()
  }

  changed(msMax: number): Promise<void> {
    return this.#bell.wait(msMax)
  }

  /** Makes `changed` resolve. */
  wake(): void {
    this.#bell.ring()
  }

  /** The deliveries of a batch. Messages that cannot be delivered become dead letters, or are retried. */
  deliver(batch: readonly Fetched[]): Promise<Delivery[]> {
    return this.#settlement.deliver(batch)
  }

  /** Returns all unsettled messages to the server, including those in transit. */
  end(): Promise<void> {
    this.#ended ??= this.#end()
    return this.#ended
  }

  async #end(): Promise<void> {
    this.#forget()
    if (this.#parts.connection.up) {
      const drained = Promise.allSettled(Array.from(this.#pullers.values(), puller => puller.drain()))
      await Promise.race([drained, new Promise(resolve => setTimeout(resolve, END_MS_MAX).unref())])
    } else {
      for (const puller of this.#pullers.values()) puller.stop()
    }
    clearInterval(this.#timer)
    this.#settlement.giveBackAll()
  }
}
