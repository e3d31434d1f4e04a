import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import * as ai from 'ai'
import { z } from 'zod'
import { failing, inRequest, MISSING_MODEL, MODEL, MODELS, QUESTION, save, startTracing } from './recording.mjs'

startTracing()

const provider = createOpenAICompatible({ name: 'openai', baseURL: `${MODELS}/v1`, apiKey: 'none', includeUsage: true })
const telemetry = { isEnabled: true, functionId: 'answer', metadata: { sessionId: 'chat-42', userId: 'ada' } }
const options = {
  model: provider(MODEL),
  maxRetries: 0,
  experimental_telemetry: telemetry,
  telemetry,
  experimental_context: { city: 'Bari' },
}
const embedding = (provider.embeddingModel ?? provider.textEmbeddingModel).call(provider, 'text-embedding-3-small')
const weather = ai.tool({
  description: 'The weather of a city',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => ({ city, sunny: true }),
})
await inRequest('POST /ask', async () => {
  await ai.generateText({ ...options, system: 'Be brief.', instructions: 'Be brief.', prompt: QUESTION })
  await ai.generateText({
    ...options,
    prompt: QUESTION,
    tools: { weather },
    stopWhen: ai.stepCountIs?.(3) ?? ai.isStepCount(3),
  })
  await ai.streamText({ ...options, messages: [{ role: 'user', content: QUESTION }] }).text
  await ai.generateObject({ ...options, schema: z.object({ city: z.string(), sunny: z.boolean() }), prompt: QUESTION })
  await ai.embed({ ...options, model: embedding, value: 'sunny' })
  await ai.embedMany({ ...options, model: embedding, values: ['sunny', 'rainy'] })
  await failing(() => ai.generateText({ ...options, model: provider(MISSING_MODEL), prompt: QUESTION }))
})
await save('vercel-ai-6-embeddings')
