import { disableGenkitOTelInitialization } from '@genkit-ai/core/tracing'
import { genkit, z } from 'genkit'
import { failing, QUESTION, save, startTracing } from './recording.mjs'

disableGenkitOTelInitialization()
startTracing()
const ai = genkit({})
const weather = ai.defineTool(
  {
    name: 'weather',
    description: 'The weather of a city',
    inputSchema: z.object({ city: z.string() }),
    outputSchema: z.string(),
  },
  async () => 'Sunny',
)
const model = ai.defineModel({ name: 'house/model', supports: { tools: true, multiturn: true } }, async request => {
  if (request.messages.at(-1).content[0].text === 'fail') throw new Error('No such model')
  const isCall = request.tools?.length > 0 && request.messages.at(-1).role !== 'tool'
  const content = isCall
    ? [{ toolRequest: { name: 'weather', ref: 'call_1', input: { city: 'Bari' } } }]
    : [{ text: 'It is sunny in Bari.' }]
  return {
    message: { role: 'model', content },
    finishReason: 'stop',
    usage: { inputTokens: 140, outputTokens: 24, totalTokens: 164 },
  }
})
const embedder = ai.defineEmbedder({ name: 'house/embedder' }, async () => ({
  embeddings: [{ embedding: [0.5, 0.25] }],
}))
const flow = ai.defineFlow(
  { name: 'answer', inputSchema: z.object({ question: z.string() }), outputSchema: z.string() },
  async ({ question }) => {
    await ai.embed({ embedder, content: question })
    const { text } = await ai.generate({ model, system: 'Be brief.', prompt: question, tools: [weather] })
    await failing(() => ai.generate({ model, prompt: 'fail' }))
    return text
  },
)
await flow({ question: QUESTION })
await save('genkit')
