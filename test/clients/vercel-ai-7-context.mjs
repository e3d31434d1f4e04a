import { createCohere } from '@ai-sdk/cohere'
import { createOpenAI } from '@ai-sdk/openai'
import { LegacyOpenTelemetry, OpenTelemetry } from '@ai-sdk/otel'
import { embedMany, generateText, isStepCount, rerank, tool } from 'ai'
import { z } from 'zod'
import { inRequest, MODEL, MODELS, QUESTION, save, startTracing } from './recording.mjs'

startTracing()
const openai = createOpenAI({ baseURL: `${MODELS}/v1`, apiKey: 'none' })
const cohere = createCohere({ baseURL: `${MODELS}/v2`, apiKey: 'none' })
const weather = tool({
  description: 'The weather of a city',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => ({ city, sunny: true }),
})
const optionsOf = integration => ({
  maxRetries: 0,
  runtimeContext: { sessionId: 'chat-42', userId: 'ada', plan: 'gold' },
  telemetry: {
    isEnabled: true,
    functionId: 'answer',
    integrations: [integration],
    includeRuntimeContext: { sessionId: true, userId: true, plan: true },
  },
})

const all = new OpenTelemetry({ usage: true, embedding: true, reranking: true, runtimeContext: true, toolChoice: true })
for (const integration of [all, new LegacyOpenTelemetry()]) {
  const options = optionsOf(integration)
  await inRequest('POST /ask', async () => {
    await generateText({
      ...options,
      model: openai(MODEL),
      prompt: QUESTION,
      tools: { weather },
      stopWhen: isStepCount(3),
    })
    const values = ['sunny', '{"rain":2}']
    await embedMany({ ...options, model: openai.embedding('text-embedding-3-small'), values })
    await rerank({
      ...options,
      model: cohere.reranking('rerank-v3.5'),
      query: QUESTION,
      documents: ['It rains in Oslo.', 'It is sunny in Bari.'],
    })
  })
}
await save('vercel-ai-7-context')
