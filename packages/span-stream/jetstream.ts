import { jetstreamManager } from '@nats-io/jetstream'
import { RequestError, TimeoutError } from '@nats-io/transport-node'
import { BULK_SHARE, checkMessage, IN_FLIGHT_BYTES_MAX, InFlight, refusal } from './admission.ts'
import { Batches } from './gather.ts'
import { openConnection, REQUEST_MS_MAX } from './jetstream/connection.ts'
import { DeadLetters } from './jetstream/dead-letters.ts'
import { metadataOf, toHeaders } from './jetstream/headers.ts'
import { Positions } from './jetstream/positions.ts'
import { JetStreamReader, type ReaderParts } from './jetstream/reader.ts'
import { type ShelfState, Storage, settleAll } from './jetstream/storage.ts'
import { Sweeper } from './jetstream/sweeper.ts'
import { ensureTopology, noteInstallation, Topology } from './jetstream/topology.ts'
import { type Lane, Pace } from './lanes.ts'
import { HOLD_MS } from './settle.ts'
import type {
  DeadLetter,
  DeliveriesOptions,
  Delivery,
  ListedLetter,
  SpanMessage,
  SpanStream,
  StreamStats,
} from './span-stream.ts'

export interface JetStreamOptions {
  /** `nats://` or `tls://`, with credentials if needed; several servers are separated by commas. */
  url: string
  partitions: number
  /**
   * The numbers of partitions that the stream had before, ascending: one that still has so few grows. Default: none.
   */
  earlier?: readonly number[]
  /** Size limit in bytes of messages not yet acknowledged; dead letters may take a quarter of it in addition. */
  bytesMax: number
  /** Replicas in a NATS cluster: 1 (default), 3 or 5. */
  replicas?: number
  /** Prefix of streams and subjects; default: `spans`. */
  name?: string
  /** Who uses the stream: it is noted there. Default: nothing is noted. */
  installation?: string
  /** Called if the stream was last opened by another installation, which would read the same messages. */
  onForeign?: () => void
  /** How long a consumer may be silent before its messages go to another; default: 30 seconds. */
  ackWaitMs?: number
  /** How long an iteration may hold an unsettled message; default: ten minutes. */
  holdMs?: number
  /**
   * Called when the streams disappeared while in use, with all messages not yet acknowledged, and were created again.
   */
  onRecreated?: () => void
}

/**
 * The span stream on NATS JetStream, for any number of processes. Creates missing streams and consumers, also later if
 * the server has lost them: the next request then creates them again. Rejects with a Problem `overloaded` if no server
 * can be reached, and with an Error if JetStream is disabled or lacks space, or if the stream exists with an unknown
 * number of partitions.
 */
export async function openJetStream(options: JetStreamOptions): Promise<SpanStream> {
  const {
    url,
    name = 'spans',
    partitions,
    earlier = [],
    bytesMax,
    replicas = 1,
    ackWaitMs = 30_000,
    holdMs = HOLD_MS,
  } = options
  const topology = new Topology(name, [...earlier, partitions])
  const connection = await openConnection(url)
  try {
    const jsm = await jetstreamManager(connection.nats, { timeout: REQUEST_MS_MAX })
    const ensure = (wanted = topology) => ensureTopology(jsm, wanted, { bytesMax, replicas, ackWaitMs })
    const storage = new Storage(connection, jsm, async () => {
      if (await ensure()) options.onRecreated?.()
    })
    await ensure()
    if (options.installation && (await noteInstallation(jsm, topology, options.installation))) options.onForeign?.()
    const positions = new Positions(connection, storage, topology)
    const letters = new DeadLetters(storage, topology, positions)
    return new JetStream({ connection, storage, topology, letters, positions, ackWaitMs, holdMs }, { bytesMax, ensure })
  } catch (error) {
    await connection.nats.close()
    throw notYet(error)
  }
}

/** A server that has just started responds before its JetStream does. */
function notYet(error: unknown): unknown {
  if (error instanceof Error && error.name === 'JetStreamNotEnabled')
    return new Error('The NATS server has no JetStream: start it with -js')
  const isEarly =
    error instanceof TimeoutError || error instanceof RequestError || (error as { code?: unknown }).code === RECOVERING
  return isEarly ? refusal('unreachable', error) : error
}

/** JetStream's error while it reads its files. */
const RECOVERING = 10008

/** Maximum time to wait for the server when closing. */
const CLOSE_MS_MAX = 2_000

/** How often the stream's size is asked for while projects share it and one exceeds its pace. */
const SIZE_EVERY_MS = 1_000

/** How often the oldest message is read. */
const OLDEST_EVERY_MS = 1_000

class JetStream implements SpanStream {
  readonly #parts: ReaderParts
  readonly #bytesMax: number
  readonly #ensure: (topology: Topology) => Promise<unknown>
  readonly #inFlight = new InFlight(IN_FLIGHT_BYTES_MAX)
  readonly #pace = new Pace()
  /** The stream's bytes, their last request, and when they are asked for again. */
  #size = 0
  #sizing = Promise.resolve()
  #sizeDueAt = 0
  /** When the oldest message was stored, at the latest, and when that is asked for again. */
  #oldest = Promise.resolve(0)
  #oldestDueAt = 0
  readonly #closing = new AbortController()
  readonly #publishing = new Set<Promise<void>>()
  readonly #readers = new Set<JetStreamReader>()
  readonly #sweeper: Sweeper
  #sweeping = false
  #closed = false

