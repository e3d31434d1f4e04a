import { startFakeProvider } from '@spanhouse/fake-provider'
import type { ChatMessage, ChatRequest } from './chat-request.ts'
import { openModels } from './models.ts'
import type { ProviderRoute } from './route.ts'

/** A provider for the tests, and what calls it. Files that run in one process share them, so no file closes them. */
export const fake = await startFakeProvider()
export const models = openModels({ isOpen: true })

export const routeTo = (provider: string, model = 'fake-echo', more: Partial<ProviderRoute> = {}): ProviderRoute => ({
  kind: 'provider',
  provider,
  model,
  requested: model,
  key: 'sk-test',
  url: `${fake.url}/v1`,
  extras: {},
  options: {},
  ...more,
})
export const asking = (content: ChatMessage['content'], more: Partial<ChatRequest> = {}): ChatRequest => ({
  messages: [{ role: 'user', content }],
  ...more,
})
/** The body of the last request. */
export const sent = () => fake.requests.at(-1)?.body

export const TOOLS = [
  {
    type: 'function',
    function: {
      name: 'get_weather',
      description: 'The weather of a city',
      parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      strict: true,
    },
  },
]

/** Those that can be pointed at another address and speak one of the fake's interfaces. */
export const SHAPED = [
  'openai',
  'azure',
  'groq',
  'together_ai',
  'openrouter',
  'deepinfra',
  'perplexityai',
  'minimax',
  'custom',
]
export const ALL = [...SHAPED, 'anthropic', 'mistral']
