import type { ConsumerInfo, StoredMsg } from '@nats-io/jetstream'
import type { Msg, MsgHdrs, NatsConnection } from '@nats-io/transport-node'
import { microsNow, NIL_UUID } from '@spanhouse/model'
import { refusal } from '../admission.ts'
import { Bell } from '../bell.ts'
import type { Sized, Source } from '../gather.ts'
import { createDelivery } from '../settle.ts'
import type { DeliveriesOptions, Delivery, SpanMessage } from '../span-stream.ts'
import type { Acknowledged } from './acknowledged.ts'
import { type Connection, REQUEST_MS_MAX } from './connection.ts'
import type { DeadLetters } from './dead-letters.ts'
import { fromHeaders, type Metadata } from './headers.ts'
import { Puller } from './puller.ts'
import type { Storage } from './storage.ts'
import type { Topology } from './topology.ts'

interface Fetched extends Sized {
  sequence: number
  attempt: number
  subject: string
  headers: MsgHdrs | undefined
  data: Uint8Array
  metadata: Metadata | null
  /** Where to settle it. The server names a new place with each delivery. Null for a leftover: no consumer has it. */
  reply: string | null
  /** A leftover that its consumer has acknowledged: it was stored, and its parts may be gone. */
  wasSettled?: boolean
  /** Until when the server is told that it is being worked on. */
  untilMs: number
}

export interface ReaderParts {
  connection: Connection
  storage: Storage
  topology: Topology
  letters: DeadLetters
  acknowledged: Acknowledged
  ackWaitMs: number
  holdMs: number
}

/** Messages asked for at once in a partition, and messages waiting to be handed out. */
const ASKED_MAX = 64
const WAITING_MAX = 1_000
/** Wait before a message comes again whose parts could not be read, or that could not be buried. */
const FAILED_MS = 1_000
/** How long a partition with new messages may be silent before it is nudged, and how often at a time. */
const SILENT_MS = 2_000
const NUDGES_MAX = 256
/** Removals under way at once. From 2.10 on a server throws away all that wait when they are ten thousand. */
const REMOVALS_MAX = 128
/** How often it is looked for leftovers. */
const LEFTOVERS_MS = 5_000
/** Acknowledgement times until a consumer must have delivered again what it had delivered to somebody else. */
const PASSED_OVER_AFTER = 2
/** A leftover has been delivered before, or its consumer passed over it. */
const LEFTOVER_ATTEMPT = 2
/** Time for the pullers to end. */
const END_MS_MAX = 3_000

/**
 * One iteration of one consumer over some partitions: a Puller for each fills one queue, from which batches are taken.
 * `#held` has every message that was fetched and not settled. The server is told regularly that these are being worked
 * on, or it would deliver them again; one that it delivers again all the same is not handed out twice.
 */
export class JetStreamReader implements Source<Fetched> {
  readonly #parts: ReaderParts
  readonly #options: DeliveriesOptions
  readonly #bell = new Bell()
  readonly #pullers: ReadonlyMap<number, Puller>
  readonly #held = new Map<number, Fetched>()
  readonly #timer: NodeJS.Timeout
  readonly #forget: () => void
  readonly #queue: Fetched[] = []
  #waitingBytes = 0
  #starting = 0
  #nudging = false
  #beatAt = performance.now()
  #leftoversAt = 0
  #collecting = false
  /** Where the consumer of a partition stood, and when that was noted. */
  readonly #noted = new Map<number, { position: number; at: number }>()
  /** When what was retried comes again. */
  readonly #retried = new Map<number, number>()
  readonly #removals: Promise<unknown>[] = Array.from({ length: REMOVALS_MAX }, () => Promise.resolve())
  #removed = 0
  #ended: Promise<void> | undefined

  /** `options.signal` ends the iteration, whoever wants that. */
  constructor(parts: ReaderParts, options: DeliveriesOptions) {
    this.#parts = parts
    this.#options = options
    this.#pullers = new Map(options.partitions.map(partition => [partition, this.#puller(partition)]))
    this.#timer = setInterval(() => this.#tick(), Math.min(1_000, parts.ackWaitMs / 6))
    this.#forget = parts.connection.onBack(() => void this.#start())
    void this.#start()
  }

