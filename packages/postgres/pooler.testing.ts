import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** What it accepts of a client, as PgBouncer does. */
const PARAMETERS = ['user', 'database', 'application_name', 'client_encoding']

/**
 * A pooler in front of a Postgres server that asks for no password. `session`: each client has a session of its own;
 * `transaction`: all clients use the same one in turn (for one statement: nobody begins a transaction).
 */
export async function openPooler(serverUrl: string, mode: 'session' | 'transaction') {
  const { hostname, port } = new URL(serverUrl)
  const sockets = new Set<Socket>()
  const open = (): Socket => followed(connect(Number(port), hostname))
  const followed = (socket: Socket): Socket => {
    sockets.add(socket)
    return socket.on('error', () => undefined)
  }
  const shared = mode === 'transaction' ? new SharedSession(open) : undefined
  const pooler = createServer(client => {
    followed(client).once('data', (startup: Buffer) => {
      const [unknown] = parametersOf(startup).filter(name => !PARAMETERS.includes(name))
      if (unknown !== undefined) client.end(refusal(`unsupported startup parameter: ${unknown}`))
      else if (shared) void shared.greet(client, startup)
      else passOn(client, open(), startup)
    })
  })
  pooler.listen(0, '127.0.0.1')
  await once(pooler, 'listening')
  return {
    url: Object.assign(new URL(serverUrl), { port: String((pooler.address() as AddressInfo).port) }).href,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise(resolve => pooler.close(resolve))
    },
  }
}

function passOn(client: Socket, server: Socket, startup: Buffer): void {
  server.write(startup)
  eachMessage(server, message => client.write(withOwnId(message)))
  client.on('data', chunk => server.write(chunk)).on('close', () => server.destroy())
  server.on('close', () => client.destroy())
}

/** One session for all clients. It ends without them. */
class SharedSession {
  readonly #open: () => Socket
  readonly #greeting: Buffer[] = []
  #server: Socket | undefined
  #answered = (): void => {}
  #receiver = (_message: Buffer): unknown => undefined
  #turn: Promise<void> = Promise.resolve()

  constructor(open: () => Socket) {
    this.#open = open
  }

  async greet(client: Socket, startup: Buffer): Promise<void> {
    if (!this.#server) await this.#ask(startup, message => this.#greeting.push(withOwnId(message)))
    client.write(Buffer.concat(this.#greeting))
    client.on('data', (chunk: Buffer) => {
      if (chunk[0] === GOODBYE) client.end()
      else void this.#ask(chunk, message => client.write(message))
    })
  }

  /** Sends this when the answers before it are complete. */
  #ask(chunk: Buffer, receiver: (message: Buffer) => unknown): Promise<void> {
    this.#turn = this.#turn.then(() => {
      this.#server ??= this.#connect()
      this.#receiver = receiver
      return new Promise(resolve => {
        this.#answered = resolve
        this.#server?.write(chunk)
      })
    })
    return this.#turn
  }

  #connect(): Socket {
    const server = this.#open()
    eachMessage(server, message => {
      this.#receiver(message)
      if (message[0] === READY) this.#end()
    })
    return server.on('close', () => {
      this.#server = undefined
      this.#end()
    })
  }

  /** What the server sends between two statements is for nobody. */
  #end(): void {
    this.#receiver = () => undefined
    this.#answered()
  }
}

const [KEY, READY, GOODBYE] = ['K', 'Z', 'X'].map(type => type.charCodeAt(0)) as [number, number, number]

/** Poolers tell their clients ids of their own, to know whose statement is to be cancelled. */
function withOwnId(message: Buffer): Buffer {
  const own = Buffer.from(message)
  if (own[0] === KEY) own.writeUInt32BE(7, 5)
  return own
}

function eachMessage(socket: Socket, take: (message: Buffer) => unknown): void {
  let rest = Buffer.alloc(0)
  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk])
    while (rest.length >= 5 && rest.length > rest.readUInt32BE(1)) {
      const size = 1 + rest.readUInt32BE(1)
      take(rest.subarray(0, size))
      rest = rest.subarray(size)
    }
  })
}

const parametersOf = (startup: Buffer): string[] =>
  startup
    .toString('utf8', 8)
    .split('\0')
    .filter((text, index) => index % 2 === 0 && text !== '')

function refusal(message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C08P01\0M${message}\0\0`)
  const head = Buffer.from('E\0\0\0\0')
  head.writeUInt32BE(fields.length + 4, 1)
  return Buffer.concat([head, fields])
}
