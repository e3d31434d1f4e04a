import type { StoredMsg } from '@nats-io/jetstream'
import type { Msg, MsgHdrs } from '@nats-io/transport-node'
import type { Sized } from '../gather.ts'
import type { SpanMessage } from '../span-stream.ts'
import { fromHeaders, type Metadata } from './headers.ts'

/** A message that a reader has and nobody has settled. */
export interface Fetched extends Sized {
  sequence: number
  attempt: number
  subject: string
  headers: MsgHdrs | undefined
  data: Uint8Array
  /** Null when it is not a message of Spanhouse. */
  metadata: Metadata | null
  /** Where to give it back. The server names a new place with each delivery. Null for a leftover: no consumer has it. */
  reply: string | null
  /** A leftover that its consumer has acknowledged: it was stored, and its parts may be gone. */
  wasSettled?: boolean
  /** Until when the server is told that it is being worked on. */
  untilMs: number
  /** How many outages there had been when it came. */
  outages: number
}

/** A leftover has been delivered before, or its consumer passed over it. */
const LEFTOVER_ATTEMPT = 2

/**
 * What a consumer delivered. Its reply is
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

/** What was found in the stream although no consumer delivers it. */
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
  return { headers, data, metadata, spans: metadata?.span_count ?? 0, bytes: metadata?.bodyBytes ?? data.length }
}

export const toMessage = ({ bodyBytes, ...rest }: Metadata, body: Uint8Array): SpanMessage => ({ ...rest, body })
