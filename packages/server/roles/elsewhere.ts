import { decodeDrafts, encodeDrafts, scanTraces } from '@spanhouse/otlp'
import { partitionOf, type SpanMessage } from '@spanhouse/span-stream'
import { deletionIn } from './message-spans.ts'

/** Which partition traces belong to, asked for the spans of a message, which come trace by trace. */
export class Ownership {
  readonly partitions: number
  #trace_id = ''
  #partition = 0

  /** `partitions`: the number by which traces are divided. */
  constructor(partitions: number) {
    this.partitions = partitions
  }

  partitionOf(trace_id: string): number {
    if (trace_id !== this.#trace_id) {
      this.#trace_id = trace_id
      this.#partition = partitionOf(Buffer.from(trace_id, 'hex'), this.partitions)
    }
    return this.#partition
  }
}

/**
 * The shares of a message that belong to other partitions than its own, as messages with its id: it was published when
 * the stream had fewer partitions. Rejects or throws if the body cannot be decoded.
 */
export async function sharesElsewhere(message: SpanMessage, ownership: Ownership): Promise<SpanMessage[]> {
  const shares = await sharesOf(message, ownership)
  return shares.filter(({ partition }) => partition !== message.partition)
}

async function sharesOf(message: SpanMessage, ownership: Ownership): Promise<SpanMessage[]> {
  const { format, body } = message
  if (format === 'deletion') return [{ ...message, partition: ownership.partitionOf(deletionIn(message).trace_id) }]
  if (format === 'otlp')
    return scanTraces(body, ownership.partitions, partitionOf).shares.map(share => ({ ...message, ...share }))
  const groups = Map.groupBy(decodeDrafts(body), ({ trace_id }) => ownership.partitionOf(trace_id))
  return Promise.all(
    Array.from(groups, async ([partition, drafts]) => ({
      ...message,
      partition,
      span_count: drafts.length,
      body: await encodeDrafts(drafts),
    })),
  )
}
