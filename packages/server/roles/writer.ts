import { setTimeout as delay } from 'node:timers/promises'
import { microsNow } from '@spanhouse/model'
import {
  isFenced,
  isPassing,
  requireStoreMatches,
  SpanBatch,
  type SpanWriter,
  StoreMismatch,
  type WriteResult,
} from '@spanhouse/span-store'
import type { Delivery, SpanMessage, SpanStream } from '@spanhouse/span-stream'
import type { Logger } from 'pino'
import { pause } from '../background/background.ts'
import type { BatchReport } from '../metrics.ts'
import { type Decoded, decode, type Prices } from './decode.ts'
import { Ownership } from './elsewhere.ts'
import type { PriceCache } from './price-cache.ts'

export interface WriterOptions {
  stream: SpanStream
  writer: SpanWriter
  prices: PriceCache
  partitions: readonly number[]
  /** The number by which traces are divided among partitions: the stream may have more by now. */
  division: number
  signal: AbortSignal
  log: Logger
  report(report: BatchReport): void
}

/** A running writer. Its `signal` also aborts if another writer has taken its partitions, or if it cannot continue. */
interface Run extends WriterOptions {
  ownership: Ownership
  end(): void
}

/**
 * Large enough to be efficient in ClickHouse, small enough to hold a few in memory. Whatever its rows, an insert costs
 * some 20 ms (one part: a dozen files), and ten of them are merged first: batches of 16 MiB, 14,500 spans of 1.1 KB,
 * take 3 µs less for each of these than those of 10 MiB. While several projects send, what one of them sends beyond its
 * pace is in batches that others can wait for.
 */
const BATCH = { spansMax: 16_000, sharedSpansMax: 500, bytesMax: 16 * 1024 * 1024, lingerMs: 200 }

/** After how long a deletion that came early is looked at again: this much longer with each attempt. */
const EARLY_MS = 50
const EARLY_MS_MAX = 1_000

/** How often traces without a root are checked. */
const SETTLE_EVERY_MS = 5_000

/**
 * The batch being stored, and the one being decoded meanwhile. A small batch has none decoded meanwhile: what arrives
 * then would wait for both.
 */
const BATCHES_AHEAD = 2
const SMALL_SPANS = BATCH.sharedSpansMax

/**
 * Moves spans from the stream into the store until the signal: deliveries → spans → rows → acknowledged. While one
 * batch is stored, the next ones are decoded. If the store is temporarily unable to accept a batch, it is retried; a
 * message that can never be processed becomes a dead letter by itself. What belongs to other partitions is published
 * there before its message is acknowledged. Also ends, before the signal, if another writer
 * has these partitions. Throws a StoreMismatch if the tables lack the columns it writes; nothing is acknowledged then.
 */
export async function runWriter(given: WriterOptions): Promise<void> {
  const fenced = new AbortController()
  const signal = AbortSignal.any([given.signal, fenced.signal])
  const ownership = new Ownership(given.division)
  const options: Run = { ...given, signal, ownership, end: () => fenced.abort() }
  const { stream, writer, partitions } = options
  const isMine = (trace_id: string): boolean => partitions.includes(ownership.partitionOf(trace_id))
  await untilStopped(() => writer.recover(isMine), options)
  if (signal.aborted) return
  const settling = settleRootless(options)
  const ahead: Promise<void>[] = []
  const free = Array.from({ length: BATCHES_AHEAD }, () => new SpanBatch())
  for await (const deliveries of stream.deliveries({ consumer: 'writer', partitions, ...BATCH, signal })) {
    const prices = await pricesFor(deliveries, options)
    if (!prices) break
    const decoded = await decode(deliveries, { prices, batch: free.pop() as SpanBatch, ownership, log: options.log })
    const stored = (ahead.at(-1) ?? Promise.resolve())
      .then(() => store(decoded, options))
      .finally(() => free.push(decoded.batch))
    // Awaited in a later turn; until then its failure must not count as unhandled.
    stored.catch(() => {})
    ahead.push(stored)
    // Awaited before the next batch is taken from the stream, so that it has what has arrived meanwhile.
    if (ahead.length === BATCHES_AHEAD || decoded.batch.spans.length <= SMALL_SPANS) await ahead.shift()
  }
  await Promise.all(ahead)
  await settling
}

/** Waits for prices as for the store: without them costs would be wrong. Undefined if the writer must stop. */
function pricesFor(deliveries: readonly Delivery[], options: Run): Promise<Prices | undefined> {
  const project_ids = new Set(deliveries.map(({ message }) => message.project_id))
  return untilStopped(() => options.prices.of(project_ids), options)
}

/** Like {@link persist}, but resolves to undefined when the writer must stop. */
async function untilStopped<T>(attempt: () => Promise<T>, options: Run): Promise<T | undefined> {
  try {
    return await persist(attempt, options)
  } catch (error) {
    if (options.signal.aborted) return undefined
    throw error
  }
}

