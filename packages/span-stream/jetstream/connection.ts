import { AuthorizationError, connect, type NatsConnection, type NodeConnectionOptions } from '@nats-io/transport-node'
import { refusal } from '../admission.ts'

/** Timeout for connecting, and for each administrative request. */
export const REQUEST_MS_MAX = 5_000

/** Minimum `max_payload` of a server. The default of NATS is 1 MiB. */
const PAYLOAD_BYTES_MIN = 64 * 1024

/** How often a server is asked whether it is there; a connection on which it misses two answers is given up. */
const PING_MS = 10_000

/** Delays between attempts to reconnect. */
const RECONNECT_MS_MIN = 50
const RECONNECT_MS_MAX = 5_000

/** A connection that reconnects indefinitely, knows whether it is up, and reports reconnections. */
export class Connection {
  readonly nats: NatsConnection
  readonly #back = new Set<() => void>()
  readonly #unanswered = new Set<(reason: unknown) => void>()
  readonly #outage: Outage
  #up = true
  #outages = 0

  constructor(nats: NatsConnection, outage: Outage) {
    this.nats = nats
    this.#outage = outage
    void this.#follow()
  }

  get up(): boolean {
    return this.#up && !this.nats.isClosed()
  }

  /** The largest message the server accepts, including headers. */
  get payloadBytesMax(): number {
    return this.nats.info?.max_payload ?? PAYLOAD_BYTES_MIN
  }

  /** How often the connection has broken. Data read from the server before may no longer be valid. */
  get outages(): number {
    return this.#outages
  }

  /**
   * Sends a request and resolves with its response. Rejects with a Problem `overloaded` without sending it if the
   * connection is down (the client would buffer it and send it later), and immediately if the connection breaks: a
   * response would go to the old connection.
   */
  ask<T>(request: () => Promise<T>): Promise<T> {
    if (!this.up) return Promise.reject(refusal('unreachable'))
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    this.#unanswered.add(reject)
    request()
      .then(resolve, reject)
      .finally(() => this.#unanswered.delete(reject))
    return promise
  }

  #disconnected(): void {
    this.#up = false
    this.#outages++
    this.#outage.since = performance.now()
    for (const reject of this.#unanswered) reject(refusal('unreachable'))
  }

  /** Calls `listener` after each reconnection; returns a function that stops this. */
  onBack(listener: () => void): () => void {
    this.#back.add(listener)
    return () => this.#back.delete(listener)
  }

  /**
   * The client itself closes a silent connection only when everything before has been sent, and the system tries that
   * for a quarter of an hour.
   */
  #giveUp(): void {
    const { protocol } = this.nats as unknown as { protocol: { transport: Transport } }
    void protocol.transport.close(new Error('the server did not respond'))
  }

  async #follow(): Promise<void> {
    for await (const { type } of this.nats.status()) {
      if (type === 'staleConnection') this.#giveUp()
      if (type === 'disconnect') this.#disconnected()
      if (type !== 'reconnect') continue
      this.#up = true
      for (const listener of this.#back) listener()
    }
  }
}

/** The part of the client that is a connection. */
interface Transport {
  /** Closes it without sending what waits to be sent. */
  close(reason: Error): Promise<void>
}

interface Outage {
  /** When the connection broke. */
  since: number
}

/**
 * Connects to the first reachable server in `url` (`nats://` or `tls://`, optionally with user and password or a token,
 * several separated by commas). Rejects with a Problem `overloaded` if none can be reached, and with an Error if the
 * server is older than 2.10 or its maximum payload is too small.
 */
export async function openConnection(url: string, { pingMs = PING_MS } = {}): Promise<Connection> {
  const outage = { since: performance.now() }
  const nats = await connect({
    ...parseServers(url),
    name: 'spanhouse',
    timeout: REQUEST_MS_MAX,
    maxReconnectAttempts: -1,
    // A server whose users are missing for a moment, or that cannot ask for them, rejects credentials that are right.
    ignoreAuthErrorAbort: true,
    reconnectDelayHandler: () => reconnectDelayMs(performance.now() - outage.since),
    pingInterval: pingMs,
    maxPingOut: 2,
    noAsyncTraces: true,
  }).catch(error => {
    throw error instanceof AuthorizationError ? error : refusal('unreachable', error)
  })
  const connection = new Connection(nats, outage)
  const fault = faultOf(connection)
  if (fault === undefined) return connection
  await nats.close()
  throw new Error(fault)
}

function faultOf({ nats, payloadBytesMax }: Connection): string | undefined {
  const version = nats.info?.version ?? 'unknown'
  if (isOlder(version)) return `nats-server 2.10 or later is required; ${nats.getServer()} is ${version}`
  if (payloadBytesMax >= PAYLOAD_BYTES_MIN) return undefined
  return `The NATS server's max_payload of ${payloadBytesMax} is below ${PAYLOAD_BYTES_MIN} bytes`
}

/**
 * Whether a server is older than 2.10. After a kill, such servers return with consumers that deliver nothing until
 * asked many times.
 */
function isOlder(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major < 2 || (major === 2 && minor < 10)
}

/**
 * A quarter of the duration of the outage so far, so that attempts become rarer, minus up to half at random, so that
 * clients do not reconnect simultaneously. The client calls this more often than it tries.
 */
function reconnectDelayMs(outageMs: number): number {
  const delayMs = Math.min(RECONNECT_MS_MAX, Math.max(RECONNECT_MS_MIN, outageMs / 4))
  return delayMs * (0.5 + Math.random() / 2)
}

export function parseServers(url: string): Pick<NodeConnectionOptions, 'servers' | 'user' | 'pass' | 'token' | 'tls'> {
  const servers = url.split(',').map(server => new URL(server.trim()))
  const { username, password } = servers[0] as URL
  const [user, pass] = [decodeURIComponent(username), decodeURIComponent(password)]
  return {
    servers: servers.map(({ host }) => host),
    ...(pass ? { user, pass } : user ? { token: user } : {}),
    ...(servers.some(({ protocol }) => protocol === 'tls:') ? { tls: {} } : {}),
  }
}
