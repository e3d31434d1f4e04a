import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface TcpProxy {
  /** The server's address with the proxy's port. */
  readonly url: string
  /** From now on, bytes are dropped in both directions while connections stay open, as if a cable was cut. */
  stall(): void
  /** New connections work again; stalled ones remain stalled. */
  resume(): void
  close(): Promise<void>
}

/** A proxy to a server that can go silent. */
export async function openTcpProxy(serverUrl: string): Promise<TcpProxy> {
  const { hostname, port } = new URL(serverUrl)
  const sockets = new Set<Socket>()
  let isStalled = false
  const proxy = createServer(client => {
    const server = connect(Number(port), hostname)
    for (const socket of [client, server]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
    }
    let isCut = false
    const passTo = (other: Socket) => (chunk: Buffer) => {
      isCut ||= isStalled
      if (!isCut) other.write(chunk)
    }
    client.on('data', passTo(server)).on('close', () => server.destroy())
    server.on('data', passTo(client)).on('close', () => client.destroy())
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const url = new URL(serverUrl)
  url.port = String((proxy.address() as AddressInfo).port)
  return {
    url: url.href,
    stall: () => {
      isStalled = true
    },
    resume: () => {
      isStalled = false
    },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise(resolve => proxy.close(resolve))
    },
  }
}
