import { ChatOpenAI } from '@langchain/openai'
import { SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node'
import { getLangWatchTracer } from 'langwatch'
import { LangWatchCallbackHandler } from 'langwatch/observability/instrumentation/langchain'
import { setupObservability } from 'langwatch/observability/node'
import { ANSWER, exporter, failing, MESSAGES, MODEL, QUESTION, save } from './recording.mjs'

setupObservability({
  serviceName: 'weather-assistant',
  langwatch: 'disabled',
  spanProcessors: [new SimpleSpanProcessor(exporter())],
  advanced: { skipOpenTelemetrySetup: false },
})
const tracer = getLangWatchTracer('weather-assistant')
const attributes = {
  'langwatch.thread.id': 'chat-42',
  'langwatch.user.id': 'ada',
  'langwatch.customer.id': 'acme',
  'langwatch.labels': ['beta'],
}
await tracer.withActiveSpan('answer', { attributes }, async root => {
  root.setType('workflow').setInput({ question: QUESTION })
  await tracer.withActiveSpan('ask', async span => {
    span.setType('llm').setRequestModel(MODEL).setInput('chat_messages', MESSAGES)
    span.setOutput('chat_messages', [{ role: 'assistant', content: ANSWER }])
    span.setMetrics({ promptTokens: 140, completionTokens: 24 })
  })
  await tracer.withActiveSpan('ask elsewhere', async span => {
    span.setType('llm').setRequestModel('house').setInput('text', '{"city":"Bari"}').setOutput('text', '{"sunny":true}')
    span.setMetrics({ promptTokens: 10, completionTokens: 2, cost: 0.002 })
  })
  await tracer.withActiveSpan('cities', async span => {
    span.setType('rag').setInput('text', QUESTION)
    span.setRAGContexts([{ document_id: 'bari', chunk_id: '1', content: 'Bari is in the south.' }])
  })
  await tracer.withActiveSpan('weather', async span => {
    span.setType('tool').setInput('json', { city: 'Bari' }).setOutput('json', { sunny: true })
  })
  await failing(() =>
    tracer.withActiveSpan('forecast', async span => {
      span.setType('agent').setInput('list', [{ type: 'text', value: 'Bari' }])
      throw new Error('No such city')
    }),
  )
  await new ChatOpenAI({ model: MODEL, maxRetries: 0 }).invoke(QUESTION, {
    callbacks: [new LangWatchCallbackHandler()],
  })
  root.setOutput(ANSWER)
})
await save('langwatch')
