import { type Attributes, ROOT_CONTEXT, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node'
import type { Place } from '../prompt.ts'
import type { Step, Visit } from './step.ts'

/** A visit that was sent. */
export interface Sent {
  visit: Visit
  trace_id: string
  span_id: string
}

/** Visits between two flushes: the queue of an exporter drops what exceeds it. */
const VISITS_PER_FLUSH = 100

/** Sends visits through an OpenTelemetry SDK, with the times at which they took place. */
export async function sendVisits({ url, headers }: Place, visits: readonly Visit[]): Promise<Sent[]> {
  const providers = new Map<string, NodeTracerProvider>()
  const tracerOf = ({ service, environment }: Visit): Tracer => {
    const key = `${service} ${environment}`
    const provider = providers.get(key) ?? providerOf(service, environment)
    providers.set(key, provider)
    return provider.getTracer(service, '1.0.0')
  }
  const providerOf = (service: string, environment: string): NodeTracerProvider =>
    new NodeTracerProvider({
      resource: resourceFromAttributes({ 'service.name': service, 'deployment.environment.name': environment }),
      spanProcessors: [
        new BatchSpanProcessor(new OTLPTraceExporter({ url: `${url}/api/otlp/v1/traces`, headers }), {
          maxQueueSize: 4_000,
        }),
      ],
    })
  const sent: Sent[] = []
  for (const visit of visits) {
    sent.push(send(tracerOf(visit), visit))
    if (sent.length % VISITS_PER_FLUSH === 0)
      await Promise.all([...providers.values()].map(provider => provider.forceFlush()))
  }
  await Promise.all([...providers.values()].map(provider => provider.shutdown()))
  return sent
}

function send(tracer: Tracer, visit: Visit): Sent {
  const { session, user, at, step } = visit
  const ids: Attributes = { 'user.id': user, ...(session && { 'session.id': session }) }
  let root: Sent | undefined
  /** Returns when the step ended. */
  const run = (one: Step, began: number, context = ROOT_CONTEXT): number => {
    const kind = one.type === 'chat' || one.type === 'embedding' ? SpanKind.CLIENT : SpanKind.INTERNAL
    const span = tracer.startSpan(
      one.name,
      { kind, startTime: began, attributes: { ...ids, ...attributesOf(one) } },
      context,
    )
    const { traceId, spanId } = span.spanContext()
    root ??= { visit, trace_id: traceId, span_id: spanId }
    const inner = trace.setSpan(context, span)
    let end = began + one.ms / 2
    for (const next of one.steps ?? []) end = run(next, end, inner)
    end += one.ms / 2
    if (one.fails) {
      span.recordException(new Error(one.fails), end)
      span.setStatus({ code: SpanStatusCode.ERROR, message: one.fails })
    }
    span.end(end)
    return end
  }
  run(step, at)
  return root as unknown as Sent
}

const attributesOf = ({ type, inputs, outputs, usage }: Step): Attributes => ({
  'ag.type.node': type,
  ...(inputs !== undefined && { 'ag.data.inputs': JSON.stringify(inputs) }),
  ...(outputs !== undefined && { 'ag.data.outputs': typeof outputs === 'string' ? outputs : JSON.stringify(outputs) }),
  ...(usage && {
    'gen_ai.request.model': usage.model,
    'gen_ai.response.model': usage.model,
    'ag.metrics.unit.tokens.prompt': usage.prompt,
    'ag.metrics.unit.tokens.completion': usage.completion,
    'ag.metrics.unit.tokens.total': usage.prompt + usage.completion,
  }),
})
