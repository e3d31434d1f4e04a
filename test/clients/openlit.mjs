import { trace } from '@opentelemetry/api'
import { createRequire } from 'node:module'
import { CLAUDE, context, exporter, failing, inRequest, MESSAGES, MISSING_MODEL, MODEL, MODELS, QUESTION, save, startTracing, WEATHER } from './recording.mjs'

const require = createRequire(import.meta.url)
process.env.OTEL_SERVICE_NAME = 'weather-assistant'
const openlit = require('openlit').default ?? require('openlit')
const OpenAI = require('openai')
openlit.init({ applicationName: 'weather-assistant', environment: 'staging', pricingJson: MODELS + '/pricing.json', captureMessageContent: true, otlpEndpoint: process.env.OTEL_EXPORTER_OTLP_ENDPOINT, instrumentations: { openai: OpenAI } })
void trace
const client = new OpenAI({ maxRetries: 0 })
await inRequest('POST /ask', async () => {
  await client.chat.completions.create({ model: MODEL, messages: MESSAGES, temperature: 0.2 })
  await client.chat.completions.create({ model: MODEL, messages: MESSAGES, tools: [WEATHER] })
  await client.embeddings.create({ model: 'text-embedding-3-small', input: 'sunny' })
  await failing(() => client.chat.completions.create({ model: MISSING_MODEL, messages: MESSAGES }))
})
await save('openlit')
