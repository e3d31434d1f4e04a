import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** Once the server is closing a request has so long to arrive … */
const ARRIVE_MS = 2_000
/** … and so long to be answered and its answer to be read. */
const FINISH_MS = 15_000

/** Closes without waiting for clients that never send the rest of their request, or never read their answer. */
export function addClosing(app: FastifyInstance): void {
  const arriving = arrivingAt(app.server)
  app.addHook('preClose', async () => {
    setTimeout(() => {
      for (const socket of arriving()) socket.destroy()
    }, ARRIVE_MS).unref()
    setTimeout(() => app.server.closeAllConnections(), FINISH_MS).unref()
  })
}

/** Tells the connections on which no request has arrived whole that is not answered yet. */
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
