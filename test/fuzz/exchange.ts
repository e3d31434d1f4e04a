import http from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { Role, World } from './world.ts'

/** How the request is put on the wire. */
export type Manner =
  | 'whole'
  /** The body comes in pieces with pauses. */
  | 'slow'
  /** The connection ends in the middle of the body. */
  | 'cut body'
  /** The connection ends with the first byte of the answer. */
  | 'cut answer'
  /** Five times without waiting for answers. */
  | 'pipelined'
  /** Announced in chunks, some of them broken. */
  | 'broken chunks'

/** One request. */
export interface Shot {
  /** The operation or the kind of attack; what findings and coverage are counted by. */
  name: string
  method: string
  /** Below the server's address, percent-encoded, with its query string. */
  path: string
  as: Role
  headers?: Record<string, string>
  body?: Uint8Array | string
  manner?: Manner
  /** The protocol; HTTP when left out. */
  door?: 'grpc'
  /** Ends the connection so many ms after the answer began: for answers without an end. */
  listenMs?: number
}

export interface Answer {
  /** 0: the connection ended without an answer. */
  status: number
  ms: number
  bytes: number
  headers: http.IncomingHttpHeaders
  /** Its first 2 MB. */
  text: string
  /** Nothing of it had come when the time was up. */
  isLate: boolean
}

const TEXT_BYTES_MAX = 2 * 1024 * 1024

/** Answers take longer than this only when something is wrong: questions end after 15 s, deletions after 10. */
export const ANSWER_MS_MAX = 60_000

/** One client's connections. */
export class Connections {
  readonly #agent = new http.Agent({ keepAlive: true, maxSockets: 256 })
  readonly #url: URL

  constructor(url: string) {
    this.#url = new URL(url)
  }

  async send(shot: Shot, world: World): Promise<Answer> {
    const began = performance.now()
    const headers = headersOf(shot, world)
    const isRaw = (shot.manner ?? 'whole') !== 'whole'
    const answer = isRaw ? await this.#sendRaw(shot, headers) : await this.#sendWhole(shot, headers)
    return { ...answer, ms: performance.now() - began }
  }

  close(): void {
    this.#agent.destroy()
  }

  #sendWhole(shot: Shot, headers: Record<string, string>): Promise<Omit<Answer, 'ms'>> {
    return new Promise(resolve => {
      let isLate = false
      const none = (): void => resolve({ status: 0, bytes: 0, headers: {}, text: '', isLate })
      const { hostname, port } = this.#url
      const options = { agent: this.#agent, hostname, port, method: shot.method, path: shot.path, headers }
      const request = http.request(options, response => {
        clearTimeout(late)
        const parts: Buffer[] = []
        let bytes = 0
        const end = (): void => {
          const text = Buffer.concat(parts).toString('utf8')
          resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes, text, isLate })
        }
        if (shot.listenMs !== undefined) setTimeout(() => request.destroy(), shot.listenMs)
        response.on('data', (chunk: Buffer) => {
          if (bytes < TEXT_BYTES_MAX) parts.push(chunk)
          bytes += chunk.length
        })
        response.once('end', end).once('close', end).once('error', end)
      })
      const late = setTimeout(() => {
        isLate = true
        request.destroy()
      }, ANSWER_MS_MAX)
      request.once('error', () => {
        clearTimeout(late)
        none()
      })
      request.end(shot.body)
    })
  }

  async #sendRaw(shot: Shot, headers: Record<string, string>): Promise<Omit<Answer, 'ms'>> {
    const socket = connect(Number(this.#url.port), this.#url.hostname)
    const answer = readRaw(socket, shot.manner === 'cut answer')
    await MANNERS[shot.manner as keyof typeof MANNERS](socket, shot, headers)
    return answer
  }
}

function headersOf({ as, body, headers, manner }: Shot, world: World): Record<string, string> {
  const authorization = world.authorization[as]
  return {
    ...(authorization !== undefined && { authorization }),
    ...(body !== undefined && manner !== 'broken chunks' && { 'content-length': String(Buffer.byteLength(body)) }),
    ...headers,
  }
}

/** Whatever comes until the connection ends, for at most ten seconds; the worst status of all answers in it. */
function readRaw(socket: Socket, isCut: boolean): Promise<Omit<Answer, 'ms'>> {
  return new Promise(resolve => {
    let text = ''
    const end = (): void => {
      clearTimeout(late)
      socket.destroy()
      const statuses = Array.from(text.matchAll(/^HTTP\/1\.1 (\d{3}) /gm), ([, status]) => Number(status))
      resolve({ status: Math.max(0, ...statuses), headers: {}, bytes: text.length, text, isLate: false })
    }
    const late = setTimeout(end, 10_000)
    socket.on('data', chunk => {
      if (text.length < TEXT_BYTES_MAX) text += chunk.toString('latin1')
      if (isCut) end()
    })
    socket.once('close', end).once('error', end)
  })
}

type Send = (socket: Socket, shot: Shot, headers: Record<string, string>) => Promise<void>

const headOf = ({ method, path }: Shot, headers: Record<string, string>): string =>
  [
    `${method} ${path} HTTP/1.1`,
    'host: fuzz',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '',
    '',
  ].join('\r\n')

const PIECES = 8

const MANNERS: Record<Exclude<Manner, 'whole'>, Send> = {
  slow: async (socket, shot, headers) => {
    const bytes = Buffer.from(shot.body ?? '')
    socket.write(headOf(shot, { ...headers, connection: 'close' }))
    for (let piece = 0; piece < PIECES && !socket.destroyed; piece++) {
      const [from, to] = [piece, piece + 1].map(at => Math.ceil((bytes.length * at) / PIECES))
      socket.write(bytes.subarray(from, to))
      await delay(100)
    }
  },
  'cut body': async (socket, shot, headers) => {
    const bytes = Buffer.from(shot.body ?? '')
    socket.write(headOf(shot, headers))
    socket.write(bytes.subarray(0, bytes.length / 2), () => socket.destroy())
  },
  'cut answer': async (socket, shot, headers) => {
    socket.write(Buffer.concat([Buffer.from(headOf(shot, headers)), Buffer.from(shot.body ?? '')]))
  },
  pipelined: async (socket, shot, headers) => {
    const body = Buffer.from(shot.body ?? '')
    const one = Buffer.concat([Buffer.from(headOf(shot, headers)), body])
    const last = Buffer.concat([Buffer.from(headOf(shot, { ...headers, connection: 'close' })), body])
    socket.write(Buffer.concat([one, one, one, one, last]))
  },
  'broken chunks': async (socket, shot, headers) => {
    socket.write(headOf(shot, { ...headers, 'transfer-encoding': 'chunked' }))
    const body = Buffer.from(shot.body ?? '')
    socket.end(
      Buffer.concat([Buffer.from(`${body.length.toString(16)};x=y\r\n`), body, Buffer.from('\r\nffffffffff\r\n')]),
    )
  },
}
