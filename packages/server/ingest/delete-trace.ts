import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type Micros, microsNow, Problem, type SpanId, type TraceId } from '@spanhouse/model'
import type { Postgres } from '@spanhouse/postgres'
import { deletedSpans, type Engine, latestAccepted } from '@spanhouse/span-store'
import type { SpanStream } from '@spanhouse/span-stream'
import { partitionOfTrace, type Sender } from './accept.ts'
import { acceptedNext, traceTurn } from './trace-turn.ts'

/** Where deletions go, and where their completion can be observed. */
export interface Deleting {
  stream: SpanStream
  /** Polled while a caller waits. */
  background: Engine
  /** Gives the turn among the changes of a trace. */
  postgres: Pick<Postgres, 'lease'>
}

/** What of a trace is to be deleted, and how long the caller waits. */
interface UpTo {
  trace_id: TraceId
  accepted_at: Micros
  /** By the clock of `performance`. */
  until: number
  /** The response if it takes longer. */
  ifLate: string
}

/** How long a response waits for the writer. */
const WAIT_MS = 10_000
/**
 * When it checks: after this time, and then after half of the time waited so far. A check costs as much as a small
 * query, and a writer that is busy is not to be asked 200 times.
 */
const LOOK_AFTER_MS = 40

/**
 * Deletes everything of a trace that was accepted so far, and resolves with the deleted spans once no query finds them
 * any more. The deletion follows them through the stream, so that spans not yet stored are deleted too; an edit of the
 * trace is made before it, and is deleted, or after it, and finds nothing. Rejects with a Problem `overloaded` if the
 * writer does not reach it in time; it is carried out nevertheless.
 */
export async function deleteTrace(deleting: Deleting, sender: Sender, trace_id: TraceId): Promise<SpanId[]> {
  const turn = await traceTurn(deleting.postgres, { project_id: sender.project_id, trace_id })
  try {
    return await deleteInTurn(deleting, sender, trace_id)
  } finally {
    await turn.release().catch(() => {})
  }
}

async function deleteInTurn(deleting: Deleting, sender: Sender, trace_id: TraceId): Promise<SpanId[]> {
  const { background } = deleting
  const place = { project_id: sender.project_id, trace_id }
  const until = performance.now() + WAIT_MS
  const ifLate = 'The deletion is accepted and will be carried out once data accepted earlier is processed.'
  const accepted_at = await acceptedNext(background, place)
  const spans = await deleteUpTo(deleting, sender, { trace_id, accepted_at, until, ifLate })
  // What was on its way is stored by now: it may have been accepted by a clock that is ahead.
  const latest = await latestAccepted(background, place)
  if (latest <= accepted_at) return spans
  const others = await deleteUpTo(deleting, sender, { trace_id, accepted_at: latest, until, ifLate })
  return [...new Set([...spans, ...others])]
}

/**
 * Resolves when all that the project had of the trace in the stream is stored: when a deletion that follows it is
 * carried out, of a trace in the same partition that nobody has. So it does not wait for the backlog of others. Rejects
 * with a Problem `overloaded` if the writer does not reach it in time.
 */
export async function untilTraceStored(deleting: Deleting, sender: Sender, trace_id: TraceId): Promise<void> {
  const { stream } = deleting
  const { depth } = await stream.stats()
  if (depth === 0) return
  const until = performance.now() + WAIT_MS
  const ifLate = 'Whether the trace exists is known once data accepted earlier is processed. Nothing was changed.'
  await deleteUpTo(deleting, sender, {
    trace_id: otherIdIn(stream, trace_id),
    accepted_at: microsNow(),
    until,
    ifLate,
  })
}

/** The id of no trace. */
function otherIdIn(stream: SpanStream, trace_id: TraceId): TraceId {
  for (;;) {
    const other = randomBytes(16).toString('hex') as TraceId
    if (partitionOfTrace(other, stream) === partitionOfTrace(trace_id, stream)) return other
  }
}

/** Deletes what was accepted up to a time, and resolves when that is done. */
async function deleteUpTo(
  { stream, background }: Deleting,
  { project_id, user_id }: Sender,
  { trace_id, accepted_at, until, ifLate }: UpTo,
): Promise<SpanId[]> {
  const id = randomUUID()
  const partition = partitionOfTrace(trace_id, stream)
  const body = Buffer.from(trace_id, 'hex')
  await stream.publish([{ id, partition, project_id, user_id, accepted_at, span_count: 0, format: 'deletion', body }])
  const began = performance.now()
  for (let now = began; now < until; now = performance.now()) {
    await delay(Math.min(Math.max(LOOK_AFTER_MS, (now - began) / 2), until - now))
    const spans = await deletedSpans(background, { id, project_id, trace_id, deleted_at: accepted_at })
    if (spans) return spans
  }
  throw new Problem('overloaded', ifLate, { retryAfterSeconds: 5 })
}
