import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import protobuf from 'protobufjs'

/**
 * Seeded exports that look like an LLM application's: 512 spans of about 1.1 KB each, in traces of eight spans (an
 * agent, two steps, a tool, three model calls and a search), sent children first as batch exporters do. The same seed
 * and number give the same bytes, so a run can be repeated and a data set made again.
 */
export const SPANS_PER_EXPORT = 512
const SPANS_PER_TRACE = 8

export interface Export {
  /** gzip-compressed protobuf. */
  body: Buffer
  spans: number
  rawBytes: number
  /** One span of it, to be looked for. */
  sample: { trace_id: string; span_id: string }
}

const { root } = protobuf.parse(`
  syntax = "proto3";
  message TracesData { repeated ResourceSpans resource_spans = 1; }
  message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
  message Resource { repeated KeyValue attributes = 1; }
  message ScopeSpans { Scope scope = 1; repeated Span spans = 2; }
  message Scope { string name = 1; string version = 2; }
  message Span {
    bytes trace_id = 1; bytes span_id = 2; bytes parent_span_id = 4; string name = 5; int32 kind = 6;
    fixed64 start_time_unix_nano = 7; fixed64 end_time_unix_nano = 8; repeated KeyValue attributes = 9; Status status = 15;
  }
  message Status { string message = 2; int32 code = 3; }
  message KeyValue { string key = 1; AnyValue value = 2; }
  message AnyValue { oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; } }
`)
export const TracesData = root.lookupType('TracesData')

const NAMES = ['agent', 'plan', 'search', 'retrieve', 'call_tool', 'chat', 'chat', 'chat']
const TYPES = ['agent', 'chain', 'task', 'query', 'tool', 'chat', 'chat', 'chat']
const PARENTS = [-1, 0, 0, 2, 1, 1, 2, 0]
const MODELS = ['gpt-4o-mini', 'claude-sonnet', 'mistral-large', 'llama-3-70b']
const WORDS =
  'the a of to and in is for on with that as it by from at an be this are or was which more about answer question price city model order user data time year people first last water light train river green small large early after before under over north south'.split(
    ' ',
  )

/** A small generator with a good spread (mulberry32): numbers in [0, 1). */
function generator(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

/** The export number `index` of the data set `seed`; its spans start `index` × 100 ms after `startMs`. */
export function makeExport(seed: number, index: number, startMs: number): Export {
  const random = generator(seed * 1_000_003 + index)
  const spans: object[] = []
  for (let trace = 0; trace < SPANS_PER_EXPORT / SPANS_PER_TRACE; trace++)
    spans.push(...makeTrace(`${seed}/${index}/${trace}`, random, startMs + index * 100 + trace).reverse())
  return encodeExport('bench', spans)
}

/** An export of these spans, which have the fields of `Span` in {@link TracesData}, from one instrumentation. */
export function encodeExport(scope: string, spans: readonly object[]): Export {
  const raw = TracesData.encode(
    TracesData.create({
      resourceSpans: [
        {
          resource: { attributes: [text('service.name', 'assistant'), text('deployment.environment', 'bench')] },
          scopeSpans: [{ scope: { name: scope, version: '1' }, spans }],
        },
      ],
    }),
  ).finish()
  const first = spans[0] as { traceId: Buffer; spanId: Buffer }
  return {
    body: gzipSync(raw, { level: 1 }),
    spans: spans.length,
    rawBytes: raw.length,
    sample: { trace_id: first.traceId.toString('hex'), span_id: first.spanId.toString('hex') },
  }
}

function makeTrace(name: string, random: () => number, startMs: number): object[] {
  const digest = createHash('sha512').update(name).digest()
  const traceId = digest.subarray(0, 16)
  const spanIds = NAMES.map((_, at) => digest.subarray(16 + at * 4, 24 + at * 4))
  const user = `user-${Math.floor(random() * 500)}`
  return NAMES.map((spanName, at) => {
    const start = BigInt(startMs + at * 20) * 1_000_000n
    const parent = PARENTS[at] as number
    return {
      traceId,
      spanId: spanIds[at],
      ...(parent < 0 ? {} : { parentSpanId: spanIds[parent] }),
      name: spanName,
      kind: 1,
      startTimeUnixNano: fixed64(start),
      endTimeUnixNano: fixed64(start + BigInt(Math.floor(random() * 2e9))),
      attributes: attributesOf(TYPES[at] as string, user, random),
      status: { code: random() < 0.03 ? 2 : 1 },
    }
  })
}

function attributesOf(type: string, user: string, random: () => number): object[] {
  const attributes = [
    text('ag.type.node', type),
    text('ag.session.id', `session-${user}`),
    text('ag.user.id', user),
    text('ag.data.inputs', JSON.stringify({ question: sentence(random, 65) })),
    text('ag.data.outputs', sentence(random, 85)),
    text('ag.tags.release', `2026.${Math.floor(random() * 12)}`),
    text('http.route', '/v1/answers'),
  ]
  if (type !== 'chat') return attributes
  const prompt = Math.floor(100 + random() * 2000)
  const completion = Math.floor(10 + random() * 400)
  return [
    ...attributes,
    text('gen_ai.request.model', MODELS[Math.floor(random() * MODELS.length)] as string),
    int('ag.metrics.unit.tokens.prompt', prompt),
    int('ag.metrics.unit.tokens.completion', completion),
    int('ag.metrics.unit.tokens.total', prompt + completion),
    double('ag.metrics.unit.costs.total', (prompt * 15 + completion * 60) / 1e8),
  ]
}

function sentence(random: () => number, words: number): string {
  let said = ''
  for (let word = 0; word < words; word++) said += `${WORDS[Math.floor(random() * WORDS.length)]} `
  return said
}

/** protobufjs encodes a bigint as zero. */
export const fixed64 = (value: bigint): object => ({
  low: Number(BigInt.asIntN(32, value)),
  high: Number(BigInt.asIntN(32, value >> 32n)),
  unsigned: true,
})

export const text = (key: string, value: string): object => ({ key, value: { stringValue: value } })
export const int = (key: string, value: number): object => ({ key, value: { intValue: value } })
export const double = (key: string, value: number): object => ({ key, value: { doubleValue: value } })
