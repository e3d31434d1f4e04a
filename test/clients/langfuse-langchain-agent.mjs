import { ChatAnthropic } from '@langchain/anthropic'
import { tool } from '@langchain/core/tools'
import { ChatOpenAI } from '@langchain/openai'
import { CallbackHandler } from '@langfuse/langchain'
import { LangfuseSpanProcessor } from '@langfuse/otel'
import { createAgent } from 'langchain'
import { z } from 'zod'
import { CLAUDE, MODEL, MODELS, QUESTION, save, startTracing } from './recording.mjs'

startTracing([
  new LangfuseSpanProcessor({
    exporter: { export: (_, done) => done({ code: 0 }), shutdown: async () => {} },
    publicKey: 'none',
    secretKey: 'none',
  }),
])
const callbacks = [new CallbackHandler({ sessionId: 'chat-42', userId: 'ada', tags: ['beta'] })]
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
const stream = await agent.stream(
  { messages: [{ role: 'user', content: QUESTION }] },
  { callbacks, streamMode: 'messages' },
)
for await (const _chunk of stream);
const claude = new ChatAnthropic({
  model: CLAUDE,
  anthropicApiUrl: MODELS,
  maxTokens: 2000,
  thinking: { type: 'enabled', budget_tokens: 1024 },
})
await claude.invoke(QUESTION, { callbacks })
await save('langfuse-langchain-agent')
