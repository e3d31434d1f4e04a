import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** Once the server is closing, a request has this long to arrive … */
const ARRIVE_MS = 2_000
/** … and this long to be processed and its response to be read. */
const FINISH_MS = 15_000

/** Closes without waiting for clients that never send the rest of their request, or never read the response. */
export function addClosing(app: FastifyInstance): void {
  const arriving = arrivingAt(app.server)
  app.addHook('preClose', async () => {
    setTimeout(() => {
      for (const socket of arriving()) socket.destroy()
    }, ARRIVE_MS).unref()
    setTimeout(() => app.server.closeAllConnections(), FINISH_MS).unref()
  })
}

/** The connections without a complete request that is still being processed. */
function arrivingAt(server: Server): () => Socket[] {
  const sockets = new Set<Socket>()
  const requests = new Map<Socket, IncomingMessage>()
  server.on('connection', socket => {
    sockets.add(socket)
    socket.once('close', () => {
      sockets.delete(socket)
      requests.delete(socket)
    })
  })
  server.on('request', (request, response) => {
    const { socket } = request
    requests.set(socket, request)
    response.once('close', () => {
      if (requests.get(socket) === request) requests.delete(socket)
    })
  })
  return () => [...sockets].filter(socket => !requests.get(socket)?.complete)
}
