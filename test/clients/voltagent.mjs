import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node'
import { Agent, createTool, VoltAgentObservability } from '@voltagent/core'
import { z } from 'zod'
import { exporter, failing, MISSING_MODEL, MODEL, MODELS, QUESTION, save } from './recording.mjs'

const provider = createOpenAICompatible({ name: 'openai', baseURL: `${MODELS}/v1`, apiKey: 'none', includeUsage: true })
const observability = new VoltAgentObservability({
  serviceName: 'weather-assistant',
  spanProcessors: [new SimpleSpanProcessor(exporter())],
})
const weather = createTool({
  name: 'weather',
  description: 'The weather of a city',
  parameters: z.object({ city: z.string() }),
  execute: async ({ city }) => ({ city, sunny: true }),
})
const agentOf = (name, model, more) =>
  new Agent({ name, instructions: 'Be brief.', model: provider(model), maxRetries: 0, observability, ...more })
const ids = { userId: 'ada', conversationId: 'chat-42' }
await agentOf('assistant', MODEL, { tools: [weather] }).generateText(QUESTION, ids)
const { textStream } = await agentOf('writer', MODEL).streamText(QUESTION, ids)
for await (const _piece of textStream);
await failing(() => agentOf('broken', MISSING_MODEL).generateText(QUESTION, ids))
await save('voltagent')
