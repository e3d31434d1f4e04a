import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** One request that a receiver got. */
export interface Received {
  path: string
  headers: IncomingMessage['headers']
  text: string
  body: any
}

type Answering = (response: ServerResponse, request: Received) => void

/** A receiver of webhooks on this machine, which can be killed and started again at the same address. */
export class HookReceiver {
  readonly received: Received[] = []
  answering: Answering = response => response.end('ok')
  #server: Server | undefined
  #port = 0

  async start(): Promise<this> {
    const server = createServer((request, response) => void this.#receive(request, response))
    this.#server = server
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(this.#port, '127.0.0.1', resolve)
    })
    this.#port = (server.address() as AddressInfo).port
    return this
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  /** Ends the receiver with all its connections. */
  kill(): Promise<void> {
    const closed = new Promise<void>(resolve => this.#server?.close(() => resolve()))
    this.#server?.closeAllConnections()
    return closed
  }

  /** What came to a path. */
  at(path: string): Received[] {
    return this.received.filter(one => one.path === path)
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = []
    try {
      for await (const piece of request) pieces.push(piece as Buffer)
    } catch {
      return
    }
    const text = Buffer.concat(pieces).toString('utf8')
    const received = { path: request.url ?? '', headers: request.headers, text, body: JSON.parse(text || 'null') }
    this.received.push(received)
    this.answering(response, received)
  }
}

/** Whether the signature is that of the exact body with the secret. */
export function isSigned({ headers, text }: Received, secret: string): boolean {
  const [, time, sum] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['x-agenta-signature'])) ?? []
  return createHmac('sha256', secret).update(`${time}.${text}`).digest('hex') === sum
}
