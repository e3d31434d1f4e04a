import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Connections } from '../budget/connections.ts'

/** Once the server is closing, a request has this long to arrive … */
const ARRIVE_MS = 2_000
/** … and this long to be processed and its response to be read. */
const FINISH_MS = 15_000

/**
 * Follows the connections of a server, and closes it without waiting for clients that never send the rest of their
 * request, or never read the response.
 */
export function followConnections(app: FastifyInstance, connections: Connections<Socket>): void {
  app.server.on('connection', socket => connections.add(socket))
  app.server.on('request', (request, response) => {
    response.once(
      'close',
      connections.begin(request.socket, () => request.complete),
    )
  })
  app.addHook('preClose', async () => {
    setTimeout(() => {
      for (const socket of [...connections.waiting()]) socket.destroy()
    }, ARRIVE_MS).unref()
    setTimeout(() => app.server.closeAllConnections(), FINISH_MS).unref()
  })
}
