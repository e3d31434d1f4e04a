import { type OutboundLimits, type OutboundRules, outboundFetch } from '@spanhouse/outbound'
import { chat } from './chat.ts'
import type { ChatEvent, ChatReply } from './chat-reply.ts'
import type { ChatRequest } from './chat-request.ts'
import { type EmbeddingReply, type EmbeddingRequest, embed } from './embedding.ts'
import { mockReply } from './mock.ts'
import { OpenedModels } from './opened-models.ts'
import type { ProviderRoute, Route } from './route.ts'

/** What one call may take; models think for minutes before they say a word. */
export const MODEL_LIMITS: OutboundLimits = {
  connectMs: 5_000,
  firstByteMs: 120_000,
  idleMs: 60_000,
  totalMs: 300_000,
  responseBytesMax: 16 * 1024 * 1024,
}

/** Calls models of providers. Nothing is repeated here: see `attemptInTurn`. */
export interface Models {
  /**
   * Calls a chat model once. With `onEvent` the answer is asked for as a stream and each piece is handed on as it arrives; the
   * reply is the same in both cases. Rejects with a ModelError, or with the signal's reason when that is aborted, which ends
   * the provider's work at once.
   */
  callChat(route: Route, request: ChatRequest, onEvent?: (event: ChatEvent) => void): Promise<ChatReply>
  /** Turns texts into vectors. Rejects as `callChat` does. */
  callEmbedding(route: ProviderRoute, request: EmbeddingRequest): Promise<EmbeddingReply>
  /** Ends all connections; calls under way fail. */
  close(): Promise<void>
}

/** Opens connections for calls of models, within {@link MODEL_LIMITS} unless others are given. */
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