async function store(found: Decoded, options: Run): Promise<void> {
  let decoded = found
  try {
    decoded = await withoutEarlyDeletions(found, options)
    await storeTogether(decoded, options)
  } catch (error) {
    if (options.signal.aborted) return
    if (error instanceof StoreMismatch) {
      options.end()
      throw error
    }
    await storeApart(decoded, error as Error, options)
  }
}

/**
 * A deletion tells its caller which spans it has removed, so it waits for those accepted before it that it has passed
 * on their way: it is delivered again.
 */
async function withoutEarlyDeletions(decoded: Decoded, options: Run): Promise<Decoded> {
  const { batch, deliveries } = decoded
  const { ownership } = options
  if (batch.deletions.length === 0) return decoded
  const own = new Set(deliveries.map(({ sequence }) => sequence))
  const early = new Set<Delivery>()
  /** Projects in partitions of which a later deletion waits for nothing, and so none before it does. */
  const current = new Set<string>()
  for (const delivery of deliveries.toSorted((one, other) => other.sequence - one.sequence)) {
    const { id, partition, project_id } = delivery.message
    const place = `${partition} ${project_id}`
    const index = batch.deletions.findIndex(
      deletion => deletion.id === id && ownership.partitionOf(deletion.trace_id) === partition,
    )
    if (index < 0 || current.has(place)) continue
    if (await persist(() => delivery.isNext(own), options)) {
      current.add(place)
      continue
    }
    batch.deletions.splice(index, 1)
    early.add(delivery)
    await delivery.retry(Math.min(delivery.attempt * EARLY_MS, EARLY_MS_MAX))
  }
  return { ...decoded, deliveries: deliveries.filter(delivery => !early.has(delivery)) }
}

async function storeTogether(decoded: Decoded, options: Run): Promise<void> {
  const started = performance.now()
  await forward(decoded.elsewhere, options)
  const result = await persist(() => options.writer.write(decoded.batch), options)
  await Promise.all(decoded.deliveries.map(delivery => delivery.ack()))
  options.report(reportOf(decoded, result, options.writer, started))
}

/**
 * Resolves when the messages are durable. Until those that they were read from are acknowledged, this may be repeated.
 */
async function forward(elsewhere: readonly SpanMessage[], options: Run): Promise<void> {
  if (elsewhere.length > 0) await persist(() => options.stream.publish(elsewhere), options)
}

/** The batch contains something that the store will never accept: finds it, so that the rest is stored. */
async function storeApart({ deliveries, prices }: Decoded, error: Error, options: Run): Promise<void> {
  const { ownership, log } = options
  log.error({ err: error, messages: deliveries.length }, 'a batch cannot be stored; trying its messages one by one')
  for (const delivery of deliveries) {
    const started = performance.now()
    const batch = new SpanBatch()
    try {
      await storeTogether(await decode([delivery], { prices, batch, ownership, log }), options)
    } catch (cause) {
      if (options.signal.aborted) return
      await delivery.reject(`cannot be stored: ${(cause as Error).message}`)
      batch.clear()
      const rejected = { deliveries: [], prices, batch, elsewhere: [], rejectedMessages: 1, decodeSeconds: 0 }
      options.report(reportOf(rejected, NOTHING, options.writer, started))
      log.error({ err: cause, sequence: delivery.sequence }, 'a message was moved to the dead letters')
    }
  }
}

/** Repeats work that fails for a temporary reason, with growing delays, until it succeeds or the writer must stop. */
async function persist<T>(attempt: () => Promise<T>, { signal, log, end }: Run): Promise<T> {
  for (let waitMs = 100; ; waitMs = Math.min(waitMs * 2, 5_000)) {
    try {
      return await attempt()
    } catch (error) {
      if (isFenced(error)) end()
      if (signal.aborted) throw error
      requireStoreMatches(error)
      if (!isPassing(error)) throw error
      log.warn({ err: error, waitMs }, 'spans cannot be stored; trying again')
      await delay(waitMs, undefined, { signal })
    }
  }
}

async function settleRootless({ writer, signal, log, end }: Run): Promise<void> {
  while (!signal.aborted) {
    await pause(SETTLE_EVERY_MS, signal)
    if (signal.aborted) return
    await writer.settleRootless(signal).catch(error => {
      if (isFenced(error)) end()
      log.warn({ err: error }, 'cannot mark the first spans of traces without a root; trying again later')
    })
  }
}

const NOTHING: WriteResult = { inserted: 0, replaced: 0, known: 0, deleted: 0, updated: 0 }

function reportOf(decoded: Decoded, result: WriteResult, writer: SpanWriter, started: number): BatchReport {
  const now = microsNow()
  const accepted = decoded.deliveries.map(({ message }) => message.accepted_at)
  return {
    spans: decoded.batch.spans.length,
    ...result,
    rejectedMessages: decoded.rejectedMessages,
    decodeSeconds: decoded.decodeSeconds,
    storeSeconds: (performance.now() - started) / 1000,
    lagSeconds: accepted.length > 0 ? [Math.max(...accepted), Math.min(...accepted)].map(at => (now - at) / 1e6) : [],
    memorySpans: writer.memorySpans,
  }
}
