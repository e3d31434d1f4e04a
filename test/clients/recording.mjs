import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { context, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node'
import { startModels } from './fake-models.mjs'

export { ANSWER, MISSING_MODEL } from './fake-models.mjs'
export const MODEL = 'gpt-4o-mini'
export const CLAUDE = 'claude-3-5-haiku-20241022'
export const QUESTION = 'Is it sunny in Bari?'
export const MESSAGES = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: QUESTION },
]
export const WEATHER = {
  type: 'function',
  function: {
    name: 'weather',
    description: 'The weather of a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
}

const groups = []
const collector = createServer((request, reply) => {
  const chunks = []
  request.on('data', chunk => chunks.push(chunk))
  request.on('end', () => {
    if (request.headers['content-type']?.includes('json') && request.url.endsWith('/v1/traces'))
      groups.push(...(JSON.parse(Buffer.concat(chunks).toString()).resourceSpans ?? []))
    else console.error('not recorded:', request.url, request.headers['content-type'])
    reply.writeHead(200, { 'content-type': 'application/json' })
    reply.end('{}')
  })
})
await new Promise(resolve => collector.listen(0, '127.0.0.1', resolve))
collector.unref()
/** Where exporters send to: OTLP over HTTP, as JSON. */
export const COLLECTOR = `http://127.0.0.1:${collector.address().port}`
export const MODELS = await startModels()
process.env.OTEL_EXPORTER_OTLP_ENDPOINT = COLLECTOR
process.env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT = `${COLLECTOR}/v1/traces`
process.env.OTEL_EXPORTER_OTLP_PROTOCOL = 'http/json'
process.env.OPENAI_API_KEY = process.env.ANTHROPIC_API_KEY = 'none'
process.env.OPENAI_BASE_URL = `${MODELS}/v1`
process.env.ANTHROPIC_BASE_URL = MODELS

export const exporter = () => new OTLPTraceExporter({ url: `${COLLECTOR}/v1/traces` })

/** Registers a provider that exports each span to the collector; `processors` run before that. */
export function startTracing(processors = []) {
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'weather-assistant' }),
    spanProcessors: [...processors, new SimpleSpanProcessor(exporter())],
  })
  provider.register({ contextManager: new AsyncLocalStorageContextManager().enable() })
  return provider
}

/** Runs in the span of a server that handles a request. */
export function inRequest(name, run) {
  return trace.getTracer('http-server').startActiveSpan(name, { kind: 1 }, async span => {
    try {
      return await run(span)
    } finally {
      span.end()
    }
  })
}

/** Ignores the error, which the recorded spans show. */
export const failing = async run => {
  try {
    await run()
  } catch {}
}
export { context, trace }

/** Attributes that tell about the machine that recorded. */
const LOCAL =
  /^(host|process|os|telemetry|net|network|server|client|url|http|user_agent|peer|service\.(instance|version))\b|stacktrace|\.(base_url|endpoint|path|filepath)$/

function cleaned(attributes = []) {
  return attributes.filter(({ key }) => !LOCAL.test(key))
}

/** Removes the spans with none of these names, unless there is one with such a name below them. */
function keepOnly(names) {
  const spans = groups.flatMap(({ scopeSpans }) => scopeSpans.flatMap(scope => scope.spans))
  const byId = new Map(spans.map(span => [span.spanId, span]))
  const kept = new Set()
  for (const span of spans)
    if (names.includes(span.name))
      for (let above = span; above && !kept.has(above); above = byId.get(above.parentSpanId)) kept.add(above)
  for (const { scopeSpans } of groups)
    for (const scope of scopeSpans) scope.spans = scope.spans.filter(span => kept.has(span))
}

/** Writes what arrived as the fixture of this name: of spans with some names, if told, and those above them. */
export async function save(name, { only } = {}) {
  await new Promise(resolve => setTimeout(resolve, 1500))
  if (only) keepOnly(only)
  const local = new RegExp(`${MODELS}|${COLLECTOR}`, 'g')
  const resourceSpans = groups.map(({ resource, scopeSpans }) => ({
    resource: { attributes: cleaned(resource?.attributes) },
    scopeSpans: scopeSpans.map(({ scope, spans }) => ({
      scope: { name: scope?.name, version: scope?.version },
      spans: spans.map(span => ({
        ...span,
        attributes: cleaned(span.attributes),
        events: span.events?.map(event => ({ ...event, attributes: cleaned(event.attributes) })),
      })),
    })),
  }))
  const text = JSON.stringify({ resourceSpans }, null, 1)
    .replaceAll(local, 'http://model.example')
    .replaceAll(/\bhome-\w{6}\b/g, 'home')
  const lines = text.replaceAll(/\\n {4}at [^"\\]*/g, '').replaceAll(/"stack":"[^"]*"/g, '"stack":""')
  writeFileSync(`${process.env.RECORD_TO ?? '.'}/${name}.json`, lines)
  console.log(name, resourceSpans.flatMap(r => r.scopeSpans.flatMap(s => s.spans)).length, 'spans')
  process.exit(0)
}
