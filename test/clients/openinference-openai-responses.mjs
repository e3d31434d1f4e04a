import { OpenAIInstrumentation } from '@arizeai/openinference-instrumentation-openai'
import OpenAI from 'openai'
import { inRequest, MODEL, QUESTION, save, startTracing, WEATHER } from './recording.mjs'

startTracing()
new OpenAIInstrumentation().manuallyInstrument(OpenAI)
const client = new OpenAI({ maxRetries: 0 })
const IMAGE = { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=', detail: 'auto' }
const CALL = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'weather', arguments: '{"city":"Bari"}' }
const question = { role: 'user', content: [{ type: 'input_text', text: QUESTION }, IMAGE] }

const answered = [question, CALL, { type: 'function_call_output', call_id: 'call_1', output: 'sunny' }]
const tools = [{ type: 'function', ...WEATHER.function }]
const ask = more => client.responses.create({ model: MODEL, instructions: 'Be brief.', input: [question], ...more })

await inRequest('POST /ask', async () => {
  await ask({ tools, input: answered })
  await ask({ tools: [{ type: 'web_search' }], reasoning: { effort: 'low', summary: 'auto' } })
  for await (const _event of await ask({ tools, stream: true }));
})
await save('openinference-openai-responses')