  /** `ensure` creates what the topology has and the server lacks. */
  constructor(
    parts: ReaderParts,
    { bytesMax, ensure }: { bytesMax: number; ensure: (topology: Topology) => Promise<unknown> },
  ) {
    this.#parts = parts
    this.#bytesMax = bytesMax
    this.#ensure = ensure
    this.#sweeper = new Sweeper(parts.storage, parts.topology, parts.letters)
    // The client reconnects for ever, and gives up only after a defect.
    void parts.connection.nats.closed().then(() => this.#closing.abort())
  }

  get partitions(): number {
    return this.#parts.topology.partitions
  }

  /** Nothing is published to partitions that the server may lack. */
  async grow(partitions: number): Promise<void> {
    const { topology, connection } = this.#parts
    await connection
      .ask(() => this.#ensure(topology.with(partitions)))
      .catch(error => {
        throw notYet(error)
      })
    topology.grow(partitions)
  }

  async publish(messages: readonly SpanMessage[]): Promise<void> {
    const limits = { partitions: this.partitions, bytesMax: this.#bytesMax }
    for (const message of messages) checkMessage(message, limits)
    if (this.#closing.signal.aborted) throw refusal('closed')
    const published = this.#inFlight.run(messages, () => this.#publishAll(messages))
    this.#publishing.add(published)
    await published.finally(() => this.#publishing.delete(published))
  }

  async #publishAll(messages: readonly SpanMessage[]): Promise<void> {
    const { positions, storage, topology } = this.#parts
    await positions.ready()
    const lanes = messages.map(message => this.#pace.laneOf(message))
    if (lanes.includes('bulk') && this.#pace.isShared()) await this.#checkShare()
    await settleAll(
      messages.map((message, index) =>
        storage.put(topology.live, {
          subject: topology.subject({ partition: message.partition, lane: lanes[index] as Lane }),
          msgId: `message:${message.partition}.${message.id}`,
          headers: toHeaders(metadataOf(message)),
          body: message.body,
        }),
      ),
    )
  }

  /** The size is at most a second old, or older while the server does not answer. */
  async #checkShare(): Promise<void> {
    const { storage, topology } = this.#parts
    if (performance.now() >= this.#sizeDueAt) {
      this.#sizeDueAt = performance.now() + SIZE_EVERY_MS
      this.#sizing = storage.state(topology.live).then(
        ({ bytes }) => {
          this.#size = bytes
        },
        () => undefined,
      )
    }
    await this.#sizing
    if (this.#size > this.#bytesMax * BULK_SHARE) throw refusal('project_full')
  }

  async *deliveries(options: DeliveriesOptions): AsyncGenerator<Delivery[]> {
    this.#startSweeping()
    const ended = AbortSignal.any([options.signal, this.#closing.signal])
    const reader = new JetStreamReader(this.#parts, { ...options, signal: ended })
    const wake = () => reader.wake()
    const batches = new Batches(reader, options)
    ended.addEventListener('abort', wake)
    this.#readers.add(reader)
    try {
      while (!ended.aborted) {
        const batch = await batches.next(ended)
        if (ended.aborted) break
        const deliveries = await reader.deliver(batch)
        if (deliveries.length > 0) yield deliveries
      }
    } finally {
      ended.removeEventListener('abort', wake)
      await reader.end()
      this.#readers.delete(reader)
    }
    if (this.#parts.connection.nats.isClosed() && !this.#closed) throw refusal('unreachable')
  }

  /** Parts are swept where messages are consumed. */
  #startSweeping(): void {
    if (!this.#sweeping) this.#sweeper.start(this.#closing.signal)
    this.#sweeping = true
  }

  deadLetters(options: { limit: number; after?: string }): Promise<ListedLetter[]> {
    return this.#parts.letters.list(options)
  }

  deadLetter(id: string): Promise<DeadLetter | null> {
    return this.#parts.letters.find(id)
  }

  replay(id: string): Promise<boolean> {
    return this.#parts.letters.replay(id)
  }

  discard(id: string): Promise<boolean> {
    return this.#parts.letters.remove(id)
  }

  async stats(): Promise<StreamStats> {
    const { storage, topology } = this.#parts
    const [live, dead] = await Promise.all([storage.state(topology.live), storage.state(topology.dead)])
    // The first one in the stream may be a part that no message refers to.
    const oldestMs = live.parts === 0 || live.whole === 0 ? live.oldestMs : await this.#oldestMs(live)
    return {
      depth: live.whole,
      bytes: live.bytes,
      bytesMax: this.#bytesMax,
      oldestSeconds: live.whole === 0 ? 0 : Math.max(0, (Date.now() - oldestMs) / 1e3),
      deadLetters: dead.whole,
    }
  }

  /** At most a second old, but never too late: anybody may ask for the metrics, as often as they like. */
  #oldestMs(live: ShelfState): Promise<number> {
    if (performance.now() < this.#oldestDueAt) return this.#oldest
    this.#oldestDueAt = performance.now() + OLDEST_EVERY_MS
    const { storage, topology } = this.#parts
    const askedMs = Date.now()
    this.#oldest = storage.oldestMs(topology.live, live).then(oldestMs => oldestMs ?? askedMs)
    this.#oldest.catch(() => {
      this.#oldestDueAt = 0
    })
    return this.#oldest
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#closing.abort()
    await Promise.allSettled([...this.#publishing, ...Array.from(this.#readers, reader => reader.end())])
    const { nats, up } = this.#parts.connection
    const timeout = new Promise(resolve => setTimeout(resolve, CLOSE_MS_MAX).unref())
    if (up) await Promise.race([nats.drain().catch(() => undefined), timeout])
    await nats.close()
  }
}
