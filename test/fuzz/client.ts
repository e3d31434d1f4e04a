import { type Bounds, DOCUMENTED } from './bounds.ts'
import { type Answer, Connections, type Shot } from './exchange.ts'
import type { Findings, Suspect } from './findings.ts'
import { pickGenerator } from './generators/generators.ts'
import { GrpcConnection } from './grpc-exchange.ts'
import type { Operation } from './inputs/operations.ts'
import { randomOf } from './inputs/random.ts'
import type { Tally } from './tally.ts'
import type { Addresses, World } from './world.ts'

export interface ClientOptions {
  seed: number
  addresses: Addresses
  operations: readonly Operation[]
  canary: string
  bounds: Bounds
  findings: Findings
  tally: Tally
  /** A credential of the play's world was refused. */
  onUnauthorized(play: number): void
}

interface Flight extends Suspect {
  began: number
  /** Undefined while it is on its way. */
  ended?: number
}

/** Flights are remembered for at least so long after their end, to be suspected of what is noticed later. */
const REMEMBERED_MS = 15_000
const FORGET_EVERY_MS = 1_000

const lasted = ({ began, ended = Date.now() }: Flight): number => ended - began

/** Plays one play after the other, judges the answers and knows what was on its way when. */
export class Client {
  readonly #options: ClientOptions
  readonly #api: Connections
  readonly #receiver: Connections
  readonly #grpc: GrpcConnection
  #flights: Flight[] = []
  #forgotAt = 0

  constructor(options: ClientOptions) {
    this.#options = options
    this.#api = new Connections(options.addresses.apiUrl)
    this.#receiver = new Connections(options.addresses.receiverUrl)
    this.#grpc = new GrpcConnection(options.addresses.grpcUrl)
  }

  /** Play `index` of the run; depends on nothing but the seed, the index and the world. */
  async play(index: number, world: World): Promise<void> {
    const random = randomOf(this.#options.seed, index)
    const generator = pickGenerator(random)
    const { operations } = this.#options
    const send = (shot: Shot): Promise<Answer> =>
      this.#send(shot, world, { play: index, generator: generator.name, shot })
    await generator.play({ random, world, operations, send })
  }

  /** Requests in progress at any time from `from` to `to` (milliseconds since 1970), the longest first. */
  suspects(from: number, to: number): Suspect[] {
    return this.#flights
      .filter(({ began, ended }) => began <= to && (ended ?? to) >= from)
      .toSorted((one, other) => lasted(other) - lasted(one))
      .map(({ play, generator, shot }) => ({ play, generator, shot }))
  }

  close(): void {
    this.#api.close()
    this.#receiver.close()
    this.#grpc.close()
  }

  async #send(shot: Shot, world: World, suspect: Suspect): Promise<Answer> {
    const flight: Flight = { ...suspect, began: Date.now() }
    this.#forgetBefore(flight.began)
    this.#flights.push(flight)
    const answer = await this.#doorOf(shot).send(shot, world)
    flight.ended = Date.now()
    this.#options.tally.note(shot, answer)
    this.#judge(shot, answer, suspect)
    if (answer.status === 401 && isOrdinary(shot)) this.#options.onUnauthorized(suspect.play)
    return answer
  }

  /** Not at every request: there are thousands of them to look at. */
  #forgetBefore(now: number): void {
    if (now - this.#forgotAt < FORGET_EVERY_MS) return
    this.#forgotAt = now
    this.#flights = this.#flights.filter(({ ended }) => ended === undefined || ended > now - REMEMBERED_MS)
  }

  #doorOf({ door, path }: Shot): Connections | GrpcConnection {
    if (door === 'grpc') return this.#grpc
    return path.startsWith('/api/otlp/') ? this.#receiver : this.#api
  }

  #judge(shot: Shot, answer: Answer, suspect: Suspect): void {
    for (const { kind, detail } of faultsOf(shot, answer, this.#options))
      this.#options.findings.add({ kind, subject: shot.name, detail }, [suspect])
  }
}

/** Sent with a key that should be valid, as it is. */
const isOrdinary = ({ as, headers, manner }: Shot): boolean =>
  ['owner', 'editor', 'annotator', 'viewer'].includes(as) && !headers?.authorization && manner === undefined

function* faultsOf(
  shot: Shot,
  answer: Answer,
  { canary, bounds }: ClientOptions,
): Generator<{ kind: string; detail: string }> {
  const { status, ms, bytes, text, isLate } = answer
  const who = `as ${shot.as}`
  if (status >= 500 && !DOCUMENTED.includes(status))
    yield { kind: `status ${status}`, detail: `${who}: ${text.slice(0, 200)}` }
  if (isLate || (ms > bounds.answerMs && shot.listenMs === undefined))
    yield {
      kind: 'slow answer',
      detail: `${who}: ${Math.round(ms)} ms, ${isLate ? 'no answer yet' : `status ${status}`}`,
    }
  if (bytes > bounds.answerBytes) yield { kind: 'large answer', detail: `${who}: ${bytes} bytes` }
  // The administrator reads the log of all tenants.
  if (text.includes(canary) && !(shot.as === 'admin' && shot.path.startsWith('/api/admin/')))
    yield { kind: 'leak', detail: `${who}: status ${status}: ${around(text, canary)}` }
  if (isUnclear(answer)) yield { kind: 'unclear refusal', detail: `${who}: ${status} ${text.slice(0, 200)}` }
}

/** Where a refusal in JSON gives its reason: `detail`, or for the services `status.message` and `details`. */
const REASONS = ['"detail":', '"details":', '"message":']

function isUnclear({ status, headers, text }: Answer): boolean {
  if (status < 400 || text === '' || !headers['content-type']?.includes('json') || headers['content-encoding'])
    return false
  return !REASONS.some(reason => text.includes(reason))
}

function around(text: string, canary: string): string {
  const at = text.indexOf(canary)
  return text.slice(Math.max(0, at - 100), at + canary.length + 100)
}
