import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as ProtoExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { BatchSpanProcessor, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node'
import { expect, test } from 'vitest'
import { eventually, newProject } from '../harness.ts'

const EXPORTERS = { protobuf: ProtoExporter, JSON: JsonExporter }
const PROCESSORS = { batch: BatchSpanProcessor, 'one by one': SimpleSpanProcessor }

const CASES = Object.keys(EXPORTERS).flatMap(encoding =>
  Object.keys(PROCESSORS).map(way => [encoding, way] as [keyof typeof EXPORTERS, keyof typeof PROCESSORS]),
)

test.each(CASES)(
  'an OpenTelemetry SDK that sends %s, %s, gets its trace back as a tree with totals',
  async (encoding, way) => {
    const project = await newProject()
    const exporter = new EXPORTERS[encoding]({
      url: `${project.receiverUrl}/api/otlp/v1/traces`,
      headers: { Authorization: `ApiKey ${project.apiKey}` },
    })
    const provider = new NodeTracerProvider({ spanProcessors: [new PROCESSORS[way](exporter)] })
    const traceId = runAgent(provider)
    await provider.forceFlush()
    const tree = await eventually(async () => {
      const { body } = await project.get(`/api/traces/${traceId}`)
      return body.trace?.spans.answer?.spans?.step?.[1]?.spans?.model && body.trace.spans
    })
    expect(Object.keys(tree)).toEqual(['answer'])
    expect(tree.answer).toMatchObject({
      span_type: 'workflow',
      span_kind: 'SPAN_KIND_SERVER',
      status_code: 'STATUS_CODE_OK',
      session_id: 'chat-42',
      attributes: {
        ag: {
          type: { trace: 'invocation', span: 'workflow' },
          data: { inputs: { question: 'Capital of Peru?' }, outputs: 'Lima' },
          metrics: {
            errors: { cumulative: 1 },
            tokens: { cumulative: { prompt: 60, completion: 9, total: 69 } },
            costs: { cumulative: { total: 0.3 } },
          },
        },
        resource: { service: { name: expect.stringContaining('unknown_service') } },
      },
    })
    expect(tree.answer.spans.step).toHaveLength(3)
    for (const step of tree.answer.spans.step)
      expect(step.attributes.ag.metrics.tokens.cumulative).toEqual({ prompt: 20, completion: 3, total: 23 })
    // They start within a millisecond, so their order is that of their ids.
    const failed = tree.answer.spans.step.find((step: any) => step.spans.model.events)
    expect(failed.spans.model.events).toMatchObject([
      { name: 'exception', attributes: { 'exception.message': 'no answer' } },
    ])
    expect(failed.spans.model.attributes.ag.exception).toMatchObject({ message: 'no answer' })
    await provider.shutdown()
  },
)

/** An agent with three steps that call a model each; children end before their parents, as they do. */
function runAgent(provider: NodeTracerProvider): string {
  const tracer = provider.getTracer('assistant', '1.2.3')
  const root = tracer.startSpan('answer', {
    kind: SpanKind.SERVER,
    attributes: {
      'ag.type.node': 'workflow',
      'ag.session.id': 'chat-42',
      'ag.data.inputs': '{"question":"Capital of Peru?"}',
      'ag.data.outputs': 'Lima',
    },
  })
  const inRoot = trace.setSpan(context.active(), root)
  for (const number of [1, 2, 3]) {
    const step = tracer.startSpan('step', { attributes: { 'ag.type.node': 'chain' } }, inRoot)
    const model = tracer.startSpan(
      'model',
      {
        attributes: {
          'ag.type.node': 'chat',
          'ag.metrics.unit.tokens.prompt': 20,
          'ag.metrics.unit.tokens.completion': 3,
          'ag.metrics.unit.tokens.total': 23,
          'ag.metrics.unit.costs.total': 0.1,
        },
      },
      trace.setSpan(inRoot, step),
    )
    if (number === 1) model.recordException(new Error('no answer'))
    model.end()
    step.end()
  }
  root.setStatus({ code: SpanStatusCode.OK })
  root.end()
  return root.spanContext().traceId
}
