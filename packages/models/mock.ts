import { setTimeout as delay } from 'node:timers/promises'
import type { ChatEvent, ChatReply } from './chat-reply.ts'
import type { ChatMessage, ChatRequest } from './chat-request.ts'
import { ModelError } from './model-error.ts'
import type { MockRoute } from './route.ts'

const DELAY_MS = 2_000

/** What stands in for a model, by the name that a request asks for it: the text of the reply. */
const MOCKS: Readonly<Record<string, (request: ChatRequest) => string | Promise<string>>> = {
  hello: () => 'Hello, world!',
  chat: () => 'Thank you for your message. What would you like to know next?',
  delay: ({ signal }) => delay(DELAY_MS, `This answer took ${DELAY_MS / 1000} seconds.`, { signal }),
  capital: ({ messages }) => `The capital of ${countryIn(lastText(messages))} is its largest city, or another one.`,
  echo: ({ messages }) => lastText(messages),
  error: () => {
    throw new ModelError('This model always fails.', { category: 'availability', status: 500 })
  },
}

/**
 * The route of a canned reply; undefined for a name that has none. It stands in for the model alone: who asks for one must
 * have a usable key (section 8.1), so `route` comes first.
 */
export const mockRoute = (name: string): MockRoute | undefined =>
  Object.hasOwn(MOCKS, name) ? { kind: 'mock', name } : undefined

/** Answers without calling anybody; in one event where events are wanted. */
export async function mockReply(
  { name }: MockRoute,
  request: ChatRequest,
  onEvent?: (event: ChatEvent) => void,
): Promise<ChatReply> {
  const started = performance.now()
  const content = (await MOCKS[name]?.(request)) ?? ''
  onEvent?.({ type: 'text', delta: content })
  const totalMs = performance.now() - started
  return {
    message: { role: 'assistant', content },
    finishReason: 'stop',
    model: `mock/${name}`,
    timings: { firstTokenMs: totalMs, totalMs },
  }
}

function lastText(messages: readonly ChatMessage[]): string {
  const content = messages.at(-1)?.content ?? ''
  return typeof content === 'string' ? content : content.map(part => part.text ?? '').join('')
}

/** The last words that begin with a capital letter, without the punctuation at the end. */
function countryIn(text: string): string {
  const words = text.split(/[\s?.!]+/).filter(word => word !== '')
  const from = words.findLastIndex((word, place) => isName(word) && !isName(words[place - 1] ?? ''))
  return from < 0 ? 'that country' : words.slice(from).join(' ')
}

const isName = (word: string): boolean => /^\p{Lu}/u.test(word)
