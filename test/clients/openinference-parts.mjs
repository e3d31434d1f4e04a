import Anthropic from '@anthropic-ai/sdk'
import { AnthropicInstrumentation } from '@arizeai/openinference-instrumentation-anthropic'
import { OpenAIInstrumentation } from '@arizeai/openinference-instrumentation-openai'
import OpenAI from 'openai'
import { CLAUDE, inRequest, MODEL, QUESTION, save, startTracing, WEATHER } from './recording.mjs'

startTracing()
new OpenAIInstrumentation().manuallyInstrument(OpenAI)
new AnthropicInstrumentation().manuallyInstrument(Anthropic)
const openai = new OpenAI({ maxRetries: 0 })
const anthropic = new Anthropic({ maxRetries: 0 })
const { name, description, parameters } = WEATHER.function
const text = { type: 'text', text: QUESTION }
const pdf = { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0xLjQ=' } }
const call = (id, city) => ({ type: 'tool_use', id, name, input: { city } })
const messages = [
  { role: 'user', content: [text, pdf] },
  { role: 'assistant', content: [{ type: 'text', text: 'I look.' }, call('toolu_1', 'Bari'), call('toolu_2', 'Oslo')] },
  {
    role: 'user',
    content: [
      { type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: 'sunny' }] },
      { type: 'tool_result', tool_use_id: 'toolu_2', content: 'No such city', is_error: true },
    ],
  },
]
const audio = { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } }
const file = { type: 'file', file: { filename: 'bari.pdf', file_data: 'data:application/pdf;base64,JVBERi0xLjQ=' } }

await inRequest('POST /ask', async () => {
  await anthropic.messages.create({
    model: CLAUDE,
    max_tokens: 100,
    system: [{ type: 'text', text: 'Be brief.' }],
    messages,
    tools: [{ name, description, input_schema: parameters }],
  })
  await openai.chat.completions.create({ model: MODEL, messages: [{ role: 'user', content: [text, audio, file] }] })
})
await save('openinference-parts')
