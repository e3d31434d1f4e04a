import { setSession, setUser } from '@arizeai/openinference-core'
import { LangChainInstrumentation } from '@arizeai/openinference-instrumentation-langchain'
import { ChatAnthropic } from '@langchain/anthropic'
import * as manager from '@langchain/core/callbacks/manager'
import { tool } from '@langchain/core/tools'
import { ChatOpenAI } from '@langchain/openai'
import { createAgent } from 'langchain'
import { z } from 'zod'
import { CLAUDE, context, inRequest, MODEL, MODELS, QUESTION, save, startTracing } from './recording.mjs'

startTracing()
new LangChainInstrumentation().manuallyInstrument(manager)
const weather = tool(async ({ city }) => ({ city, sunny: true }), {
  name: 'weather',
  description: 'The weather of a city',
  schema: z.object({ city: z.string() }),
})
const agent = createAgent({
  model: new ChatOpenAI({ model: MODEL, maxRetries: 0 }),
  tools: [weather],
  systemPrompt: 'Be brief.',
})
const claude = new ChatAnthropic({
  model: CLAUDE,
  anthropicApiUrl: MODELS,
  maxTokens: 2000,
  thinking: { type: 'enabled', budget_tokens: 1024 },
})
const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }
const messages = [{ role: 'user', content: [{ type: 'text', text: QUESTION }, image] }]

await inRequest('POST /ask', () =>
  context.with(setUser(setSession(context.active(), { sessionId: 'chat-42' }), { userId: 'ada' }), async () => {
    await agent.invoke({ messages: [{ role: 'user', content: QUESTION }] })
    await claude.invoke(messages)
  }),
)
await save('openinference-langchain-agent')
