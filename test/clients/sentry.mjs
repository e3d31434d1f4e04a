import { createRequire } from 'node:module'
import { SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node'
import * as Sentry from '@sentry/node'
import { COLLECTOR, exporter, failing, MESSAGES, MISSING_MODEL, MODEL, QUESTION, save, WEATHER } from './recording.mjs'

Sentry.init({
  dsn: `${COLLECTOR.replace('//', '//none@')}/1`,
  tracesSampleRate: 1,
  sendDefaultPii: true,
  // They would record the exports themselves.
  integrations: defaults => defaults.filter(({ name }) => name !== 'Http' && name !== 'NodeFetch'),
  openTelemetrySpanProcessors: [new SimpleSpanProcessor(exporter())],
})
const OpenAI = createRequire(import.meta.url)('openai')
const client = new OpenAI({ maxRetries: 0 })
await Sentry.startSpan({ name: 'POST /ask', op: 'http.server' }, async () => {
  Sentry.setConversationId('chat-42')
  Sentry.setUser({ id: 'ada' })
  await client.chat.completions.create({ model: MODEL, messages: MESSAGES, tools: [WEATHER] })
  const stream = await client.responses.create({ model: MODEL, input: QUESTION, stream: true })
  for await (const _event of stream);
  await client.embeddings.create({ model: 'text-embedding-3-small', input: 'sunny' })
  await failing(() => client.chat.completions.create({ model: MISSING_MODEL, messages: MESSAGES }))
})
await save('sentry')
