import { connect, type Socket } from 'node:net'

/** The end of a response's head, and the length of its body in it. */
const HEAD_END = '\r\n\r\n'
const LENGTH = /^content-length: (\d+)\r$/im

/**
 * Sends the same GET request again and again, one at a time, on a connection that stays open. With `node:http` a
 * request takes this process three times as long, and there are fifty a second while the machine has no processor to
 * spare.
 */
export class Pings {
  readonly #url: URL
  readonly #request: string
  #socket: Socket | undefined
  #response = ''
  #waiting: PromiseWithResolvers<void> | undefined

  /** The response must have a `Content-Length`. */
  constructor(url: string) {
    this.#url = new URL(url)
    this.#request = `GET ${this.#url.pathname} HTTP/1.1\r\nhost: ${this.#url.host}\r\n\r\n`
  }

  /**
   * Resolves when the whole response has come, whatever its status. Rejects when the connection fails or ends before.
   */
  send(): Promise<void> {
    this.#waiting = Promise.withResolvers()
    this.#response = ''
    this.#socket ??= this.#open()
    this.#socket.write(this.#request)
    return this.#waiting.promise
  }

  close(): void {
    this.#socket?.destroy()
  }

  #open(): Socket {
    const socket = connect({ host: this.#url.hostname, port: Number(this.#url.port), noDelay: true })
    const end = (error: Error): void => {
      if (this.#socket !== socket) return
      this.#socket = undefined
      this.#waiting?.reject(error)
    }
    return socket
      .setEncoding('latin1')
      .on('data', (text: string) => this.#take(text))
      .on('error', end)
      .on('close', () => end(Object.assign(new Error('the connection ended'), { code: 'ECONNRESET' })))
  }

  #take(text: string): void {
    this.#response += text
    const headLength = this.#response.indexOf(HEAD_END) + HEAD_END.length
    if (headLength < HEAD_END.length) return
    const bodyLength = Number(LENGTH.exec(this.#response)?.[1])
    if (this.#response.length >= headLength + bodyLength) this.#waiting?.resolve()
  }
}
