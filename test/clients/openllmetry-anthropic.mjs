import * as sdk from '@anthropic-ai/sdk'
import { AnthropicInstrumentation } from '@traceloop/instrumentation-anthropic'
import { CLAUDE, failing, inRequest, MISSING_MODEL, QUESTION, save, startTracing, WEATHER } from './recording.mjs'

const provider = startTracing()
const instrumentation = new AnthropicInstrumentation()
instrumentation.setTracerProvider(provider)
instrumentation.manuallyInstrument(sdk)
const client = new sdk.Anthropic({ maxRetries: 0 })
const { name, description, parameters } = WEATHER.function
const tools = [{ name, description, input_schema: parameters }]
const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } }
const question = { role: 'user', content: [{ type: 'text', text: QUESTION }, image] }
const answered = [
  question,
  { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Bari' } }] },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'sunny' }] },
]
const ask = more =>
  client.messages.create({
    model: CLAUDE,
    max_tokens: 2000,
    system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
    messages: [question],
    ...more,
  })

await inRequest('POST /ask', async () => {
  await ask({ tools })
  await ask({ tools, messages: answered, thinking: { type: 'enabled', budget_tokens: 1024 } })
  for await (const _event of await ask({ stream: true, thinking: { type: 'enabled', budget_tokens: 1024 } }));
  await failing(() => ask({ model: MISSING_MODEL }))
})
await save('openllmetry-anthropic')
