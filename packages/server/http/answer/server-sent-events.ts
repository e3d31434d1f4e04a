import { AsyncLocalStorage } from 'node:async_hooks'
import type { Readable } from 'node:stream'
import { Problem } from '@spanhouse/model'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** The maximum silence of a stream, so that no intermediary takes the connection for dead. */
export const SILENCE_MS = 15_000

/** An event as it is sent (the HTML standard's text/event-stream). The text is one line, as JSON is. */
export const eventText = (name: string, data: string): string => `event: ${name}\ndata: ${data}\n\n`

/** A comment, which clients ignore; an empty one keeps the connection alive. */
export const commentText = (text = ''): string => `: ${text}\n\n`

/** How often it is checked that a listener still may listen: while other requests with its credential succeed. */
const CHECK_EVERY_MS = 1_000

/** Not on behalf of the listener: all callers share the statements that look up credentials. */
const onBehalfOfNobody = AsyncLocalStorage.snapshot()

/** The call that is answered with events. */
export interface Listening {
  request: FastifyRequest
  reply: FastifyReply
  /** See `Call`. */
  checkAgain(): Promise<void>
}

/**
 * Sends a stream of events until it ends, until the client closes the connection, or until the caller's credential or
 * permission is withdrawn; the last two destroy it.
 */
export function sendEvents({ request, reply, checkAgain }: Listening, events: Readable): FastifyReply {
  // A broken socket does not end the stream written to it.
  request.raw.once('close', () => events.destroy())
  const check = (): Promise<void> =>
    checkAgain().catch(error => {
      // A credential that cannot be checked for now is valid as long as it is for other requests.
      if (!(error instanceof Problem && error.retryable)) events.destroy()
    })
  const checking = setInterval(() => void onBehalfOfNobody(check), CHECK_EVERY_MS)
  events.once('close', () => clearInterval(checking))
  return reply
    .type('text/event-stream')
    .header('cache-control', 'no-cache, no-transform')
    .header('x-accel-buffering', 'no')
    .header('content-encoding', 'identity')
    .send(events)
}
