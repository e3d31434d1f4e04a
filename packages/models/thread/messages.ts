import type { ChatEvent, ChatReply } from '../chat-reply.ts'
import type { EmbeddingReply } from '../embedding.ts'
import { ModelError, type ModelErrorDetails } from '../model-error.ts'

/**
 * To the thread, in lists. `sent` is the JSON of a {@link Sent}: JSON keeps integers of any size, which cloning would
 * not. The answers to a call have its number.
 */
export type ToThread =
  | { kind: 'chat'; call: number; sent: string; isStreamed: boolean }
  | { kind: 'embedding'; call: number; sent: string }
  | { kind: 'cancel'; call: number }

/** A route and a request, without its signal. */
export interface Sent<Route, Request> {
  route: Route
  request: Omit<Request, 'signal'>
}

/** From the thread, in lists. Events come before the reply or failure of their call, which is its last message. */
export type FromThread =
  | { kind: 'event'; call: number; event: ChatEvent }
  | { kind: 'reply'; call: number; reply: ChatReply | EmbeddingReply }
  | { kind: 'failed'; call: number; failure: Failure }

/**
 * A {@link ModelError}, or with `stack` another error, which is a defect. Cloning would keep neither the class nor the
 * members.
 */
export type Failure = { message: string } & (Omit<ModelErrorDetails, 'cause'> | { stack: string | undefined })

export function toFailure(error: unknown): Failure {
  if (!(error instanceof ModelError))
    return { message: String((error as Error).message), stack: (error as Error).stack }
  const { message, category, status, retryAfterSeconds, isPartial } = error
  return { message, category, status, retryAfterSeconds, isPartial }
}

export function fromFailure({ message, ...failure }: Failure): Error {
  return 'stack' in failure ? Object.assign(new Error(message), failure) : new ModelError(message, failure)
}
