import { AsyncLocalStorage } from 'node:async_hooks'
import { Worker } from 'node:worker_threads'
import type { OutboundLimits, OutboundRules } from '@spanhouse/outbound'
import type { ChatEvent, ChatReply } from '../chat-reply.ts'
import type { ChatRequest } from '../chat-request.ts'
import type { EmbeddingReply, EmbeddingRequest } from '../embedding.ts'
import { ModelError } from '../model-error.ts'
import type { ProviderRoute } from '../route.ts'
import { type FromThread, fromFailure, type Sent, type ToThread } from './messages.ts'
import { Outbox } from './outbox.ts'

/** A call in progress. */
interface Call {
  onEvent: ((event: ChatEvent) => void) | undefined
  isPartial: boolean
  resolve(reply: ChatReply | EmbeddingReply): void
  reject(error: unknown): void
}

type Question = { kind: 'chat'; isStreamed: boolean } | { kind: 'embedding' }

/**
 * Calls providers in a separate thread, so that translating requests and reading responses, a third of the processor
 * time of a run, does not delay the thread that answers requests. It starts with the first call and keeps the process
 * alive only while calls are in progress. If it dies, these fail, and the next call starts another one.
 */
export class CallingThread {
  readonly #options: OutboundRules & OutboundLimits
  readonly #calls = new Map<number, Call>()
  readonly #outbox = new Outbox<ToThread>(messages => this.#worker?.postMessage(messages))
  #worker: Worker | undefined
  #last = 0
  #isClosed = false

  constructor(options: OutboundRules & OutboundLimits) {
    this.#options = options
  }

  /** See `Models.callChat`. */
  chat(route: ProviderRoute, request: ChatRequest, onEvent: Call['onEvent']): Promise<ChatReply> {
    const question = { kind: 'chat', isStreamed: onEvent !== undefined } as const
    return this.#call(question, route, request, onEvent) as Promise<ChatReply>
  }

  /** See `Models.callEmbedding`. */
  embedding(route: ProviderRoute, request: EmbeddingRequest): Promise<EmbeddingReply> {
    return this.#call({ kind: 'embedding' }, route, request, undefined) as Promise<EmbeddingReply>
  }

  /** Ends the thread; calls in progress fail. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#failAll('The call was interrupted: the connections to models are being closed.')
    await this.#worker?.terminate()
  }

  async #call(
    question: Question,
    route: ProviderRoute,
    { signal, ...request }: ChatRequest | EmbeddingRequest,
    onEvent: Call['onEvent'],
  ): Promise<ChatReply | EmbeddingReply> {
    signal?.throwIfAborted()
    if (this.#isClosed) throw new ModelError('The connections to models are closed.', { category: 'availability' })
    const sent = JSON.stringify({ route, request } satisfies Sent<ProviderRoute, ChatRequest | EmbeddingRequest>)
    const worker = this.#running()
    const call = ++this.#last
    const cancel = (): void => this.#cancel(call, signal?.reason)
    try {
      return await new Promise((resolve, reject) => {
        const asCaller = onEvent && AsyncLocalStorage.bind(onEvent)
        this.#calls.set(call, { onEvent: asCaller, isPartial: false, resolve, reject })
        if (this.#calls.size === 1) worker.ref()
        signal?.addEventListener('abort', cancel, { once: true })
        this.#outbox.add({ ...question, call, sent })
      })
    } finally {
      signal?.removeEventListener('abort', cancel)
      this.#calls.delete(call)
      if (this.#calls.size === 0) worker.unref()
    }
  }

  /** Ends the provider's work, and the call with this error. */
  #cancel(call: number, error: unknown): void {
    this.#outbox.add({ kind: 'cancel', call })
    this.#calls.get(call)?.reject(error)
    // Events that came together with the last one are not passed on.
    this.#calls.delete(call)
  }

  #running(): Worker {
    if (this.#worker) return this.#worker
    const worker = new Worker(new URL('./program.ts', import.meta.url), { name: 'models', workerData: this.#options })
    worker.unref()
    worker.on('message', (messages: readonly FromThread[]) => {
      for (const message of messages) this.#receive(message)
    })
    let reason = 'terminated'
    worker.on('error', ({ name, code = name }: NodeJS.ErrnoException) => {
      reason = code
    })
    worker.once('exit', () => {
      this.#worker = undefined
      this.#failAll(`The call was interrupted: the thread that calls models has died (${reason}).`)
    })
    this.#worker = worker
    return worker
  }

  #receive(message: FromThread): void {
    const call = this.#calls.get(message.call)
    // Cancelled meanwhile.
    if (!call) return
    if (message.kind === 'reply') call.resolve(message.reply)
    else if (message.kind === 'failed') call.reject(fromFailure(message.failure))
    else this.#pass(message, call)
  }

  #pass({ call: number, event }: Extract<FromThread, { kind: 'event' }>, call: Call): void {
    call.isPartial = true
    try {
      call.onEvent?.(event)
    } catch (error) {
      this.#cancel(number, error)
    }
  }

  #failAll(message: string): void {
    for (const { isPartial, reject } of this.#calls.values())
      reject(new ModelError(message, { category: 'availability', isPartial }))
  }
}
