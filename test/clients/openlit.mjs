import { createRequire } from 'node:module'
import { Openlit, usingAttributes } from 'openlit'
import { COLLECTOR, failing, inRequest, MESSAGES, MISSING_MODEL, MODEL, QUESTION, save, WEATHER } from './recording.mjs'

const PRICE = { promptPrice: 0.00015, completionPrice: 0.0006 }
Openlit.init({
  applicationName: 'weather-assistant',
  environment: 'test',
  otlpEndpoint: COLLECTOR,
  disableBatch: true,
  disableMetrics: true,
  disableEvents: true,
  captureMessageContent: true,
  // Its own list of prices is on the network.
  pricingJson: {
    chat: { [`${MODEL}-2024-07-18`]: PRICE, [MODEL]: PRICE },
    embeddings: { 'text-embedding-3-small': 0.00002 },
  },
})
const OpenAI = createRequire(import.meta.url)('openai')
const client = new OpenAI({ maxRetries: 0 })
await usingAttributes({ 'session.id': 'chat-42', 'user.id': 'ada' }, () =>
  inRequest('POST /ask', async () => {
    await client.chat.completions.create({ model: MODEL, messages: MESSAGES })
    const stream = await client.chat.completions.create({
      model: MODEL,
      messages: [{ role: 'user', content: QUESTION }],
      tools: [WEATHER],
      stream: true,
      stream_options: { include_usage: true },
    })
    for await (const _chunk of stream);
    await client.embeddings.create({ model: 'text-embedding-3-small', input: 'sunny' })
    await failing(() => client.chat.completions.create({ model: MISSING_MODEL, messages: MESSAGES }))
  }),
)
await save('openlit')
