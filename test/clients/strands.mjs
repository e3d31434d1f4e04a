import { Agent, tool } from '@strands-agents/sdk'
import { OpenAIModel } from '@strands-agents/sdk/models/openai'
import { z } from 'zod'
import { failing, MISSING_MODEL, MODEL, QUESTION, save, startTracing } from './recording.mjs'

startTracing()
const weather = tool({
  name: 'weather',
  description: 'The weather of a city',
  inputSchema: z.object({ city: z.string() }),
  callback: async () => 'Sunny',
})
const modelOf = modelId =>
  new OpenAIModel({ api: 'chat', modelId, apiKey: 'none', maxRetries: 0, clientConfig: { maxRetries: 0 } })
const agent = new Agent({
  model: modelOf(MODEL),
  systemPrompt: 'Be brief.',
  tools: [weather],
  printer: false,
  name: 'assistant',
  traceAttributes: { 'session.id': 'chat-42', 'user.id': 'ada' },
})
await agent.invoke(QUESTION)
await failing(() => new Agent({ model: modelOf(MISSING_MODEL), printer: false }).invoke(QUESTION))
await save('strands')
