import { chat, toolDefinition } from '@tanstack/ai'
import { otelMiddleware } from '@tanstack/ai/middlewares/otel'
import { createOpenaiChatCompletions } from '@tanstack/ai-openai'
import { z } from 'zod'
import { failing, inRequest, MISSING_MODEL, MODEL, MODELS, QUESTION, save, startTracing, trace } from './recording.mjs'

startTracing()
const middleware = [otelMiddleware({ tracer: trace.getTracer('tanstack-ai'), captureContent: true })]
const weather = toolDefinition({
  name: 'weather',
  description: 'The weather of a city',
  inputSchema: z.object({ city: z.string() }),
  outputSchema: z.object({ city: z.string(), sunny: z.boolean() }),
}).server(async ({ city }) => ({ city, sunny: true }))
const adapterOf = model => createOpenaiChatCompletions(model, 'none', { baseURL: `${MODELS}/v1`, maxRetries: 0 })
const ask = async (model, more) => {
  const stream = chat({
    adapter: adapterOf(model),
    systemPrompts: ['Be brief.'],
    messages: [{ role: 'user', content: QUESTION }],
    middleware,
    ...more,
  })
  for await (const _chunk of stream);
}
await inRequest('POST /ask', async () => {
  await ask(MODEL, { tools: [weather] })
  await failing(() => ask(MISSING_MODEL))
})
await save('tanstack-ai')
