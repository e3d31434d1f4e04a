import { Laminar, LaminarAttributes, observe } from '@lmnr-ai/lmnr'
import { SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node'
import { ANSWER, CLAUDE, exporter, failing, MESSAGES, MODEL, QUESTION, save } from './recording.mjs'

Laminar.initialize({ projectApiKey: 'none', spanProcessor: new SimpleSpanProcessor(exporter()), instrumentModules: {} })
const used = (provider, model, more) =>
  Laminar.setSpanAttributes({
    [LaminarAttributes.PROVIDER]: provider,
    [LaminarAttributes.REQUEST_MODEL]: model,
    [LaminarAttributes.RESPONSE_MODEL]: model,
    [LaminarAttributes.INPUT_TOKEN_COUNT]: 140,
    [LaminarAttributes.OUTPUT_TOKEN_COUNT]: 24,
    ...more,
  })
const weather = city => observe({ name: 'weather', spanType: 'TOOL' }, async city => ({ ...city, sunny: true }), city)
const ask = (messages, ...usage) =>
  observe(
    { name: 'ask', spanType: 'LLM', input: messages },
    async () => {
      used(...usage)
      return { role: 'assistant', content: ANSWER }
    },
    messages,
  )

await observe(
  { name: 'answer', sessionId: 'chat-42', userId: 'ada', metadata: { plan: 'gold' }, tags: ['beta'] },
  async () => {
    await weather({ city: 'Bari' })
    await ask(MESSAGES, 'openai', MODEL)
    const costs = { [LaminarAttributes.INPUT_COST]: 0.004, [LaminarAttributes.OUTPUT_COST]: 0.001 }
    await ask(MESSAGES, 'anthropic', CLAUDE, costs)
    const forecast = async () => {
      throw new Error('No such city')
    }
    await failing(() => observe({ name: 'forecast' }, forecast, 'Bari', 3))
    return ANSWER
  },
  QUESTION,
)
await Laminar.flush()
await save('laminar')
