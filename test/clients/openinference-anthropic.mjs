import Anthropic from '@anthropic-ai/sdk'
import { setSession, setUser } from '@arizeai/openinference-core'
import { AnthropicInstrumentation } from '@arizeai/openinference-instrumentation-anthropic'
import {
  CLAUDE,
  context,
  failing,
  inRequest,
  MISSING_MODEL,
  QUESTION,
  save,
  startTracing,
  WEATHER,
} from './recording.mjs'

startTracing()
const instrumentation = new AnthropicInstrumentation()
instrumentation.manuallyInstrument(Anthropic)
const client = new Anthropic({ maxRetries: 0 })
const messages = [{ role: 'user', content: QUESTION }]
const { name, description, parameters } = WEATHER.function
const tools = [{ name, description, input_schema: parameters }]
const ask = more => client.messages.create({ model: CLAUDE, max_tokens: 100, system: 'Be brief.', messages, ...more })

await inRequest('POST /ask', () =>
  context.with(setUser(setSession(context.active(), { sessionId: 'chat-42' }), { userId: 'ada' }), async () => {
    await ask({})
    await ask({ tools })
    await failing(() => ask({ model: MISSING_MODEL }))
  }),
)
await save('openinference-anthropic')
