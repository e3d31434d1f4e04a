import Anthropic from '@anthropic-ai/sdk'
import * as traceloop from '@traceloop/node-server-sdk'
import OpenAI from 'openai'
import { CLAUDE, exporter, failing, MESSAGES, MISSING_MODEL, MODEL, QUESTION, save, WEATHER } from './recording.mjs'

traceloop.initialize({
  appName: 'weather-assistant',
  exporter: exporter(),
  disableBatch: true,
  silenceInitializationMessage: true,
  traceloopSyncEnabled: false,
  instrumentModules: { openAI: OpenAI },
})
const openai = new OpenAI({ maxRetries: 0 })
const anthropic = new Anthropic({ maxRetries: 0 })
await traceloop.withAssociationProperties({ session_id: 'chat-42', user_id: 'ada' }, () =>
  traceloop.withWorkflow({ name: 'answer_question' }, async () => {
    await traceloop.withTask({ name: 'look_up', inputParameters: [{ city: 'Bari' }] }, async () => ({ sunny: true }))
    await traceloop.withAgent({ name: 'assistant' }, () =>
      openai.chat.completions.create({ model: MODEL, messages: MESSAGES, tools: [WEATHER] }),
    )
    await anthropic.messages.create({ model: CLAUDE, max_tokens: 100, messages: [{ role: 'user', content: QUESTION }] })
    await failing(() => openai.chat.completions.create({ model: MISSING_MODEL, messages: MESSAGES }))
    return { answer: 'sunny' }
  }),
)
await traceloop.forceFlush()
await save('openllmetry-sdk')
