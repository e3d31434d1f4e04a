import { context, propagation, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node'
import { expect, test } from 'vitest'
import { eventually, newProject } from '../harness.ts'

const project = await newProject()
await project.post('/api/secrets/', {
  header: { name: 'OpenAI' },
  secret: { kind: 'provider_key', data: { kind: 'openai', provider: { key: 'sk-any' } } },
})

/** A span of a client that calls the services inside it, as an instrumented HTTP client would. */
async function insideSpan(name: string, path: string, body: object): Promise<{ traceId: string; answer: any }> {
  const headers = { Authorization: `ApiKey ${project.apiKey}` }
  const exporter = new OTLPTraceExporter({ url: `${project.receiverUrl}/api/otlp/v1/traces`, headers })
  const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  provider.register()
  const span = provider.getTracer('client').startSpan(name)
  const answer = await context.with(trace.setSpan(context.active(), span), () => {
    const carried: Record<string, string> = {}
    propagation.inject(context.active(), carried)
    return project.run(path, body, carried)
  })
  span.end()
  await provider.shutdown()
  expect(answer.status, answer.text).toBe(200)
  return { traceId: span.spanContext().traceId, answer: answer.body }
}

test("an application run inside a client's span is in the client's trace, below that span", async () => {
  const parameters = { prompt: { messages: [{ role: 'user', content: 'hi' }], llm_config: { model: 'gpt-4o-mini' } } }
  const { traceId, answer } = await insideSpan('checkout', '/completion/v0/invoke?mock=hello', { data: { parameters } })
  expect(answer.trace_id).toBe(traceId)
  const spans = await eventually(async () => {
    const { body } = await project.get(`/api/traces/${traceId}`)
    return body.trace?.spans.checkout?.spans?.completion_v0?.spans && body.trace.spans
  })
  expect(Object.keys(spans)).toEqual(['checkout'])
  const run = spans.checkout.spans.completion_v0
  expect(run).toMatchObject({ span_id: answer.span_id, parent_id: spans.checkout.span_id, trace_type: 'invocation' })
  expect(run.attributes.ag.data).toMatchObject({ parameters, outputs: answer.data.outputs })
  expect(Object.keys(run.spans)).toEqual(['llm.chat'])
})

test("an evaluator run inside a client's span that judges another trace is an annotation of that trace", async () => {
  const judged = { trace_id: 'a'.repeat(32), span_id: 'b'.repeat(16) }
  const { traceId } = await insideSpan('nightly scoring', '/auto_exact_match/v0/invoke', {
    links: { invocation: judged },
    data: { parameters: { correct_answer_key: 'expected' }, inputs: { expected: '4' }, outputs: '4' },
  })
  const spans = await eventually(async () => {
    const { body } = await project.post('/api/spans/query', {
      filter: { conditions: [{ field: 'trace_id', value: traceId }] },
    })
    const types = body.spans?.map((span: any) => span.trace_type) ?? []
    return types.length === 2 && types.every((type: string) => type === 'annotation') && body.spans
  })
  const run = (spans as any[]).find(span => span.span_name === 'auto_exact_match_v0')
  expect(run.links).toEqual([{ ...judged, attributes: { key: 'invocation' } }])
})
