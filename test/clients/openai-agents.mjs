import { OpenAIAgentsInstrumentation } from '@arizeai/openinference-instrumentation-openai-agents'
import * as agents from '@openai/agents'
import { z } from 'zod'
import { failing, MISSING_MODEL, MODEL, QUESTION, save, startTracing } from './recording.mjs'

startTracing()
new OpenAIAgentsInstrumentation().manuallyInstrument?.(agents)
agents.setDefaultOpenAIClient?.(new (await import('openai')).default({ maxRetries: 0 }))
const weather = agents.tool({
  name: 'weather',
  description: 'The weather of a city',
  parameters: z.object({ city: z.string() }),
  execute: async () => 'Sunny',
})
const agent = new agents.Agent({ name: 'assistant', instructions: 'Be brief.', model: MODEL, tools: [weather] })
await agents.withTrace('answer', () => agents.run(agent, QUESTION), { groupId: 'chat-42' })
await failing(() => agents.run(new agents.Agent({ name: 'broken', model: MISSING_MODEL }), QUESTION))
await agents.getGlobalTraceProvider?.().forceFlush?.()
await save('openai-agents')
