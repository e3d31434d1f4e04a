import { randomUUID } from 'node:crypto'
import type { ProjectPrincipal } from '@spanhouse/access'
import { acceptedNow, type Micros, microsNow, nextTurn, type SpanId, type TraceId } from '@spanhouse/model'
import { draftOfBody, encodeDrafts, type SpanBody, type SpanDraft } from '@spanhouse/otlp'
import { partitionOf, type SpanMessage, type SpanStream } from '@spanhouse/span-stream'
import type { IngestMetrics } from '../metrics.ts'
import type { Quotas } from '../shares/quotas.ts'

/** Where accepted spans go, and where they are counted. */
export interface Ingest {
  stream: SpanStream
  metrics: IngestMetrics
  quotas: Quotas
}

/** The owner of the spans. */
export type Sender = Pick<ProjectPrincipal, 'project_id' | 'user_id'>

export interface SpanPlace {
  trace_id: TraceId
  span_id: SpanId
}

/**
 * Makes the storable spans durable in the stream and returns their ids without duplicates: of several versions of a
 * span, the last one wins. The others are counted as rejected. 429 while a quota of the sender is used up.
 */
export async function acceptSpans(
  ingest: Ingest,
  sender: ProjectPrincipal,
  bodies: readonly SpanBody[],
): Promise<SpanPlace[]> {
  ingest.quotas.take(sender, 'spans_per_second', bodies.length)
  let used = 0
  try {
    const places = await acceptWithinQuota(ingest, sender, bodies)
    used = places.length
    return places
  } finally {
    ingest.quotas.giveBack(sender, 'spans_per_second', bodies.length - used)
  }
}

async function acceptWithinQuota(
  ingest: Ingest,
  sender: ProjectPrincipal,
  bodies: readonly SpanBody[],
): Promise<SpanPlace[]> {
  const now = microsNow()
  const drafts = new Map<string, SpanDraft>()
  let rejected = 0
  for (const body of bodies) {
    const turn = nextTurn()
    if (turn) await turn
    const draft = draftOfBody(body, now)
    if (draft) drafts.set(draft.trace_id + draft.span_id, draft)
    else rejected++
  }
  await publishDrafts(ingest.stream, sender, [...drafts.values()], acceptedNow())
  ingest.metrics.accepted.inc(drafts.size)
  ingest.metrics.rejected.inc(rejected)
  return Array.from(drafts.values(), ({ trace_id, span_id }) => ({ trace_id, span_id }))
}

/** Resolves when the spans are durable. */
export async function publishDrafts(
  stream: SpanStream,
  sender: Sender,
  drafts: readonly SpanDraft[],
  accepted_at: Micros,
): Promise<void> {
  await stream.publish(await messagesOf(stream, sender, drafts, accepted_at))
}

/** The spans as published, those of one trace in one message. */
export async function messagesOf(
  stream: SpanStream,
  { project_id, user_id }: Sender,
  drafts: readonly SpanDraft[],
  accepted_at: Micros,
): Promise<SpanMessage[]> {
  const shares = Map.groupBy(drafts, ({ trace_id }) => partitionOfTrace(trace_id, stream))
  const messages: SpanMessage[] = []
  for (const [partition, share] of shares)
    messages.push({
      id: randomUUID(),
      partition,
      project_id,
      user_id,
      accepted_at,
      span_count: share.length,
      format: 'json',
      body: await encodeDrafts(share),
    })
  return messages
}

export const partitionOfTrace = (trace_id: TraceId, { partitions }: SpanStream): number =>
  partitionOf(Buffer.from(trace_id, 'hex'), partitions)
