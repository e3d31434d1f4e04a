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
import { Outbox } from './outbox.ts'

/** The thread that calls providers, see `CallingThread`. It has all of its calls in progress at the same time. */
const port = parentPort as NonNullable<typeof parentPort>
const outbox = new Outbox<FromThread>(messages => port.postMessage(messages))
const fetch = outboundFetch(workerData)
const models = new OpenedModels(fetch)
/** The calls in progress, by number. */
const calls = new Map<number, AbortController>()

port.on('message', (messages: readonly ToThread[]) => {
  for (const message of messages)
    if (message.kind === 'cancel') calls.get(message.call)?.abort()
    else void answer(message)
})

async function answer(message: Extract<ToThread, { sent: string }>): Promise<void> {
  const { call } = message
  const cancelling = new AbortController()
  calls.set(call, cancelling)
  const onEvent = (event: ChatEvent): void => outbox.add({ kind: 'event', call, event })
  try {
    const { route, request } = parseJson(message.sent) as unknown as Sent<ProviderRoute, ChatRequest & EmbeddingRequest>
    const asked = { ...request, signal: cancelling.signal }
    const reply = await (message.kind === 'chat'
      ? chat(route, asked, { models, fetch, ...(message.isStreamed && { onEvent }) })
      : embed(route, asked, models))
    outbox.add({ kind: 'reply', call, reply })
  } catch (error) {
    // Nobody waits for a call that was cancelled.
    if (!cancelling.signal.aborted) outbox.add({ kind: 'failed', call, failure: toFailure(error) })
  } finally {
    calls.delete(call)
  }
}
