import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from 'node:http2'
import { TRACES } from '../grpc.ts'
import { ANSWER_MS_MAX, type Answer, type Shot } from './exchange.ts'
import type { World } from './world.ts'

/** The statuses of HTTP that say the same as those of gRPC; any other is a refusal. */
const STATUSES: Record<string, number> = { '0': 200, '2': 500, '13': 500, '14': 503, '16': 401 }

/**
 * What a connection may hold, mostly bodies that are not sent yet. With Node's 10 MB the client itself breaks off
 * whatever is answered while one large export is on its way.
 */
const HELD_MB_MAX = 1_000

/** One client's connection to the gRPC port. Bodies are sent as they stand, prefix and all. */
export class GrpcConnection {
  #session: ClientHttp2Session | undefined
  readonly #url: string

  /** Without an address nothing is sent. */
  constructor(url: string) {
    this.#url = url
  }

  send({ as, headers, body, manner }: Shot, world: World): Promise<Answer> {
    const began = performance.now()
    const none = { status: 0, ms: 0, bytes: 0, headers: {}, text: '', isLate: false }
    if (this.#url === '') return Promise.resolve(none)
    const authorization = world.authorization[as]
    return new Promise(resolve => {
      const answered: IncomingHttpHeaders = {}
      let isLate = false
      const stream = this.#open().request({
        ':method': 'POST',
        ':path': TRACES,
        'content-type': 'application/grpc',
        te: 'trailers',
        ...(authorization !== undefined && { authorization }),
        ...headers,
      })
      for (const event of ['response', 'trailers'] as const)
        stream.on(event, (found: IncomingHttpHeaders) => void Object.assign(answered, found))
      const late = setTimeout(() => {
        isLate = true
        stream.close()
      }, ANSWER_MS_MAX)
      stream.on('error', () => {})
      stream.once('close', () => {
        clearTimeout(late)
        const code = answered['grpc-status']
        const status = code === undefined ? Number(answered[':status'] ?? 0) : (STATUSES[String(code)] ?? 400)
        const text = String(answered['grpc-message'] ?? '')
        resolve({ status, ms: performance.now() - began, bytes: text.length, headers: {}, text, isLate })
      })
      stream.resume()
      if (manner === 'cut body') stream.write(body, () => stream.destroy())
      else stream.end(body)
    })
  }

  close(): void {
    this.#session?.destroy()
  }

  #open(): ClientHttp2Session {
    if (this.#session && !this.#session.destroyed && !this.#session.closed) return this.#session
    const session = connect(this.#url, { maxSessionMemory: HELD_MB_MAX }).on('error', () => {})
    // A server tells so when it has had enough of a connection; the next request opens another one.
    session.once('goaway', () => {
      session.close()
      if (this.#session === session) this.#session = undefined
    })
    this.#session = session
    return session
  }
}
