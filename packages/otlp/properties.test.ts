import { isJsonObject, type Json, type JsonObject, Problem, type Span } from '@spanhouse/model'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeTraces } from './bytes/decode.ts'
import { scanTraces } from './bytes/scan.ts'
import { toSpan } from './canonical/normalise.ts'
import { ACCEPTED, spanOf } from './conventions/drafts.testing.ts'
import { attributeList, attributes, exportOf, spanIdOf, spanJson, traceIdOf } from './exports.testing.ts'
import { llmExport } from './llm-export.testing.ts'

/** All spans in the bytes, processed as in production; throws only Problems. */
function ingest(bytes: Uint8Array, partitions: number): Span[] {
  const { spans, shares } = scanTraces(bytes, partitions, (traceId, count) => (traceId[0] as number) % count)
  const stored = shares.flatMap(({ body }) => [...decodeTraces(body)].map(decoded => toSpan(decoded, ACCEPTED)))
  expect(stored.map(idOf).sort()).toEqual(spans.map(idOf).sort())
  return stored
}

const idOf = ({ trace_id, span_id }: { trace_id: string; span_id: string }): string => `${trace_id} ${span_id}`

function isRefusedOrStored(bytes: Uint8Array): void {
  throwsProblemsOnly(() => {
    for (const span of ingest(bytes, 3)) isSound(span)
  })
  // The decoder does not rely on the scan.
  throwsProblemsOnly(() => {
    for (const decoded of decodeTraces(bytes)) isSound(toSpan(decoded, ACCEPTED))
  })
}

function throwsProblemsOnly(run: () => void): void {
  try {
    run()
  } catch (error) {
    if (!(error instanceof Problem)) throw error
  }
}

/** What every reader of spans relies on. */
function isSound(span: Span): void {
  expect(span.trace_id).toMatch(/^(?!0{32})[0-9a-f]{32}$/)
  expect(span.span_id).toMatch(/^(?!0{16})[0-9a-f]{16}$/)
  const { type, data, metrics } = span.attributes.ag as Record<string, Json>
  expect([type, data, metrics].every(isJsonObject)).toBe(true)
  expect(Object.keys(metrics as JsonObject)).toEqual(['duration', 'errors', 'tokens', 'costs'])
  // No database accepts half surrogate pairs.
  expect(JSON.stringify(span).replaceAll('\\\\', '')).not.toMatch(/\\u[dD][89a-fA-F]/)
}

const exported = llmExport(3)

describe('any bytes are stored or refused with a Problem', () => {
  test('random ones', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), isRefusedOrStored), { numRuns: 2_000 })
  })

  test('exports with changed bytes', () => {
    const change = fc.record({ at: fc.nat(exported.length - 1), byte: fc.nat(255) })
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 6 }), changes => {
        const bytes = Buffer.from(exported)
        for (const { at, byte } of changes) bytes[at] = byte
        isRefusedOrStored(bytes)
      }),
      { numRuns: 2_000 },
    )
  })

  test('exports with bytes cut out, doubled or cut off', () => {
    const range = fc.tuple(fc.nat(exported.length), fc.nat(exported.length)).map(ends => ends.sort((a, b) => a - b))
    fc.assert(
      fc.property(range, fc.constantFrom('cut', 'doubled', 'off'), ([start = 0, end = 0], how) => {
        const [before, within, after] = [
          exported.subarray(0, start),
          exported.subarray(start, end),
          exported.subarray(end),
        ]
        const parts = { cut: [before, after], doubled: [before, within, within, after], off: [before] }[how]
        isRefusedOrStored(Buffer.concat(parts ?? []))
      }),
      { numRuns: 1_000 },
    )
  })
})

describe('any attributes', () => {
  test('are accepted and stored', () => {
    fc.assert(
      fc.property(attributes, attributes, (own, more) => {
        const list = attributeList(own)
        const link = { traceId: traceIdOf('l'), spanId: spanIdOf('l'), attributes: attributeList(more) }
        const event = { name: 'exception', attributes: attributeList(more) }
        const spans = ingest(exportOf(spanJson({ attributes: list, links: [link], events: [event] })), 1)
        expect(spans).toHaveLength(1)
        for (const span of spans) isSound(span)
      }),
      { numRuns: 500 },
    )
  })

  const plainText = (value: Json): boolean => !JSON.stringify(value).includes('@ag.type=')

  test('in canonical form stay as they are', () => {
    fc.assert(
      fc.property(attributes.filter(plainText), sent => {
        const once = spanOf(sent, { end_time: undefined }).attributes
        const twice = spanOf(once, { end_time: undefined }).attributes
        expect(twice).toEqual(once)
      }),
      { numRuns: 500 },
    )
  })

  test('touch no prototype', () => {
    fc.assert(
      fc.property(attributes, sent => {
        spanOf(sent)
        expect(Object.keys(Object.prototype)).toEqual([])
        expect(({} as JsonObject).polluted).toBeUndefined()
      }),
      { numRuns: 300 },
    )
  })

  /** All plain values; texts that are decoded on the way are replaced by their decoded values. */
  test('lose no value that is not recognised', () => {
    const unrecognised = fc.dictionary(
      fc.constantFrom(
        'ag.other',
        'ag.type.x',
        'ag.data.y.z',
        'ag.metrics.m',
        'ag.session.s',
        'ag.refs.r',
        'vendor.a',
        'b',
        'b.c',
      ),
      fc.integer({ min: 2 }),
      { noNullPrototype: true },
    )
    fc.assert(
      fc.property(unrecognised, sent => {
        const text = JSON.stringify(spanOf(sent).attributes)
        for (const value of Object.values(sent)) expect(text).toContain(String(value))
      }),
    )
  })
})