  /** Begins to fetch, at first or again. */
  async #start(): Promise<void> {
    this.#starting++
    for (const puller of this.#pullers.values()) puller.reset()
    // When the server is away again, this is done when it is back.
    await this.#prepare().catch(() => undefined)
    this.#starting--
    this.#leftoversAt = 0
    this.#noted.clear()
    this.#fetch()
    await this.#nudge(0).catch(() => undefined)
  }

  /** Asks for the consumers first: those that the server has lost are created again, and a request to none is not answered. */
  async #prepare(): Promise<void> {
    await Promise.all(Array.from(this.#pullers.keys(), partition => this.#consumer(partition)))
    await this.#parts.acknowledged.repeat()
  }

  #consumer(partition: number): Promise<ConsumerInfo> {
    const { storage, topology } = this.#parts
    return storage.consumer(topology.live, topology.durable(this.#options.consumer, partition))
  }

  get #nats(): NatsConnection {
    return this.#parts.connection.nats
  }

  #puller(partition: number): Puller {
    const { topology } = this.#parts
    return new Puller(this.#nats, {
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
    const fetched = toFetched(message)
    this.#retried.delete(fetched.sequence)
    const known = this.#held.get(fetched.sequence)
    if (known) known.reply = fetched.reply
    else this.#add(fetched)
  }

  #add(fetched: Fetched): void {
    this.#held.set(fetched.sequence, fetched)
    this.#queue.push(fetched)
    this.#waitingBytes += fetched.data.length
    this.#bell.ring()
  }

  #tick(): void {
    const { connection, ackWaitMs } = this.#parts
    if (!connection.up) return
    if (performance.now() - this.#beatAt >= ackWaitMs / 3) this.#beat()
    this.#fetch()
    void this.#nudge(SILENT_MS).catch(() => undefined)
    void this.#collectLeftovers().catch(() => undefined)
  }

