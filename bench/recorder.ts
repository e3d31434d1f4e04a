import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { startClickHouse } from '@spanhouse/clickhouse-server'
import {
  type ServerProcess,
  type ServerProcessOptions,
  startServerProcess,
} from '@spanhouse/server/server-process.testing.ts'

/** Decides by path and headers of a request to ClickHouse whether to keep it, and where its body goes. */
export type Keep = (path: string, headers: IncomingHttpHeaders) => Writable | undefined

/** Uses a server over a ClickHouse of its own, with `keep` in between. */
export async function withRecordedServer<T>(
  { dataDir, like, keep }: Pick<ServerProcessOptions, 'dataDir' | 'like'> & { keep: Keep },
  use: (server: ServerProcess) => Promise<T>,
): Promise<T> {
  return withClickHouse(dataDir, async clickhouse => {
    const recorder = await startRecorder(clickhouse, keep)
    try {
      const server = await startServerProcess({ dataDir, env: { CLICKHOUSE_URL: recorder.url }, ...(like && { like }) })
      try {
        return await use(server)
      } finally {
        await server.stop()
      }
    } finally {
      recorder.close()
    }
  })
}

/** Uses the ClickHouse of a data folder alone, by its address. */
export async function withClickHouse<T>(dataDir: string, use: (url: string) => Promise<T>): Promise<T> {
  const clickhouse = await startClickHouse({ path: `${dataDir}/clickhouse`, onDeath: console.error })
  try {
    return await use(clickhouse.url)
  } finally {
    await clickhouse.stop()
  }
}

/** A server that passes everything on to ClickHouse. */
async function startRecorder(clickhouse: string, keep: Keep): Promise<{ url: string; close(): void }> {
  const { hostname, port, username, password } = new URL(clickhouse)
  const server = createServer((incoming, response) => {
    const { method, url: path = '', headers } = incoming
    const onward = request({ hostname, port, method, path, headers }, answer => {
      response.writeHead(answer.statusCode as number, answer.headers)
      answer.pipe(response)
    })
    onward.on('error', () => response.destroy())
    incoming.pipe(onward)
    const kept = keep(path, headers)
    if (kept) incoming.pipe(kept)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://${username}:${password}@127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Sends ClickHouse a request that was kept; returns its answer. */
export async function post(
  clickhouse: string,
  { path, type, body }: { path: string; type?: string | undefined; body: Readable },
): Promise<Buffer> {
  const { hostname, port, username, password } = new URL(clickhouse)
  const headers = type === undefined ? {} : { 'content-type': type }
  const onward = request({ hostname, port, path, auth: `${username}:${password}`, method: 'POST', headers })
  const answering = once(onward, 'response')
  await pipeline(body, onward)
  const [answer] = (await answering) as [IncomingMessage]
  const bytes = Buffer.concat(await answer.toArray())
  if (answer.statusCode !== 200)
    throw new Error(`ClickHouse answered ${answer.statusCode}: ${bytes.toString().slice(0, 1_000)}`)
  return bytes
}
