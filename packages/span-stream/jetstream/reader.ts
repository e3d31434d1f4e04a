import type { Msg } from '@nats-io/transport-node'
import { Bell } from '../bell.ts'
import type { Source } from '../gather.ts'
import type { DeliveriesOptions, Delivery } from '../span-stream.ts'
import { type Fetched, fromLeftover, toFetched } from './fetched.ts'
import { Leftovers } from './leftovers.ts'
import type { Positions } from './positions.ts'
import { Puller } from './puller.ts'
import { Settlement, type SettlementParts } from './settlement.ts'

export interface ReaderParts extends SettlementParts {
  positions: Positions
  ackWaitMs: number
}

/** Messages asked for at once in a partition, and messages waiting to be handed out. */
const ASKED_MAX = 64
const WAITING_MAX = 1_000
/** Time for the pullers to end. */
const END_MS_MAX = 3_000

/**
 * One iteration of one consumer over some partitions: a Puller for each fills one queue, from which batches are taken.
 * What was fetched is held by the Settlement until it is settled.
 */
export class JetStreamReader implements Source<Fetched> {
  readonly #parts: ReaderParts
  readonly #options: DeliveriesOptions
  readonly #bell = new Bell()
  readonly #pullers: ReadonlyMap<number, Puller>
  readonly #settlement: Settlement
  readonly #timer: NodeJS.Timeout
  readonly #forget: () => void
  readonly #queue: Fetched[] = []
  #waitingBytes = 0
  #starting = 0
  #beatAt = performance.now()
  readonly #leftovers: Leftovers
  #ended: Promise<void> | undefined

  /** `options.signal` ends the iteration, whoever wants that. */
  constructor(parts: ReaderParts, options: DeliveriesOptions) {
    this.#parts = parts
    this.#options = options
    this.#pullers = new Map(options.partitions.map(partition => [partition, this.#puller(partition)]))
    this.#settlement = new Settlement(parts, {
      consumer: options.consumer,
      signal: options.signal,
      onRetried: (sequence, delayMs) => this.#leftovers.retried(sequence, delayMs),
    })
    this.#leftovers = new Leftovers(parts.storage, parts.topology, {
      consumer: options.consumer,
      partitions: options.partitions,
      ackWaitMs: parts.ackWaitMs,
      holds: sequence => this.#settlement.holds(sequence),
      isFull: () => this.#full || this.#ended !== undefined,
      onFound: (stored, wasSettled) =>
        this.#add(fromLeftover(stored, { wasSettled, outages: parts.connection.outages })),
    })
    this.#timer = setInterval(() => this.#tick(), Math.min(1_000, parts.ackWaitMs / 6))
    this.#forget = parts.connection.onBack(() => void this.#start())
    void this.#start()
  }

  /** Begins to fetch, at first or again. */
  async #start(): Promise<void> {
    this.#starting++
    for (const puller of this.#pullers.values()) puller.reset()
    // When the server is away again, this is done when it is back.
    await this.#parts.positions.ready().catch(() => undefined)
    this.#starting--
    this.#leftovers.reset()
    this.#fetch()
  }

  #puller(partition: number): Puller {
    const { connection, topology } = this.#parts
    return new Puller(connection.nats, {
      stream: topology.live.stream,
      durable: topology.durable(this.#options.consumer, partition),
      onMessage: message => this.#receive(message),
      onIdle: () => this.#fetch(),
    })
  }

  /** Asks for as much as is sure to fit: what is waiting and asked for stays near the size of one batch. */
  #fetch(): void {
    if (this.#ended || this.#starting > 0 || this.#full) return
    const fitting = Math.floor(this.#options.bytesMax / (this.#pullers.size * this.#parts.connection.payloadBytesMax))
    for (const puller of this.#pullers.values()) puller.ask(Math.min(ASKED_MAX, Math.max(1, fitting)))
  }

  get #full(): boolean {
    return this.#queue.length >= WAITING_MAX || this.#waitingBytes >= this.#options.bytesMax
  }

  #receive(message: Msg): void {
    const fetched = toFetched(message, this.#parts.connection.outages)
    this.#leftovers.arrived(fetched.sequence)
    this.#add(fetched)
  }

  #add(fetched: Fetched): void {
    if (!this.#settlement.hold(fetched)) return
    this.#queue.push(fetched)
    this.#waitingBytes += fetched.data.length
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

  peek(): Fetched | undefined {
    return this.#queue[0]
  }

  take(): void {
    this.#waitingBytes -= this.#queue.shift()?.data.length ?? 0
    this.#fetch()
  }

  changed(msMax: number): Promise<void> {
    return this.#bell.wait(msMax)
  }

  /** Makes `changed` resolve. */
  wake(): void {
    this.#bell.ring()
  }

  /** The deliveries of a batch. What cannot be delivered is buried, or comes again. */
  deliver(batch: readonly Fetched[]): Promise<Delivery[]> {
    return this.#settlement.deliver(batch)
  }

  /** Gives back everything that is not settled, also what is on its way. */
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
