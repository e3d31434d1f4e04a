import { LangChainInstrumentation } from '@arizeai/openinference-instrumentation-langchain'
import { OpenAIInstrumentation } from '@arizeai/openinference-instrumentation-openai'
import * as callbacks from '@langchain/core/callbacks/manager'
import { ChatPromptTemplate } from '@langchain/core/prompts'
import { ChatOpenAI } from '@langchain/openai'
import OpenAI from 'openai'
import { inRequest, MODEL, QUESTION, save, startTracing } from './recording.mjs'

startTracing()
new OpenAIInstrumentation().manuallyInstrument(OpenAI)
new LangChainInstrumentation().manuallyInstrument(callbacks)
const model = new ChatOpenAI({ model: MODEL, maxRetries: 0 })
await inRequest('POST /ask', async () => {
  await ChatPromptTemplate.fromMessages([
    ['system', 'Be brief.'],
    ['user', '{question}'],
  ])
    .pipe(model)
    .invoke({ question: QUESTION })
  await model.invoke(QUESTION)
})
await save('openinference-langchain-openai')
