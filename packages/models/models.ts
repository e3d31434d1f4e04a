import { type OutboundLimits, type OutboundRules, outboundFetch } from '@spanhouse/outbound'
import { chat } from './chat.ts'
import type { ChatEvent, ChatReply } from './chat-reply.ts'
import type { ChatRequest } from './chat-request.ts'
import { type EmbeddingReply, type EmbeddingRequest, embed } from './embedding.ts'
import { mockReply } from './mock.ts'
import { OpenedModels } from './opened-models.ts'
import type { ProviderRoute, Route } from './route.ts'

/** The limits of one call; models can think for minutes before they respond. */
export const MODEL_LIMITS: OutboundLimits = {
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

/** Opens connections for model calls, with {@link MODEL_LIMITS} by default. */
export function openModels(options: OutboundRules & Partial<OutboundLimits>): Models {
  const fetch = outboundFetch({ ...MODEL_LIMITS, ...options })
  const models = new OpenedModels(fetch)
  return {
    callChat: async (route, request, onEvent) =>
      route.kind === 'mock'
        ? await mockReply(route, request, onEvent)
        : await chat(route, request, { models, fetch, onEvent }),
    callEmbedding: (route, request) => embed(route, request, models),
    close: fetch.close,
  }
}
