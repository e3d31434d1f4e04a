import { Socket } from 'node:net'
import pg from 'pg'
import type { PostgresLimits } from './limits.ts'
import { connectionConfig, having } from './networked.ts'

/** Missed heartbeats after which the server ends the session of a client that vanished or was paused. */
const HEARTBEATS_MISSED_MAX = 3

/**
 * One monitored Postgres session: a heartbeat checks that it is alive, and at the first failure (no response in time,
 * an error, an end) the session is over. `onEnd` is called once, before anything else can learn of it.
 */
export class LeaseSession {
  readonly #client: pg.Client
  readonly #socket: Socket
  readonly #onEnd: (reason: Error) => void
  readonly #heartbeat: NodeJS.Timeout
  #isOver = false
  /** Resolves when no statement is under way. */
  #idle: Promise<unknown> = Promise.resolve()

  static async open(url: string, limits: PostgresLimits, onEnd: (reason: Error) => void): Promise<LeaseSession> {
    const socket = new Socket()
    const client = new pg.Client({
      ...connectionConfig(url, limits),
      query_timeout: limits.heartbeatMs,
      stream: () => socket,
    })
    const session = new LeaseSession(client, socket, limits.heartbeatMs, onEnd)
    try {
      await client.connect()
      await having({ idle_session_timeout: limits.heartbeatMs * HEARTBEATS_MISSED_MAX })(client)
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

  /** Runs a statement that returns one boolean. */
  async ask(text: string, name: string): Promise<boolean> {
    const { rows } = await this.#query<{ yes: boolean }>(text, [name])
    return rows[0]?.yes === true
  }

  /** Runs a statement that returns a number. */
  async count(text: string, names: readonly string[]): Promise<number> {
    const { rows } = await this.#query<{ count: number }>(text, [names])
    return rows[0]?.count ?? 0
  }

  /** The socket is closed without a goodbye message, because the server may be unreachable. */
  end(reason: Error): void {
    if (this.#isOver) return
    this.#isOver = true
    clearInterval(this.#heartbeat)
    this.#onEnd(reason)
    this.#socket.destroy()
  }

  /**
   * One statement after the other, as a session carries them out. The first without a response ends the session:
   * whatever waits, the heartbeat too, would otherwise wait once more for each statement before it.
   */
  #query<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<pg.QueryResult<Row>> {
    const result = this.#idle.then(() => this.#client.query<Row>(text, values))
    this.#idle = result.catch(error => {
      if (!(error instanceof pg.DatabaseError)) this.end(error)
    })
    return result
  }

  async #beat(): Promise<void> {
    try {
      await this.#query('select 1')
    } catch (error) {
      this.end(error as Error)
    }
  }
}
