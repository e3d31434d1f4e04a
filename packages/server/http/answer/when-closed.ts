import type { FastifyReply } from 'fastify'

/**
 * Acts once the response is sent or its client has disconnected. That may be so already, since a client can leave while
 * it is authenticated, and the event is not repeated.
 */
export function whenClosed({ raw }: FastifyReply, act: () => void): void {
  if (raw.closed || raw.destroyed) act()
  else raw.once('close', act)
}
