import type { OutboundLimits, OutboundRules } from '@spanhouse/outbound'
import type { ChatEvent, ChatReply } from './chat-reply.ts'
import type { ChatRequest } from './chat-request.ts'
import type { EmbeddingReply, EmbeddingRequest } from './embedding.ts'
import { mockReply } from './mock.ts'
import type { ProviderRoute, Route } from './route.ts'
import { CallingThread } from './thread/calling-thread.ts'

/** The limits of one call; models can think for minutes before they respond. */
const MODEL_LIMITS: OutboundLimits = {
  connectMs: 5_000,
  firstByteMs: 120_000,
  idleMs: 60_000,
  totalMs: 300_000,
  responseBytesMax: 16 * 1024 * 1024,
}

/** Calls models of providers. Calls are not retried here: see `attemptInTurn`. */
export interface Models {
  /**
   * Calls a chat model once. With `onEvent` the answer is requested as a stream and each piece is passed on as it
   * arrives; the reply is the same in both cases. Rejects with a ModelError, or with the signal's reason if it aborts,
   * which cancels the provider's work at once.
   */
  callChat(route: Route, request: ChatRequest, onEvent?: (event: ChatEvent) => void): Promise<ChatReply>
  /** Computes the embeddings of texts. Rejects as `callChat` does. */
  callEmbedding(route: ProviderRoute, request: EmbeddingRequest): Promise<EmbeddingReply>
  /** Closes all connections; calls in progress fail. */
  close(): Promise<void>
}

/** Opens connections for model calls, with {@link MODEL_LIMITS} by default. The calls are made in a separate thread. */
export function openModels(options: OutboundRules & Partial<OutboundLimits>): Models {
  const thread = new CallingThread({ ...MODEL_LIMITS, ...options })
  return {
    callChat: (route, request, onEvent) =>
      route.kind === 'mock' ? mockReply(route, request, onEvent) : thread.chat(route, request, onEvent),
    callEmbedding: (route, request) => thread.embedding(route, request),
    close: () => thread.close(),
  }
}
