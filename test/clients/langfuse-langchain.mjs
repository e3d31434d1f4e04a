import { ChatPromptTemplate } from '@langchain/core/prompts'
import { ChatOpenAI } from '@langchain/openai'
import { CallbackHandler } from '@langfuse/langchain'
import { LangfuseSpanProcessor } from '@langfuse/otel'
import { failing, MISSING_MODEL, MODEL, QUESTION, save, startTracing } from './recording.mjs'

startTracing([
  new LangfuseSpanProcessor({
    exporter: { export: (_, done) => done({ code: 0 }), shutdown: async () => {} },
    publicKey: 'none',
    secretKey: 'none',
  }),
])
const handler = new CallbackHandler({ sessionId: 'chat-42', userId: 'ada', tags: ['beta'] })
const prompt = ChatPromptTemplate.fromMessages([
  ['system', 'Be brief.'],
  ['user', '{question}'],
])
await prompt
  .pipe(new ChatOpenAI({ model: MODEL, maxRetries: 0 }))
  .invoke({ question: QUESTION }, { callbacks: [handler] })
await failing(() => new ChatOpenAI({ model: MISSING_MODEL, maxRetries: 0 }).invoke(QUESTION, { callbacks: [handler] }))
await save('langfuse-langchain')
