import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { OpenTelemetry } from '@ai-sdk/otel'
import { generateText, registerTelemetry, stepCountIs, streamText, ToolLoopAgent, tool } from 'ai'
import { z } from 'zod'
import { CLAUDE, failing, inRequest, MODEL, MODELS, QUESTION, save, startTracing } from './recording.mjs'

startTracing()
registerTelemetry(new OpenTelemetry())
const openai = createOpenAI({ baseURL: `${MODELS}/v1`, apiKey: 'none' })
const anthropic = createAnthropic({ baseURL: `${MODELS}/v1`, apiKey: 'none' })
const weatherBy = execute =>
  tool({ description: 'The weather of a city', inputSchema: z.object({ city: z.string() }), execute })
const noSuchCity = async () => {
  throw new Error('No such city')
}
const image = { type: 'file', mediaType: 'image/png', data: 'iVBORw0KGgo=' }
const messages = [{ role: 'user', content: [{ type: 'text', text: QUESTION }, image] }]
const thinking = {
  model: anthropic(CLAUDE),
  maxOutputTokens: 4096,
  providerOptions: { anthropic: { thinking: { type: 'enabled', budgetTokens: 1024 } } },
}

await inRequest('POST /ask', async () => {
  const agent = new ToolLoopAgent({
    ...thinking,
    instructions: 'Be brief.',
    tools: { weather: weatherBy(async ({ city }) => ({ city, sunny: true })) },
    stopWhen: stepCountIs(3),
  })
  await agent.generate({ prompt: QUESTION })
  await generateText({ model: openai(MODEL), messages })
  const { fullStream } = streamText({ ...thinking, messages, tools: { weather: weatherBy(noSuchCity) } })
  for await (const _part of fullStream);
  const controller = new AbortController()
  const aborted = streamText({ ...thinking, prompt: QUESTION, abortSignal: controller.signal })
  await failing(async () => {
    for await (const _part of aborted.fullStream) controller.abort()
  })
})
await save('vercel-ai-7-agent')
