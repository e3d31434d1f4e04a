import { setImmediate as nextTurn } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { parseJson } from '@spanhouse/model'
import { outboundFetch } from '@spanhouse/outbound'
import { chat } from '../chat.ts'
import type { ChatEvent } from '../chat-reply.ts'
import type { ChatRequest } from '../chat-request.ts'
import { type EmbeddingRequest, embed } from '../embedding.ts'
import { OpenedModels } from '../opened-models.ts'
import type { ProviderRoute } from '../route.ts'
import { type FromThread, type Sent, type ToThread, toFailure } from './messages.ts'

/** The thread that calls providers, see `CallingThread`. It has all of its calls in progress at the same time. */
const port = parentPort as NonNullable<typeof parentPort>
const post = (message: FromThread): void => port.postMessage(message)
const fetch = outboundFetch(workerData)
const models = new OpenedModels(fetch)
/** The calls in progress, by number. */
const calls = new Map<number, AbortController>()

port.on('message', (message: ToThread) => {
  if (message.kind === 'cancel') calls.get(message.call)?.abort()
  else void answer(message)
})

async function answer(message: Extract<ToThread, { sent: string }>): Promise<void> {
  const { call } = message
  const cancelling = new AbortController()
  calls.set(call, cancelling)
  const events = new Events(call)
  try {
    const { route, request } = parseJson(message.sent) as unknown as Sent<ProviderRoute, ChatRequest & EmbeddingRequest>
    const asked = { ...request, signal: cancelling.signal }
    const onEvent = message.kind === 'chat' && message.isStreamed ? events.add : undefined
    const reply = await (message.kind === 'chat'
      ? chat(route, asked, { models, fetch, onEvent })
      : embed(route, asked, models))
    events.flush()
    post({ kind: 'reply', call, reply })
  } catch (error) {
    events.flush()
    // Nobody waits for a call that was cancelled.
    if (!cancelling.signal.aborted) post({ kind: 'failed', call, failure: toFailure(error) })
  } finally {
    calls.delete(call)
  }
}

/** The events of one call; those that arrive together are one message. */
class Events {
  readonly #call: number
  #waiting: ChatEvent[] = []

  constructor(call: number) {
    this.#call = call
  }

  readonly add = (event: ChatEvent): void => {
    if (this.#waiting.push(event) === 1) void nextTurn().then(() => this.flush())
  }

  flush(): void {
    if (this.#waiting.length > 0) post({ kind: 'events', call: this.#call, events: this.#waiting })
    this.#waiting = []
  }
}
