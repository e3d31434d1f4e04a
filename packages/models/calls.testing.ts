import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startFakeProvider } from '@spanhouse/fake-provider'
import { expect, onTestFinished } from 'vitest'
import type { ChatMessage, ChatRequest } from './chat-request.ts'
import { ModelError } from './model-error.ts'
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
/** The address of a server that answers every request so, until the end of the test. */
export async function serving(answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
/** The error with which a call fails. */
export async function failureOf(call: Promise<unknown>): Promise<ModelError> {
  const error = await call.then(
    () => expect.unreachable(),
    (error: unknown) => error,
  )
  expect(error).toBeInstanceOf(ModelError)
  return error as ModelError
}
/** A stream of these chunks. */
export const events = (chunks: readonly object[]): string =>
  chunks.map(chunk => `data: ${JSON.stringify(chunk)}\n\n`).join('')
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
