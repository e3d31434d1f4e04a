import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { Mastra } from '@mastra/core'
import { Agent } from '@mastra/core/agent'
import { createTool } from '@mastra/core/tools'
import { createStep, createWorkflow } from '@mastra/core/workflows'
import { Observability } from '@mastra/observability'
import { OtelExporter } from '@mastra/otel-exporter'
import { z } from 'zod'
import { COLLECTOR, failing, MISSING_MODEL, MODEL, MODELS, QUESTION, save } from './recording.mjs'

const provider = createOpenAICompatible({ name: 'openai', baseURL: `${MODELS}/v1`, apiKey: 'none', includeUsage: true })
const weather = createTool({
  id: 'weather',
  description: 'The weather of a city',
  inputSchema: z.object({ city: z.string() }),
  outputSchema: z.object({ sunny: z.boolean() }),
  execute: async () => ({ sunny: true }),
})
const assistant = new Agent({
  id: 'assistant',
  name: 'assistant',
  instructions: 'Be brief.',
  model: provider(MODEL),
  tools: { weather },
  maxRetries: 0,
})
const broken = new Agent({
  id: 'broken',
  name: 'broken',
  instructions: 'Be brief.',
  model: provider(MISSING_MODEL),
  maxRetries: 0,
})
const lookUp = createStep({
  id: 'look_up',
  inputSchema: z.object({ city: z.string() }),
  outputSchema: z.object({ sunny: z.boolean() }),
  execute: async () => ({ sunny: true }),
})
const forecast = createWorkflow({
  id: 'forecast',
  inputSchema: z.object({ city: z.string() }),
  outputSchema: z.object({ sunny: z.boolean() }),
})
  .then(lookUp)
  .commit()
const otel = new OtelExporter({ provider: { custom: { endpoint: `${COLLECTOR}/v1/traces`, protocol: 'http/json' } } })
const mastra = new Mastra({
  agents: { assistant, broken },
  workflows: { forecast },
  logger: false,
  observability: new Observability({ configs: { otel: { serviceName: 'weather-assistant', exporters: [otel] } } }),
})
const tracingOptions = { metadata: { sessionId: 'chat-42', userId: 'ada' } }
await mastra.getAgent('assistant').generate(QUESTION, { tracingOptions })
const run = await mastra.getWorkflow('forecast').createRun()
await run.start({ inputData: { city: 'Bari' }, tracingOptions })
await failing(() => mastra.getAgent('broken').generate(QUESTION, { tracingOptions }))
await otel.flush?.()
await otel.shutdown()
await save('mastra')
