import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Span, Uuid } from '@spanhouse/model'
import { type PriceOverrides, priceSpan } from '@spanhouse/prices'
import type { Sender, SpanBatch } from '@spanhouse/span-store'
import type { Delivery, SpanMessage } from '@spanhouse/span-stream'
import type { Logger } from 'pino'
import { type Ownership, sharesElsewhere } from './elsewhere.ts'
import { deletionIn, spansIn } from './message-spans.ts'

/** Projects' own prices; projects without any may be omitted. */
export type Prices = ReadonlyMap<Uuid, PriceOverrides | undefined>

export interface Decoding {
  prices: Prices
  /** What it contains is replaced. */
  batch: SpanBatch
  ownership: Ownership
  log: Logger
}

/** The messages of a batch. */
export interface Decoded {
  /** Those in the batch. */
  deliveries: readonly Delivery[]
  prices: Prices
  batch: SpanBatch
  /** What was found in these partitions but belongs to others. */
  elsewhere: SpanMessage[]
  rejectedMessages: number
  decodeSeconds: number
}

/** How often decoding yields: leases are lost if their heartbeat cannot be answered for seconds. */
const TURN_MS = 25

/**
 * So many spans are decoded before they become rows, or fewer that are as large: the code for both is larger than the
 * processor's caches of instructions (see DECISIONS.md).
 */
const GROUP = { spans: 32, bytes: 128 * 1024 }

/** Makes a batch of messages. Those that cannot be decoded become dead letters. */
export async function decode(deliveries: readonly Delivery[], decoding: Decoding): Promise<Decoded> {
  const started = performance.now()
  const { prices, batch, log } = decoding
  let left = deliveries
  for (;;) {
    const { failed, elsewhere } = await fill(left, decoding)
    if (failed.size === 0) {
      const rejectedMessages = deliveries.length - left.length
      const decodeSeconds = (performance.now() - started) / 1000
      return { deliveries: left, prices, batch, elsewhere, rejectedMessages, decodeSeconds }
    }
    for (const [delivery, error] of failed) {
      await delivery.reject(`cannot be decoded: ${error.message}`)
      const { sequence, message } = delivery
      // Without the reason, which may quote what was sent.
      log.error(
        { sequence, project_id: message.project_id },
        'a message that cannot be decoded was moved to the dead letters, which say why',
      )
    }
    // Their rows are among the others', so these are made again.
    left = left.filter(delivery => !failed.has(delivery))
  }
}

interface Filled {
  elsewhere: SpanMessage[]
  /** Some of their spans may be in the batch. */
  failed: Map<Delivery, Error>
}

async function fill(deliveries: readonly Delivery[], decoding: Decoding): Promise<Filled> {
  const filled: Filled = { elsewhere: [], failed: new Map() }
  const group = new Group(decoding.batch, filled.failed)
  let turn = performance.now()
  decoding.batch.clear()
  for (const delivery of deliveries) {
    try {
      const isWhole = addMessage(delivery, decoding, group)
      if (!isWhole) filled.elsewhere.push(...(await sharesElsewhere(delivery.message, decoding.ownership)))
    } catch (error) {
      filled.failed.set(delivery, error as Error)
    }
    if (performance.now() - turn < TURN_MS) continue
    await nextTurn()
    turn = performance.now()
  }
  group.end()
  return filled
}

/** Adds what belongs to the message's partition. Returns whether that is all of it. */
function addMessage(delivery: Delivery, { prices, batch, ownership }: Decoding, group: Group): boolean {
  const { message } = delivery
  const { project_id, user_id, accepted_at, partition } = message
  if (message.format === 'deletion') {
    const deletion = deletionIn(message)
    const isOwn = ownership.partitionOf(deletion.trace_id) === partition
    if (isOwn) batch.deletions.push(deletion)
    return isOwn
  }
  const sender = { project_id, user_id, accepted_at }
  const overrides = prices.get(project_id)
  let isWhole = true
  for (const { span, bytes } of spansIn(message)) {
    if (ownership.partitionOf(span.trace_id) !== partition) {
      isWhole = false
      continue
    }
    priceSpan(span, overrides)
    group.add({ delivery, sender, span }, bytes)
  }
  return isWhole
}

interface Grouped {
  delivery: Delivery
  sender: Sender
  span: Span
}

/** Spans that are not in the batch yet. */
class Group {
  readonly #batch: SpanBatch
  readonly #failed: Map<Delivery, Error>
  #spans: Grouped[] = []
  #bytes = 0

  constructor(batch: SpanBatch, failed: Map<Delivery, Error>) {
    this.#batch = batch
    this.#failed = failed
  }

  add(one: Grouped, bytes: number): void {
    this.#spans.push(one)
    this.#bytes += bytes
    if (this.#spans.length === GROUP.spans || this.#bytes >= GROUP.bytes) this.end()
  }

  end(): void {
    for (const { delivery, sender, span } of this.#spans) {
      try {
        this.#batch.add(sender, span)
      } catch (error) {
        this.#failed.set(delivery, error as Error)
      }
    }
    this.#spans = []
    this.#bytes = 0
  }
}
