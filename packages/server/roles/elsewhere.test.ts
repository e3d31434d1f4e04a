import { randomUUID } from 'node:crypto'
import { type JsonObject, parseJson } from '@spanhouse/model'
import { draftOfBody, encodeDrafts, encodeTraces, type SpanDraft } from '@spanhouse/otlp'
import { type MessageFormat, partitionOf, type SpanMessage } from '@spanhouse/span-stream'
import { expect, test } from 'vitest'
import { Ownership, sharesElsewhere } from './elsewhere.ts'
import { spansIn } from './message-spans.ts'

const PROJECT = randomUUID()
/** Enough that each of four partitions has some; all are in partition 1 of two. */
const TRACES = Array.from({ length: 200 }, (_, index) => (index + 1).toString(16).padStart(32, '0')).filter(
  id => partitionOf(Buffer.from(id, 'hex'), 2) === 1,
)
const DIGITS = '12345678901234567890'
const BIG = parseJson(`{"big": ${DIGITS}}`) as JsonObject

const messageOf = (format: MessageFormat, body: Uint8Array): SpanMessage => ({
  id: randomUUID(),
  partition: 1,
  project_id: PROJECT,
  user_id: PROJECT,
  accepted_at: 1_770_000_000_000_000,
  span_count: TRACES.length,
  format,
  body,
})

const otlp = (): Uint8Array =>
  encodeTraces({
    resourceSpans: [
      {
        scopeSpans: [
          {
            spans: TRACES.map(traceId => ({
              traceId,
              spanId: 'a'.repeat(16),
              name: 'step',
              startTimeUnixNano: '1770000000000000000',
              endTimeUnixNano: '1770000001000000000',
            })),
          },
        ],
      },
    ],
  })

const json = (): Promise<Uint8Array> =>
  encodeDrafts(
    TRACES.map(trace_id =>
      draftOfBody({ trace_id, span_id: 'a'.repeat(16), span_name: 'step', attributes: BIG }, 1),
    ) as SpanDraft[],
  )

test.each([
  ['otlp', otlp],
  ['json', json],
] as const)(
  'spans in the format %s are found again in their partition, and those of its own are left out',
  async (format, bodyOf) => {
    const message = messageOf(format, await bodyOf())
    const shares = await sharesElsewhere(message, new Ownership(4))
    expect(shares.map(({ partition }) => partition)).toEqual([3])
    const [share] = shares as [SpanMessage]
    const found = [...spansIn(share)].map(({ span }) => span)
    expect(found.map(({ trace_id }) => trace_id).toSorted()).toEqual(
      TRACES.filter(id => partitionOf(Buffer.from(id, 'hex'), 4) === 3).toSorted(),
    )
    expect(share).toMatchObject({ id: message.id, accepted_at: message.accepted_at, span_count: found.length })
    if (format === 'json') expect(Buffer.from(share.body).toString()).toContain(DIGITS)
    expect(await sharesElsewhere(share, new Ownership(4))).toEqual([])
  },
)

test('a deletion follows its trace under its own id', async () => {
  const moved = TRACES.find(id => partitionOf(Buffer.from(id, 'hex'), 4) === 3) as string
  const deletion = messageOf('deletion', Buffer.from(moved, 'hex'))
  expect(await sharesElsewhere(deletion, new Ownership(4))).toEqual([{ ...deletion, partition: 3 }])
  expect(await sharesElsewhere(deletion, new Ownership(2))).toEqual([])
})
