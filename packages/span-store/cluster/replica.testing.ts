import { once } from 'node:events'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** One of several addresses of a server, which stand for replicas: their rows are the same at once. */
export interface Replica {
  url: string
  /** The statements that it was sent. */
  statements: string[]
  goAway(): Promise<void>
}

/** What only replicas can be asked: to fetch what others have, and whether a table is not replicated. */
const ANSWERED = [/^SYSTEM SYNC REPLICA/, /NOT startsWith\(engine, 'Replicated'\)/]

/** The engine of a replicated table; this server has no Keeper. */
const MADE_REPLICATED = /Replicated(\w*MergeTree)\('[^']*', '[^']*'(?:, )?/g

/** Opens another address of the server, whose tables are made as if they were replicated. */
export async function openReplica(serverUrl: string): Promise<Replica> {
  const statements: string[] = []
  const own: Server = createServer(async (incoming, response) => {
    const chunks = await incoming.toArray()
    const body = Buffer.concat(chunks)
    const inUrl = new URL(incoming.url as string, 'http://replica').searchParams.get('query')
    const statement = inUrl ?? body.toString()
    statements.push(statement)
    if (ANSWERED.some(one => one.test(statement))) return response.end()
    const sent = inUrl === null ? Buffer.from(statement.replace(MADE_REPLICATED, '$1(')) : body
    const { hostname, port } = new URL(serverUrl)
    const { method, url: path } = incoming
    const { 'transfer-encoding': _, ...others } = incoming.headers
    const headers = { ...others, 'content-length': sent.length }
    request({ hostname, port, method, headers, path }, answer => {
      response.writeHead(answer.statusCode as number, answer.headers)
      answer.pipe(response)
    }).end(sent)
  }).listen(0, '127.0.0.1')
  await once(own, 'listening')
  const url = new URL(serverUrl)
  url.port = String((own.address() as AddressInfo).port)
  return {
    url: url.href,
    statements,
    goAway: async () => {
      own.closeAllConnections()
      if (own.listening) await once(own.close(), 'close')
    },
  }
}
