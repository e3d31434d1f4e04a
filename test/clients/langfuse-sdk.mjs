import { observeOpenAI } from '@langfuse/openai'
import { LangfuseSpanProcessor } from '@langfuse/otel'
import { propagateAttributes, startActiveObservation, startObservation } from '@langfuse/tracing'
import OpenAI from 'openai'
import { MESSAGES, MODEL, QUESTION, save, startTracing } from './recording.mjs'

startTracing([
  new LangfuseSpanProcessor({
    exporter: { export: (_, done) => done({ code: 0 }), shutdown: async () => {} },
    publicKey: 'none',
    secretKey: 'none',
    environment: 'staging',
    release: 'r7',
    exportMode: 'immediate',
  }),
])
const client = observeOpenAI(new OpenAI({ maxRetries: 0 }), { generationName: 'ask' })
await propagateAttributes({ sessionId: 'chat-42', userId: 'ada', tags: ['beta'], metadata: { tier: 'free' } }, () =>
  startActiveObservation('answer', async root => {
    root.update({ input: { question: QUESTION } })
    await client.chat.completions.create({ model: MODEL, messages: MESSAGES, temperature: 0.2 })
    await startActiveObservation(
      'write',
      async generation => {
        generation.update({
          model: MODEL,
          input: MESSAGES,
          output: { role: 'assistant', content: 'It is sunny in Bari.' },
          modelParameters: { temperature: 0.2 },
          usageDetails: { input: 40, input_cached_tokens: 100, output: 16, output_reasoning_tokens: 8, total: 164 },
          costDetails: { input: 0.01, output: 0.02, total: 0.03 },
          prompt: { name: 'weather', version: 3, isFallback: false },
        })
      },
      { asType: 'generation' },
    )
    await startActiveObservation(
      'weather',
      async tool => {
        tool.update({ input: { city: 'Bari' }, output: 'sunny' })
      },
      { asType: 'tool' },
    )
    await startActiveObservation(
      'cities',
      async retriever => {
        retriever.update({ input: 'Bari', output: [{ text: 'A city' }] })
      },
      { asType: 'retriever' },
    )
    await startActiveObservation(
      'embed',
      async one => {
        one.update({ input: 'Bari', model: 'text-embedding-3-small', usageDetails: { input: 8 } })
      },
      { asType: 'embedding' },
    )
    startObservation('forecast', { input: 'Bari', level: 'ERROR', statusMessage: 'No such city' }).end()
    root.update({ output: { answer: 'It is sunny in Bari.' } })
    root.updateTrace?.({ name: 'weather', input: { question: QUESTION }, output: { answer: 'sunny' } })
  }),
)
await save('langfuse-sdk')
