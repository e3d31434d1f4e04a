import { setMetadata, setSession, setUser } from '@arizeai/openinference-core'
import { OpenAIInstrumentation } from '@arizeai/openinference-instrumentation-openai'
import OpenAI from 'openai'
import {
  context,
  failing,
  inRequest,
  MESSAGES,
  MISSING_MODEL,
  MODEL,
  QUESTION,
  save,
  startTracing,
} from './recording.mjs'

startTracing()
new OpenAIInstrumentation().manuallyInstrument(OpenAI)
const client = new OpenAI({ maxRetries: 0 })
await inRequest('POST /ask', () =>
  context.with(
    setMetadata(setUser(setSession(context.active(), { sessionId: 'chat-42' }), { userId: 'ada' }), { tier: 'free' }),
    async () => {
      await client.chat.completions.create({
        model: MODEL,
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: QUESTION },
              { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } },
            ],
          },
        ],
      })
      await client.responses.create({ model: MODEL, input: QUESTION })
      await client.embeddings.create({ model: 'text-embedding-3-small', input: ['sunny', 'rainy'] })
      await failing(() => client.chat.completions.create({ model: MISSING_MODEL, messages: MESSAGES }))
    },
  ),
)
await save('openinference-openai-parts')
