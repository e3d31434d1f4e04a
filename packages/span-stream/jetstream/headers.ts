import { headers, type MsgHdrs } from '@nats-io/transport-node'
import { microsNow, NIL_UUID, parseRoundedJson } from '@spanhouse/model'
import { type DeadLetter, MESSAGE_FORMATS, type SpanMessage } from '../span-stream.ts'

/** Room that is kept in each message for its headers. Ids, a reason and the list of parts have limits below this. */
export const HEADER_BYTES_MAX = 16 * 1024

/** What a message carries beside its body: a message without `body` and how large that is in all its parts. */
export type Metadata = Omit<SpanMessage, 'body'> & { bodyBytes: number }

/** What a dead letter carries in addition. */
export type LetterMetadata = Pick<DeadLetter, 'reason' | 'rejected_at' | 'attempt'>

export const metadataOf = ({ body, ...rest }: SpanMessage): Metadata => ({ ...rest, bodyBytes: body.length })

/** Field → header. Numbers are written in decimals. */
const TEXTS = { id: 'Span-Id', project_id: 'Span-Project', user_id: 'Span-User', format: 'Span-Format' } as const
const NUMBERS = {
  partition: 'Span-Partition',
  accepted_at: 'Span-Accepted',
  span_count: 'Span-Count',
  bodyBytes: 'Span-Bytes',
} as const

export function toHeaders(metadata: Metadata): MsgHdrs {
  const to = headers()
  for (const [field, name] of Object.entries(TEXTS)) to.set(name, metadata[field as keyof typeof TEXTS])
  for (const [field, name] of Object.entries(NUMBERS)) to.set(name, String(metadata[field as keyof typeof NUMBERS]))
  return to
}

/** Null when the headers are not those of a span message, for instance because somebody else published it. */
export function fromHeaders(from: MsgHdrs | undefined): Metadata | null {
  if (from === undefined) return null
  const text = (field: keyof typeof TEXTS) => from.get(TEXTS[field])
  const number = (field: keyof typeof NUMBERS) => Number(from.get(NUMBERS[field]) || Number.NaN)
  const format = MESSAGE_FORMATS.find(one => one === text('format'))
  if (format === undefined) return null
  const metadata: Metadata = {
    id: text('id'),
    partition: number('partition'),
    project_id: text('project_id'),
    user_id: text('user_id'),
    accepted_at: number('accepted_at'),
    span_count: number('span_count'),
    format,
    bodyBytes: number('bodyBytes'),
  }
  const complete = Object.values(metadata).every(value => value !== '' && !Number.isNaN(value))
  return complete ? metadata : null
}

/** What stands for the headers of a message that somebody else published. */
export const unknownMetadata = (at: { sequence: number; partition: number; data: Uint8Array }): Metadata => ({
  id: `unknown-${at.sequence}`,
  partition: at.partition,
  project_id: NIL_UUID,
  user_id: NIL_UUID,
  accepted_at: microsNow(),
  span_count: 0,
  format: 'otlp',
  bodyBytes: at.data.length,
})

/** The reason as JSON: a header cannot hold line breaks. */
export function setLetter(to: MsgHdrs, { reason, rejected_at, attempt }: LetterMetadata): void {
  to.set('Dead-Reason', JSON.stringify(reason))
  to.set('Dead-Rejected', String(rejected_at))
  to.set('Dead-Attempt', String(attempt))
}

export const getLetter = (from: MsgHdrs): LetterMetadata => ({
  reason: parseRoundedJson(from.get('Dead-Reason') || '""') as string,
  rejected_at: Number(from.get('Dead-Rejected')),
  attempt: Number(from.get('Dead-Attempt')),
})

const PARTS = 'Span-Parts'

/** The places of the parts that precede the message's own data, in order. */
export function setParts(to: MsgHdrs, sequences: readonly number[]): void {
  if (sequences.length > 0) to.set(PARTS, sequences.join(' '))
}

export function getParts(from: MsgHdrs | undefined): number[] {
  const text = from?.get(PARTS) ?? ''
  return text === '' ? [] : text.split(' ').map(Number)
}
