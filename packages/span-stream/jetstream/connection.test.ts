import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type NatsServer, natsAvailable, startNats } from '../nats-server.testing.ts'
import { openConnection } from './connection.ts'

let server: NatsServer
beforeAll(async () => {
  if (natsAvailable) server = await startNats()
})
afterAll(() => server?.stop())

/** A way to the server on which nothing moves any more once it is cut, for connections that exist then. */
async function openWay() {
  const sockets = new Set<Socket>()
  const proxy = createServer(client => {
    const upstream = connect(Number(new URL(server.url).port), '127.0.0.1')
    client.pipe(upstream).pipe(client)
    for (const socket of [client, upstream]) sockets.add(socket.on('error', () => undefined))
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  return {
    url: `nats://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    cut: () => sockets.forEach(socket => void socket.unpipe().pause()),
    close: () => {
      sockets.forEach(socket => void socket.destroy())
      proxy.close()
    },
  }
}

test.skipIf(!natsAvailable)(
  'a silent connection is given up although much waits to be sent, and replaced',
  async () => {
    const way = await openWay()
    const connection = await openConnection(way.url, { pingMs: 100 })
    way.cut()
    // More than the system takes at once.
    for (let sent = 0; sent < 32; sent++) connection.nats.publish('x', new Uint8Array(1024 * 1024))
    await expect.poll(() => connection.outages).toBe(1)
    await expect.poll(() => connection.up).toBe(true)
    await connection.nats.flush()
    await connection.nats.close()
    way.close()
  },
)
