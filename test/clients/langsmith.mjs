process.env.LANGSMITH_TRACING = 'true'
process.env.LANGSMITH_OTEL_ENABLED = 'true'
process.env.LANGSMITH_API_KEY = 'none'

import { failing, MESSAGES, MISSING_MODEL, MODEL, QUESTION, save, startTracing } from './recording.mjs'

const { initializeOTEL } = await import('langsmith/experimental/otel/setup')
const { Client } = await import('langsmith')
const shared = new Client()
const { traceable } = await import('langsmith/traceable')
const { wrapOpenAI } = await import('langsmith/wrappers')
const { ChatOpenAI } = await import('@langchain/openai')
const OpenAI = (await import('openai')).default
const provider = startTracing()
initializeOTEL({ globalTracerProvider: provider })
const client = wrapOpenAI(new OpenAI({ maxRetries: 0 }), { client: shared })
const weather = traceable(async ({ city }) => ({ city, sunny: true }), {
  name: 'weather',
  run_type: 'tool',
  client: shared,
})
const answer = traceable(
  async question => {
    await weather({ city: 'Bari' })
    const { choices } = await client.chat.completions.create({ model: MODEL, messages: MESSAGES })
    await new ChatOpenAI({ model: MODEL, maxRetries: 0 }).invoke(question)
    await failing(() => client.chat.completions.create({ model: MISSING_MODEL, messages: MESSAGES }))
    return choices[0].message.content
  },
  {
    name: 'answer',
    run_type: 'chain',
    client: shared,
    metadata: { session_id: 'chat-42', user_id: 'ada' },
    tags: ['beta'],
  },
)
await answer(QUESTION)
await shared.awaitPendingTraceBatches()
await save('langsmith')
