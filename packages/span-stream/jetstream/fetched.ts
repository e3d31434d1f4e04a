import type { StoredMsg } from '@nats-io/jetstream'
import type { Msg, MsgHdrs } from '@nats-io/transport-node'
import { NIL_UUID } from '@spanhouse/model'
import type { Waiting } from '../gather.ts'
import type { SpanMessage } from '../span-stream.ts'
import { fromHeaders, type Metadata } from './headers.ts'

/** A message that a reader has fetched and that is not settled. */
export interface Fetched extends Waiting {
  attempt: number
  subject: string
  headers: MsgHdrs | undefined
  data: Uint8Array
  /** Null if it is not a message written by Spanhouse. */
  metadata: Metadata | null
  /**
   * The subject to which it is acknowledged. The server assigns a new one with each delivery. Null for a leftover: no
   * consumer has it.
   */
  reply: string | null
  /** A leftover that its consumer has acknowledged: it was stored, and its parts may be missing. */
  wasSettled?: boolean
  /** Until when the server considers it in progress. */
  untilMs: number
  /** The number of outages before it was fetched. */
  outages: number
}

/** A leftover was delivered before, or its consumer skipped it. */
const LEFTOVER_ATTEMPT = 2

/**
 * A message delivered by a consumer. Its reply is
 * `$JS.ACK.[DOMAIN.ACCOUNT.]STREAM.CONSUMER.DELIVERED.STREAM_SEQUENCE.CONSUMER_SEQUENCE.TIME.PENDING[.RANDOM]`, see
 * ADR-15 of the NATS architecture.
 */
export function toFetched(message: Msg, outages: number): Fetched {
  const { subject, headers, data, reply = '' } = message
  const tokens = reply.split('.')
  const at = tokens.length === 9 ? 4 : 6
  const [attempt, sequence] = [Number(tokens[at]), Number(tokens[at + 1])]
  return { ...sized(headers, data), subject, reply, attempt, sequence, untilMs: Number.POSITIVE_INFINITY, outages }
}

/** A message found in the stream although no consumer delivers it. */
export function fromLeftover(stored: StoredMsg, state: { wasSettled: boolean; outages: number }): Fetched {
  return {
    ...sized(stored.header, stored.data),
    ...state,
    subject: stored.subject,
    reply: null,
    attempt: LEFTOVER_ATTEMPT,
    sequence: stored.seq,
    untilMs: Number.POSITIVE_INFINITY,
  }
}

function sized(headers: MsgHdrs | undefined, data: Uint8Array) {
  const metadata = fromHeaders(headers)
  return {
    headers,
    data,
    metadata,
    project_id: metadata?.project_id ?? NIL_UUID,
    spans: metadata?.span_count ?? 0,
    bytes: metadata?.bodyBytes ?? data.length,
  }
}

export const toMessage = ({ bodyBytes, ...rest }: Metadata, body: Uint8Array): SpanMessage => ({ ...rest, body })
