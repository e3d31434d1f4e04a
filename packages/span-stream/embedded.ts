import { BroadcastChannel } from 'node:worker_threads'
import { acceptedAgo } from '@spanhouse/model'
import { checkMessage, IN_FLIGHT_BYTES_MAX, InFlight, refusal } from './admission.ts'
import { Bell } from './bell.ts'
import type { EmbeddedLog } from './embedded/log.ts'
import { acquireLog, type OpenLog } from './embedded/open-logs.ts'
import { EmbeddedReader } from './embedded/reader.ts'
import { Batches } from './gather.ts'
import { HOLD_MS, persist } from './settle.ts'
import type {
  DeadLetter,
  DeliveriesOptions,
  Delivery,
  ListedLetter,
  SpanMessage,
  SpanStream,
  StreamStats,
} from './span-stream.ts'

export interface EmbeddedStreamOptions {
  /** A folder used only by the stream; created if missing. */
  path: string
  /**
   * Size limit in bytes of messages not yet acknowledged; dead letters may take a quarter of it in addition. Everyone
   * who has the path open uses the same value.
   */
  bytesMax: number
  /** How many readers can share the work; default: one. Can be changed only while the stream is empty. */
  partitions?: number
  /** How long an iteration may hold an unsettled message; default: ten minutes. */
  holdMs?: number
}

/**
 * The span stream as a log in a file, for one machine. Several threads and processes may open the same path; the
 * threads of one process wake each other when there is something to read. Throws if the file cannot be opened.
 */
export async function openEmbeddedStream(options: EmbeddedStreamOptions): Promise<SpanStream> {
  const { path, bytesMax, partitions = 1 } = options
  return new EmbeddedStream(await acquireLog(path, { bytesMax, partitions }), options)
}

class EmbeddedStream implements SpanStream {
  readonly partitions: number
  readonly #options: EmbeddedStreamOptions
  readonly #openLog: OpenLog
  readonly #log: EmbeddedLog
  readonly #inFlight = new InFlight(IN_FLIGHT_BYTES_MAX)
  readonly #bell = new Bell()
  readonly #news: BroadcastChannel
  readonly #closing = new AbortController()
  /** The operations still using the log. */
  readonly #working = new Set<Promise<unknown>>()

  constructor(openLog: OpenLog, options: EmbeddedStreamOptions) {
    this.#options = options
    this.#openLog = openLog
    this.#log = openLog.log
    this.partitions = openLog.log.partitions
    this.#news = new BroadcastChannel(`span-stream:${openLog.path}`)
    this.#news.onmessage = () => this.#bell.ring()
    this.#news.unref()
  }

  async publish(messages: readonly SpanMessage[]): Promise<void> {
    const { bytesMax } = this.#options
    for (const message of messages) checkMessage(message, { partitions: this.partitions, bytesMax })
    if (this.#closing.signal.aborted) throw refusal('closed')
    await this.#untilDone(this.#inFlight.run(messages, () => this.#log.append(messages)))
    this.#tell()
  }

  #tell(): void {
    this.#bell.ring()
    if (!this.#closing.signal.aborted) this.#news.postMessage(null)
  }

  async *deliveries(options: DeliveriesOptions): AsyncGenerator<Delivery[]> {
    const { holdMs = HOLD_MS } = this.#options
    const ended = AbortSignal.any([options.signal, this.#closing.signal])
    const wake = () => this.#bell.ring()
    ended.addEventListener('abort', wake)
    const reader = new EmbeddedReader(this.#log, this.#bell, { ...options, holdMs, ended })
    const batches = new Batches(reader, options)
    try {
      while (options.partitions.length > 0 && !ended.aborted) {
        const batch = await batches.next(ended)
        if (ended.aborted) return
        // Deliveries are counted, which a full disk refuses until there is room.
        const deliveries = await this.#untilDone(persist(() => reader.deliver(batch), ended)).catch(error => {
          if (!ended.aborted) throw error
          return []
        })
        if (deliveries.length > 0) yield deliveries
      }
    } finally {
      ended.removeEventListener('abort', wake)
    }
  }

  /** Keeps `close` waiting until the operation ends. */
  async #untilDone<T>(work: Promise<T>): Promise<T> {
    this.#working.add(work)
    try {
      return await work
    } finally {
      this.#working.delete(work)
    }
  }

  async deadLetters({ limit, after }: { limit: number; after?: string }): Promise<ListedLetter[]> {
    this.#log.refresh()
    const from = after === undefined ? 0 : letterNumber(after) + 1
    return this.#log.dead.numbers(from, limit).flatMap(number => this.#log.listed(number) ?? [])
  }

  async deadLetter(id: string): Promise<DeadLetter | null> {
    this.#log.refresh()
    return this.#log.letter(letterNumber(id))
  }

  async replay(id: string): Promise<boolean> {
    const replayed = await this.#log.exhume(letterNumber(id), true)
    if (replayed) this.#tell()
    return replayed
  }

  discard(id: string): Promise<boolean> {
    return this.#log.exhume(letterNumber(id), false)
  }

  async stats(): Promise<StreamStats> {
    this.#log.refresh()
    const { count, bytes } = this.#log.live.tally()
    const oldest = this.#log.live.first()
    return {
      depth: count,
      bytes,
      bytesMax: this.#options.bytesMax,
      oldestSeconds: oldest === undefined ? 0 : Math.max(0, acceptedAgo(oldest.envelope.accepted_at) / 1e6),
      deadLetters: this.#log.dead.tally().count,
    }
  }

  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return
    this.#closing.abort()
    this.#news.close()
    await Promise.allSettled(this.#working)
    await this.#openLog.release()
  }
}

/** Dead letters are numbered from 1; 0 is never used. */
const letterNumber = (id: string): number => (/^\d{1,15}$/.test(id) ? Number(id) : 0)
