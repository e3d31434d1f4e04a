process.env.LANGSMITH_TRACING = 'true'
process.env.LANGSMITH_OTEL_ENABLED = 'true'
process.env.LANGSMITH_API_KEY = 'none'

import { CLAUDE, MODEL, QUESTION, save, startTracing } from './recording.mjs'

const { initializeOTEL } = await import('langsmith/experimental/otel/setup')
const { Client } = await import('langsmith')
const client = new Client()
const { traceable } = await import('langsmith/traceable')
const { wrapAnthropic } = await import('langsmith/wrappers/anthropic')
const Anthropic = (await import('@anthropic-ai/sdk')).default
const provider = startTracing()
initializeOTEL({ globalTracerProvider: provider, skipGlobalContextManagerSetup: true })
const anthropic = wrapAnthropic(new Anthropic({ maxRetries: 0 }), { client })
const step = (run_type, name, run, more) => traceable(run, { name, run_type, client, ...more })
const retrieve = step('retriever', 'retrieve', async () => [{ page_content: 'Bari is in the south.', metadata: {} }])
const render = step('prompt', 'render', async ({ question }) => `Be brief. ${question}`)
const embed = step('embedding', 'embed', async () => [[0.5, 0.25]], {
  metadata: { ls_model_name: 'text-embedding-3-small', ls_provider: 'openai' },
})
const house = step(
  'llm',
  'house',
  async () => ({
    role: 'assistant',
    content: 'It is sunny.',
    usage_metadata: {
      input_tokens: 140,
      output_tokens: 24,
      total_tokens: 164,
      input_token_details: { cache_read: 100 },
    },
  }),
  { metadata: { ls_model_name: MODEL, ls_provider: 'openai' } },
)
const answer = step(
  'chain',
  'answer',
  async question => {
    await retrieve(question)
    await render({ question })
    await embed([question, 'rain'])
    await house({ messages: [{ role: 'user', content: question }] })
    await anthropic.messages.create({
      model: CLAUDE,
      max_tokens: 100,
      system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
      messages: [{ role: 'user', content: question }],
    })
    return { answer: 'sunny' }
  },
  { metadata: { session_id: 'chat-42', user_id: 'ada', plan: { name: 'gold' } }, tags: ['beta'] },
)
await answer(QUESTION)
await client.awaitPendingTraceBatches()
await save('langsmith-anthropic')
