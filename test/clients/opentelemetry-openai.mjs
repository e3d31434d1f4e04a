import { createRequire } from 'node:module'
import { registerInstrumentations } from '@opentelemetry/instrumentation'
import { OpenAIInstrumentation } from '@opentelemetry/instrumentation-openai'
import { failing, inRequest, MESSAGES, MISSING_MODEL, MODEL, save, startTracing } from './recording.mjs'

const provider = startTracing()
process.env.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT = 'true'
registerInstrumentations({
  tracerProvider: provider,
  instrumentations: [new OpenAIInstrumentation({ captureMessageContent: true })],
})
const OpenAI = createRequire(import.meta.url)('openai')
const client = new OpenAI({ maxRetries: 0 })
await inRequest('POST /ask', async () => {
  await client.chat.completions.create({ model: MODEL, messages: MESSAGES })
  await client.embeddings.create({ model: 'text-embedding-3-small', input: 'sunny' })
  await failing(() => client.chat.completions.create({ model: MISSING_MODEL, messages: MESSAGES }))
})
await save('opentelemetry-openai')
