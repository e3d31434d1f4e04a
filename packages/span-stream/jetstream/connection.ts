import { connect, type NatsConnection, type NodeConnectionOptions } from '@nats-io/transport-node'

/** Time to connect, and for each request of an administrative kind. */
export const REQUEST_MS_MAX = 5_000

/** Smallest `max_payload` a server may have. The default of NATS is 1 MiB. */
const PAYLOAD_BYTES_MIN = 64 * 1024

/** Longest wait between two attempts to reconnect. */
const RECONNECT_MS_MAX = 5_000

/**
 * A connection that reconnects for ever, knows whether it is up, and tells when it came back. NATS' client buffers what
 * is published while it is down, so whoever publishes asks `up` first.
 */
export class Connection {
  readonly nats: NatsConnection
  readonly #back = new Set<() => void>()
  #up = true

  constructor(nats: NatsConnection, attempts: Attempts) {
    this.nats = nats
    void this.#follow(attempts)
  }

  get up(): boolean {
    return this.#up && !this.nats.isClosed()
  }

  /** The largest message the server takes, headers included. */
  get payloadBytesMax(): number {
    return this.nats.info?.max_payload ?? PAYLOAD_BYTES_MIN
  }

  /** Calls `listener` after each reconnection; returns how to stop that. */
  onBack(listener: () => void): () => void {
    this.#back.add(listener)
    return () => this.#back.delete(listener)
  }

  async #follow(attempts: Attempts): Promise<void> {
    for await (const { type } of this.nats.status()) {
      if (type === 'disconnect') this.#up = false
      if (type !== 'reconnect') continue
      this.#up = true
      attempts.count = 0
      for (const listener of this.#back) listener()
    }
  }
}

interface Attempts {
  count: number
}

/**
 * Connects to the first reachable of the servers in `url` (`nats://` or `tls://`, user and password or a token in it,
 * several separated by commas). Rejects when none can be reached or its messages are too small.
 */
export async function openConnection(url: string): Promise<Connection> {
  const attempts = { count: 0 }
  const nats = await connect({
    ...parseServers(url),
    name: 'spanhouse',
    timeout: REQUEST_MS_MAX,
    maxReconnectAttempts: -1,
    reconnectDelayHandler: () => reconnectDelayMs(attempts.count++),
    pingInterval: 10_000,
    maxPingOut: 2,
    noAsyncTraces: true,
  })
  const connection = new Connection(nats, attempts)
  if (connection.payloadBytesMax >= PAYLOAD_BYTES_MIN) return connection
  await nats.close()
  throw new Error(`The NATS server's max_payload of ${connection.payloadBytesMax} is below ${PAYLOAD_BYTES_MIN} bytes`)
}

/** From 50 ms doubling to five seconds, up to half less by chance, so that not all clients come back at once. */
function reconnectDelayMs(attempt: number): number {
  const delayMs = Math.min(RECONNECT_MS_MAX, 50 * 2 ** Math.min(attempt, 10))
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
