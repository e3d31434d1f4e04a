import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** The maximum silence of a stream, so that no intermediary takes the connection for dead. */
export const SILENCE_MS = 15_000

/** An event as it is sent (the HTML standard's text/event-stream). The text is one line, as JSON is. */
export const eventText = (name: string, data: string): string => `event: ${name}\ndata: ${data}\n\n`

/** A comment, which clients ignore; an empty one keeps the connection alive. */
export const commentText = (text = ''): string => `: ${text}\n\n`

/** Sends a stream of events until it ends, or until the client closes the connection, which destroys it. */
export function sendEvents(request: FastifyRequest, reply: FastifyReply, events: Readable): FastifyReply {
  // A broken socket does not end the stream written to it.
  request.raw.once('close', () => events.destroy())
  return reply
    .type('text/event-stream')
    .header('cache-control', 'no-cache, no-transform')
    .header('x-accel-buffering', 'no')
    .header('content-encoding', 'identity')
    .send(events)
}
