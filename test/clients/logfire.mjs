import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import * as logfire from '@pydantic/logfire-node'
import * as ai from 'ai'
import { exporter, failing, MISSING_MODEL, MODEL, MODELS, QUESTION, save } from './recording.mjs'

logfire.configure({
  sendToLogfire: false,
  serviceName: 'weather-assistant',
  console: false,
  additionalSpanProcessors: [new SimpleSpanProcessor(exporter())],
  instrumentations: [],
  nodeAutoInstrumentations: {
    '@opentelemetry/instrumentation-http': { enabled: false },
    '@opentelemetry/instrumentation-undici': { enabled: false },
    '@opentelemetry/instrumentation-net': { enabled: false },
    '@opentelemetry/instrumentation-dns': { enabled: false },
  },
})
const provider = createOpenAICompatible({ name: 'openai', baseURL: `${MODELS}/v1`, apiKey: 'none', includeUsage: true })
await logfire.span('answer {question}', {
  attributes: { question: QUESTION },
  callback: async () => {
    await ai.generateText({
      model: provider(MODEL),
      maxRetries: 0,
      system: 'Be brief.',
      prompt: QUESTION,
      experimental_telemetry: { isEnabled: true },
    })
    await failing(() =>
      ai.generateText({
        model: provider(MISSING_MODEL),
        maxRetries: 0,
        prompt: QUESTION,
        experimental_telemetry: { isEnabled: true },
      }),
    )
    logfire.info('answered', { sunny: true })
  },
})
await logfire.forceFlush?.()
await save('logfire')
