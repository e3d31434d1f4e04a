import { Socket } from 'node:net'
import pg from 'pg'
import type { PostgresLimits } from './limits.ts'
import { connectionConfig } from './networked.ts'

/** How soon the server notices a client that vanished without a word: after 10 + 3 × 5 s, and frees its locks. */
const SERVER_KEEP_ALIVE =
  '-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3 -c idle_session_timeout=0'

/**
 * One Postgres session that is watched: a heartbeat asks for a sign of life, and at the first doubt (no answer in
 * time, an error, an end) the session is over. `onEnd` is called once, before anything else may learn of it.
 */
export class LeaseSession {
  readonly #client: pg.Client
  readonly #socket: Socket
  readonly #onEnd: (reason: Error) => void
  readonly #heartbeat: NodeJS.Timeout
  #isOver = false

  static async open(url: string, limits: PostgresLimits, onEnd: (reason: Error) => void): Promise<LeaseSession> {
    const socket = new Socket()
    const client = new pg.Client({
      options: SERVER_KEEP_ALIVE,
      ...connectionConfig(url, limits),
      query_timeout: limits.heartbeatMs,
      stream: () => socket,
    })
    const session = new LeaseSession(client, socket, limits.heartbeatMs, onEnd)
    try {
      await client.connect()
    } catch (error) {
      session.end(error as Error)
      throw error
    }
    return session
  }

  private constructor(client: pg.Client, socket: Socket, heartbeatMs: number, onEnd: (reason: Error) => void) {
    this.#client = client
    this.#socket = socket
    this.#onEnd = onEnd
    client.on('error', error => this.end(error))
    client.on('end', () => this.end(new Error('the server closed the connection')))
    this.#heartbeat = setInterval(() => void this.#beat(), heartbeatMs).unref()
  }

  /** Runs a statement that answers one boolean. */
  async ask(text: string, name: string): Promise<boolean> {
    const { rows } = await this.#client.query<{ yes: boolean }>(text, [name])
    return rows[0]?.yes === true
  }

  /** The socket is closed without a farewell, because the server may not be there to hear it. */
  end(reason: Error): void {
    if (this.#isOver) return
    this.#isOver = true
    clearInterval(this.#heartbeat)
    this.#onEnd(reason)
    this.#socket.destroy()
  }

  async #beat(): Promise<void> {
    try {
      await this.#client.query('select 1')
    } catch (error) {
      this.end(error as Error)
    }
  }
}