  /**
   * Delivers what the stream holds and its consumer will never deliver: up to the position to which a consumer has all
   * acknowledged. After a server was killed that is what was done with shortly before, which comes again and does no harm;
   * it would also be what a consumer passed over by mistake. One request for each partition where there is nothing.
   *
   * That position may never move again: nats-server 2.9, killed, comes back with consumers that wait for messages the stream
   * does not have any more. So what has stood for long before the position to which a consumer has delivered is
   * delivered, too, unless it is held here or was retried.
   */
  async #collectLeftovers(): Promise<void> {
    if (this.#collecting || this.#ended || this.#starting > 0) return
    if (performance.now() - this.#leftoversAt < LEFTOVERS_MS) return
    this.#collecting = true
    try {
      for (const partition of this.#pullers.keys()) await this.#collectLeftoversOf(partition)
      this.#leftoversAt = performance.now()
    } finally {
      this.#collecting = false
    }
  }

  async #collectLeftoversOf(partition: number): Promise<void> {
    const { storage, topology } = this.#parts
    const subject = topology.subject(partition)
    let stored = await storage.next(topology.live, subject, 1)
    if (stored === null) return
    const { ack_floor, delivered } = await this.#consumer(partition)
    const passed = Math.max(ack_floor.stream_seq, this.#passedOver(partition, delivered.stream_seq))
    while (stored !== null && stored.seq <= passed && !this.#full && !this.#ended) {
      // What was not held when it was asked for may have been settled meanwhile: then it comes once more, which does no harm.
      const wasSettled = stored.seq <= ack_floor.stream_seq
      if (!this.#held.has(stored.seq) && !this.#waits(stored.seq)) this.#add(toLeftover(stored, wasSettled))
      stored = await storage.next(topology.live, subject, stored.seq + 1)
    }
  }

  /** The position where the consumer of a partition stood so long ago that nothing before it is still to come from there. */
  #passedOver(partition: number, delivered: number): number {
    const noted = this.#noted.get(partition)
    const now = performance.now()
    if (noted && now - noted.at < this.#parts.ackWaitMs * PASSED_OVER_AFTER) return 0
    this.#noted.set(partition, { position: delivered, at: now })
    return noted?.position ?? 0
  }

  /** Whether it was retried and its time has not come. */
  #waits(sequence: number): boolean {
    if ((this.#retried.get(sequence) ?? 0) > Date.now()) return true
    this.#retried.delete(sequence)
    return false
  }

  /** Tells the server that what is held is being worked on, and gives back what was held too long. */
  #beat(): void {
    this.#beatAt = performance.now()
    for (const fetched of this.#held.values()) {
      if (fetched.untilMs <= Date.now()) this.#giveBack(fetched, 0)
      else if (fetched.reply !== null) this.#nats.publish(fetched.reply, '+WPI')
    }
  }

  /** Looks after partitions from which nothing comes, for `silentMs` at least, although something should. */
  async #nudge(silentMs: number): Promise<void> {
    const { connection } = this.#parts
    if (!connection.losesTrack || this.#nudging) return
    this.#nudging = true
    try {
      for (const [partition, puller] of this.#pullers) {
        if (this.#ended || puller.silentMs < silentMs) continue
        const info = await this.#consumer(partition)
        const unsettled = info.num_ack_pending - this.#heldOf(partition)
        const patience = info.num_pending > 0 ? silentMs : silentMs * 4
        if (unsettled > 0 && puller.silentMs >= patience) await puller.nudge(Math.min(NUDGES_MAX, unsettled))
      }
    } finally {
      this.#nudging = false
    }
  }

  #heldOf(partition: number): number {
    const subject = this.#parts.topology.subject(partition)
    return Iterator.from(this.#held.values())
      .filter(fetched => fetched.subject === subject && fetched.reply !== null)
      .toArray().length
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
  async deliver(batch: readonly Fetched[]): Promise<Delivery[]> {
    const deliveries = await Promise.all(batch.map(fetched => this.#deliver(fetched)))
    return deliveries.filter(delivery => delivery !== null)
  }

  async #deliver(fetched: Fetched): Promise<Delivery | null> {
    const { storage, topology, holdMs } = this.#parts
    const { headers, data, metadata } = fetched
    fetched.untilMs = Date.now() + holdMs
    try {
      if (metadata === null) return await this.#bury(fetched, 'The message is not one of Spanhouse')
      const body = await storage.body(topology.live, headers, data)
      if (body?.length !== metadata.bodyBytes) return await this.#withoutParts(fetched)
      return this.#delivery(fetched, toMessage(metadata, body))
    } catch {
      // The server is away or the dead letters are full. The message is safe; it must not stop those behind it.
      this.#giveBack(fetched, FAILED_MS)
      return null
    }
  }

  /** A killed server brings back what was removed last, but not always the parts of it. */
  async #withoutParts(fetched: Fetched): Promise<null> {
    if (!fetched.wasSettled) return this.#bury(fetched, 'Parts of the message are gone')
    await this.#finish(fetched)
    return null
  }

  async #bury(fetched: Fetched, reason: string): Promise<null> {
    const message = toMessage(fetched.metadata ?? unknownMetadata(fetched), fetched.data)
    await this.#reject(fetched, message, reason)
    return null
  }

  #delivery(fetched: Fetched, message: SpanMessage): Delivery {
    const delivery: Delivery = {
      message,
      sequence: fetched.sequence,
      attempt: fetched.attempt,
      ack: () => this.#finish(fetched),
      retry: delayMs => this.#retry(fetched, delayMs),
      reject: reason => this.#reject(fetched, message, reason),
    }
    return createDelivery(delivery, this.#options.signal)
  }

  async #reject(fetched: Fetched, message: SpanMessage, reason: string): Promise<void> {
    const { sequence, attempt } = fetched
    await this.#parts.letters.add(message, { consumer: this.#options.consumer, sequence, attempt, reason })
    await this.#finish(fetched)
  }

  /** Nobody else removes it: what is in the stream is to be stored. */
  async #finish(fetched: Fetched): Promise<void> {
    const { storage, topology, acknowledged } = this.#parts
    const { sequence, reply, headers } = fetched
    await this.#confirm(fetched, '+ACK')
    if (reply === null) this.#acknowledgeLeftover(fetched)
    await this.#remove(sequence)
    acknowledged.remember({ sequence, reply })
    this.#held.delete(sequence)
    // What fails here is done by the sweeper later.
    await storage.removeParts(topology.live, headers).catch(() => undefined)
  }

  /** Its consumer may wait for it all the same, and would wait for ever. The server ignores this when it does not. */
  #acknowledgeLeftover({ sequence, subject }: Fetched): void {
    const { connection, topology } = this.#parts
    const durable = topology.durable(this.#options.consumer, partitionIn(subject))
    if (connection.up) this.#nats.publish(`$JS.ACK.${topology.live.stream}.${durable}.1.${sequence}.0.0.0`, '+ACK')
  }

  /** Behind the one that was asked for so many removals ago. */
  #remove(sequence: number): Promise<boolean> {
    const { storage, topology } = this.#parts
    const lane = this.#removed++ % REMOVALS_MAX
    const removal = (this.#removals[lane] as Promise<unknown>).then(() => storage.remove(topology.live, sequence))
    this.#removals[lane] = removal.catch(() => undefined)
    return removal
  }

  async #retry(fetched: Fetched, delayMs: number): Promise<void> {
    if (fetched.reply === null) return this.#giveBack(fetched, delayMs)
    await this.#confirm(fetched, nak(delayMs))
    this.#held.delete(fetched.sequence)
    if (delayMs > 0) this.#retried.set(fetched.sequence, Date.now() + delayMs)
  }

  /** Settles a message and waits until the server has confirmed that. */
  async #confirm({ reply }: Fetched, how: string): Promise<void> {
    if (reply === null) return
    const request = () => this.#nats.request(reply, how, { timeout: REQUEST_MS_MAX })
    await this.#parts.connection.ask(request).catch(error => {
      throw refusal('unreachable', error)
    })
  }

  /** A leftover is found again when nobody holds it. */
  #giveBack({ sequence, reply }: Fetched, delayMs: number): void {
    if (reply === null) {
      setTimeout(() => this.#held.delete(sequence), delayMs).unref()
      return
    }
    this.#held.delete(sequence)
    if (delayMs > 0) this.#retried.set(sequence, Date.now() + delayMs)
    if (this.#parts.connection.up) this.#nats.publish(reply, nak(delayMs))
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
    const unsettled = [...this.#held.values()].sort((one, other) => one.sequence - other.sequence)
    for (const fetched of unsettled) this.#giveBack(fetched, 0)
  }
}

const partitionIn = (subject: string): number => Number(subject.split('.').at(-1))

const nak = (delayMs: number): string =>
  delayMs > 0 ? `-NAK ${JSON.stringify({ delay: Math.round(delayMs * 1e6) })}` : '-NAK'

/**
 * `$JS.ACK.[DOMAIN.ACCOUNT.]STREAM.CONSUMER.DELIVERED.STREAM_SEQUENCE.CONSUMER_SEQUENCE.TIME.PENDING[.RANDOM]`, see
 * ADR-15 of the NATS architecture.
 */
function toFetched(message: Msg): Fetched {
  const { subject, headers, data, reply = '' } = message
  const tokens = reply.split('.')
  const at = tokens.length === 9 ? 4 : 6
  const [attempt, sequence] = [Number(tokens[at]), Number(tokens[at + 1])]
  return { ...sized(headers, data), subject, reply, attempt, sequence, untilMs: Number.POSITIVE_INFINITY }
}

const toLeftover = ({ subject, header, data, seq }: StoredMsg, wasSettled: boolean): Fetched => ({
  ...sized(header, data),
  wasSettled,
  subject,
  reply: null,
  attempt: LEFTOVER_ATTEMPT,
  sequence: seq,
  untilMs: Number.POSITIVE_INFINITY,
})

function sized(headers: MsgHdrs | undefined, data: Uint8Array) {
  const metadata = fromHeaders(headers)
  return { headers, data, metadata, spans: metadata?.span_count ?? 0, bytes: metadata?.bodyBytes ?? data.length }
}

const toMessage = ({ bodyBytes, ...rest }: Metadata, body: Uint8Array): SpanMessage => ({ ...rest, body })

const unknownMetadata = ({ sequence, subject, data }: Fetched): Metadata => ({
  id: `unknown-${sequence}`,
  partition: partitionIn(subject),
  project_id: NIL_UUID,
  user_id: NIL_UUID,
  accepted_at: microsNow(),
  span_count: 0,
  format: 'otlp',
  bodyBytes: data.length,
})
