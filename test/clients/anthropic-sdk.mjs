import Anthropic from '@anthropic-ai/sdk'
import { CLAUDE, failing, inRequest, MISSING_MODEL, QUESTION, save, startTracing } from './recording.mjs'

startTracing()
const client = new Anthropic({ maxRetries: 0 })
const messages = [{ role: 'user', content: QUESTION }]
await inRequest('POST /ask', async () => {
  await client.messages.create({ model: CLAUDE, max_tokens: 100, system: 'Be brief.', messages })
  await failing(() => client.messages.create({ model: MISSING_MODEL, max_tokens: 100, messages }))
})
await save('anthropic-sdk')
