import { createAnthropic } from '@ai-sdk/anthropic'
import { generateText, stepCountIs, streamText, tool } from 'ai'
import { z } from 'zod'
import { CLAUDE, inRequest, MODELS, QUESTION, save, startTracing } from './recording.mjs'

startTracing()
const anthropic = createAnthropic({ baseURL: `${MODELS}/v1`, apiKey: 'none' })
const weather = tool({
  description: 'The weather of a city',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => ({ city, sunny: true }),
})
const thinking = { anthropic: { thinking: { type: 'enabled', budgetTokens: 1024 } } }
const image = { type: 'file', mediaType: 'image/png', data: 'iVBORw0KGgo=' }
const messages = [{ role: 'user', content: [{ type: 'text', text: QUESTION }, image] }]
const common = {
  model: anthropic(CLAUDE),
  maxOutputTokens: 4096,
  messages,
  tools: { weather },
  stopWhen: stepCountIs(3),
  providerOptions: thinking,
  experimental_telemetry: { isEnabled: true, metadata: { sessionId: 'chat-42', userId: 'ada' } },
}
await inRequest('POST /ask', async () => {
  await generateText(common)
  const { fullStream } = streamText(common)
  for await (const _part of fullStream);
})
await save('vercel-ai-5-anthropic')
