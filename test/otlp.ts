import { randomBytes } from 'node:crypto'
import { parseJson } from '@spanhouse/model'
import { encodeTraces } from '@spanhouse/otlp'

export const newTraceId = (): string => randomBytes(16).toString('hex')
export const newSpanId = (): string => randomBytes(8).toString('hex')

/** A trace id, or a span id twice, as a UUID. */
export const dashed = (id: string): string =>
  `${id.slice(0, 8)}-${id.slice(8, 12)}-${id.slice(12, 16)}-${id.slice(16, 20)}-${id.slice(20)}`

export interface OtlpSpan {
  traceId: string
  spanId: string
  parentSpanId?: string
  name?: string
  kind?: number
  startTimeUnixNano?: string
  endTimeUnixNano?: string
  attributes?: { key: string; value: object }[]
  [key: string]: unknown
}

const START = 1_770_000_000_000_000_000n

/** A span in OTLP/JSON: a second long, with attributes from plain values. */
export function otlpSpan(
  span: Pick<OtlpSpan, 'traceId'> & Partial<OtlpSpan>,
  attributes: Record<string, unknown> = {},
): OtlpSpan {
  return {
    spanId: newSpanId(),
    name: 'step',
    kind: 1,
    startTimeUnixNano: String(START),
    endTimeUnixNano: String(START + 1_000_000_000n),
    attributes: Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) })),
    ...span,
  }
}

export const exportOf = (...spans: OtlpSpan[]): object => ({
  resourceSpans: [
    {
      resource: { attributes: [{ key: 'service.name', value: { stringValue: 'tests' } }] },
      scopeSpans: [{ scope: { name: 'tests' }, spans }],
    },
  ],
})

/** The same export in protobuf. */
export const protobufOf = (...spans: OtlpSpan[]): Uint8Array =>
  encodeTraces(parseJson(JSON.stringify(exportOf(...spans))))

function anyValue(value: unknown): object {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value === 'bigint') return { intValue: String(value) }
  if (typeof value === 'number')
    return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value }
  if (Array.isArray(value)) return { arrayValue: { values: value.map(anyValue) } }
  return {
    kvlistValue: { values: Object.entries(value as object).map(([key, one]) => ({ key, value: anyValue(one) })) },
  }
}
