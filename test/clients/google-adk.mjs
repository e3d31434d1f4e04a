import { FunctionTool, InMemoryRunner, LlmAgent } from '@google/adk'
import { z } from 'zod'
import { inRequest, MODELS, QUESTION, save, startTracing } from './recording.mjs'

process.env.GOOGLE_GEMINI_BASE_URL = MODELS
process.env.GEMINI_API_KEY = 'none'
startTracing()
const weather = new FunctionTool({
  name: 'weather',
  description: 'The weather of a city',
  parameters: z.object({ city: z.string() }),
  execute: async ({ city }) => ({ city, sunny: true }),
})
const agent = new LlmAgent({
  name: 'assistant',
  description: 'Knows the weather',
  instruction: 'Be brief.',
  model: 'gemini-2.5-flash',
  tools: [weather],
})
const runner = new InMemoryRunner({ agent, appName: 'weather-assistant' })
const ids = { userId: 'ada', sessionId: 'chat-42' }
await runner.sessionService.createSession({ appName: 'weather-assistant', ...ids })
await inRequest('POST /ask', async () => {
  const newMessage = { role: 'user', parts: [{ text: QUESTION }] }
  for await (const _event of runner.runAsync({ ...ids, newMessage }));
})
await save('google-adk')
