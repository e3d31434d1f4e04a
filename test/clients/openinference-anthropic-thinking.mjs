import Anthropic from '@anthropic-ai/sdk'
import { AnthropicInstrumentation } from '@arizeai/openinference-instrumentation-anthropic'
import { CLAUDE, inRequest, QUESTION, save, startTracing, WEATHER } from './recording.mjs'

startTracing()
new AnthropicInstrumentation().manuallyInstrument(Anthropic)
const client = new Anthropic({ maxRetries: 0 })
const { name, description, parameters } = WEATHER.function
const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } }
const question = { role: 'user', content: [{ type: 'text', text: QUESTION }, image] }
const answered = [
  question,
  {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'Bari is in the south.', signature: 'none' },
      { type: 'tool_use', id: 'toolu_1', name, input: { city: 'Bari' } },
    ],
  },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'sunny' }] },
]
const thinking = { type: 'enabled', budget_tokens: 1024 }
const ask = more => client.messages.create({ model: CLAUDE, max_tokens: 2000, thinking, ...more })

await inRequest('POST /ask', async () => {
  await ask({ messages: answered, tools: [{ name, description, input_schema: parameters }] })
  for await (const _event of await ask({ messages: [question], stream: true }));
})
await save('openinference-anthropic-thinking')
