import { createHash } from 'node:crypto'
import type { Json } from '@spanhouse/model'
import { encodeTraces } from './json/otlp-json.ts'

/** An attribute in OTLP/JSON. Integers are in quotes, as in protobuf's JSON mapping. */
function attribute(key: string, value: string | number | boolean): object {
  if (typeof value === 'string') return { key, value: { stringValue: value } }
  if (typeof value === 'boolean') return { key, value: { boolValue: value } }
  return { key, value: Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value } }
}

const SPANS_PER_TRACE = 8
const QUESTION = 'Which of our warehouses can ship forty pallets of tempered glass to Trieste before the end of March?'
const ANSWER =
  'Two of them can. Linz has fifty-two pallets in stock and a weekly truck that reaches Trieste in two days; Ljubljana ' +
  'has thirty-eight and would need two more from Graz, which adds a day. I would book Linz, and keep Ljubljana as the ' +
  'second choice in case the pass is closed by snow. Shall I ask both for a quote and hold the pallets until Friday?'

const idOf = (seed: string, digits: number): string => createHash('sha256').update(seed).digest('hex').slice(0, digits)

/**
 * An export shaped like an LLM application's, identical for the same count: traces of eight spans with native `ag.*`
 * and GenAI attributes, prompts and responses, 1.1 KB per span. For tests and measurements.
 */
export function llmExport(spanCount: number): Uint8Array {
  const spans = Array.from({ length: spanCount }, (_, index) => llmSpan(index))
  const resource = {
    attributes: [
      attribute('service.name', 'logistics-assistant'),
      attribute('service.version', '4.2.0'),
      attribute('telemetry.sdk.language', 'python'),
      attribute('telemetry.sdk.name', 'opentelemetry'),
      attribute('deployment.environment.name', 'production'),
    ],
  }
  const scope = { name: 'logistics.assistant', version: '1.0.0' }
  return encodeTraces({ resourceSpans: [{ resource, scopeSpans: [{ scope, spans }] }] } as unknown as Json)
}

function llmSpan(index: number): object {
  const trace = Math.floor(index / SPANS_PER_TRACE)
  const place = index % SPANS_PER_TRACE
  const start = 1_790_000_000_000_000_000n + BigInt(index) * 1_234_567n
  return {
    traceId: idOf(`trace ${trace}`, 32),
    spanId: idOf(`span ${index}`, 16),
    parentSpanId: place === 0 ? '' : idOf(`span ${trace * SPANS_PER_TRACE + Math.floor((place - 1) / 2)}`, 16),
    name: ['answer_question', 'plan', 'retrieve', 'call_model'][place % 4],
    kind: 1,
    startTimeUnixNano: String(start),
    endTimeUnixNano: String(start + 830_000_000n + BigInt(index * 1_000)),
    attributes: llmAttributes(index, place),
    status: { code: 1 },
    flags: 257,
  }
}

function llmAttributes(index: number, place: number): object[] {
  return [
    attribute('ag.type.node', place === 0 ? 'workflow' : 'chat'),
    attribute('ag.data.inputs', JSON.stringify({ question: QUESTION, turn: index, locale: 'en-GB' })),
    attribute('ag.data.outputs', ANSWER),
    attribute('ag.refs.application.slug', 'logistics-assistant'),
    attribute('ag.session.id', `session-${index % 97}`),
    attribute('ag.metrics.unit.tokens.prompt', 412 + (index % 50)),
    attribute('ag.metrics.unit.tokens.completion', 96 + (index % 30)),
    attribute('ag.metrics.unit.tokens.total', 508 + (index % 80)),
    attribute('gen_ai.system', 'openai'),
    attribute('gen_ai.request.model', 'gpt-4o-mini'),
    attribute('gen_ai.response.model', 'gpt-4o-mini-2024-07-18'),
    attribute('gen_ai.request.temperature', 0.2),
    attribute('gen_ai.usage.input_tokens', 412 + (index % 50)),
    attribute('http.response.status_code', 200),
  ]
}
