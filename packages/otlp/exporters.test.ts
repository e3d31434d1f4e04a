import { type Context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { JsonTraceSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import type { Span } from '@spanhouse/model'
import { expect, test } from 'vitest'
import { decodeTraces } from './bytes/decode.ts'
import { scanTraces } from './bytes/scan.ts'
import { toSpan } from './canonical/normalise.ts'
import { tracesFromJson } from './exports.testing.ts'

/** A small trace, exported by OpenTelemetry's own SDK for JavaScript. */
function record(): ReadableSpan[] {
  const exporter = new InMemorySpanExporter()
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'shop', 'process.pid': 7 }),
    spanProcessors: [new SimpleSpanProcessor(exporter)],
  })
  const tracer = provider.getTracer('checkout', '1.2.3')
  const root = tracer.startSpan(
    'answer',
    { kind: SpanKind.SERVER, startTime: [1_790_000_000, 123_456_789] },
    ROOT_CONTEXT,
  )
  root.setAttributes({
    'ag.type.node': 'workflow',
    'ag.data.inputs': '{"question":"Capital of Peru?"}',
    'ag.data.outputs.__default__': 'Lima',
    'ag.refs.application.slug': 'geo-bot',
    'ag.session.id': 'chat-42',
    'ratio.values': [0.5, 1.5],
    unicode: 'über 🦦',
  })
  const inRoot: Context = trace.setSpan(ROOT_CONTEXT, root)
  const child = tracer.startSpan(
    'call',
    { links: [{ context: root.spanContext(), attributes: { key: 'source' } }] },
    inRoot,
  )
  child.recordException(new TypeError('no model'))
  child.setStatus({ code: SpanStatusCode.ERROR, message: 'failed' })
  child.end()
  root.end([1_790_000_002, 623_456_789])
  return exporter.getFinishedSpans()
}

const recorded = record()
const bytes = {
  protobuf: ProtobufTraceSerializer.serializeRequest(recorded) as Uint8Array,
  json: tracesFromJson(JsonTraceSerializer.serializeRequest(recorded) as Uint8Array),
}

test.each(['protobuf', 'json'] as const)('a trace from the SDK in %s', encoding => {
  const { spans, rejected, shares } = scanTraces(bytes[encoding], 1, () => 0)
  expect(rejected).toBe(0)
  expect(spans).toEqual(
    recorded.map(span => ({ trace_id: span.spanContext().traceId, span_id: span.spanContext().spanId })),
  )
  const body = shares[0]?.body as Uint8Array
  const [child, root] = [...decodeTraces(body)].map(decoded => toSpan(decoded, 0)) as [Span, Span]
  expect(root).toMatchObject({
    span_name: 'answer',
    span_type: 'workflow',
    span_kind: 'SPAN_KIND_SERVER',
    start_time: 1_790_000_000_123_457,
    end_time: 1_790_000_002_623_457,
    status_code: 'STATUS_CODE_UNSET',
    session_id: 'chat-42',
    references: [{ slug: 'geo-bot', attributes: { key: 'application' } }],
    attributes: {
      ag: {
        type: { span: 'workflow' },
        data: { inputs: { question: 'Capital of Peru?' }, outputs: 'Lima' },
        references: { application: { slug: 'geo-bot' } },
      },
      ratio: { values: [0.5, 1.5] },
      unicode: 'über 🦦',
      resource: { service: { name: 'shop' }, process: { pid: 7 } },
      scope: { name: 'checkout', version: '1.2.3' },
    },
  })
  expect(root.parent_id).toBeUndefined()
  expect(child).toMatchObject({
    parent_id: root.span_id,
    declared_trace_type: 'annotation',
    status_code: 'STATUS_CODE_ERROR',
    status_message: 'failed',
    links: [{ trace_id: root.trace_id, span_id: root.span_id, attributes: { key: 'source' } }],
    attributes: {
      ag: {
        metrics: { errors: { incremental: 1 } },
        exception: { type: 'TypeError', message: 'no model', stacktrace: expect.stringContaining('exporters.test') },
      },
    },
  })
  expect(child.events).toHaveLength(1)
})

test('both encodings mean the same', () => {
  const spansOf = (body: Uint8Array) => [...decodeTraces(body)].map(decoded => toSpan(decoded, 0))
  // JSON does not distinguish whole doubles from integers; nothing else may differ.
  expect(spansOf(bytes.json)).toEqual(spansOf(bytes.protobuf))
})
