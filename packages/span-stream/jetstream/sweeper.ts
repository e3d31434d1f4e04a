import type { DeadLetters } from './dead-letters.ts'
import { type ShelfState, type Storage, settleAll } from './storage.ts'
import type { Topology } from './topology.ts'

/** Longer than a stored part can still come into use: the few seconds that a publish may take. */
const SWEEP_MS = 5 * 60_000

/**
 * Removes parts of large messages that no message refers to: their publisher died or got no answer, or the consumer
 * died between acknowledging the message and removing its parts.
 *
 * Every round records the stream's last position. Let `parts` be the position recorded two rounds ago and `messages`
 * the one recorded one round ago. A part at or before `parts` is older than one round when `messages` is recorded, so
 * no message after `messages` refers to it. Once no partition holds a message at or before `messages`, nothing refers
 * to the parts at or before `parts`, and they are removed. It queries the stream itself, not the consumers' counters.
 *
 * Dead letters stay for long. Of theirs, parts older than one round are removed if no letter refers to them, which is
 * looked for only if the stream has changed.
 */
export class Sweeper {
  readonly #storage: Storage
  readonly #topology: Topology
  readonly #letters: DeadLetters
  #noted: number[] = []
  #notedLetters: number | undefined
  #swept: ShelfState | undefined

  constructor(storage: Storage, topology: Topology, letters: DeadLetters) {
    this.#storage = storage
    this.#topology = topology
    this.#letters = letters
  }

  /** Sweeps until the signal is aborted. A failed round is skipped: the server may be unavailable. */
  start(signal: AbortSignal): void {
    const timer = setInterval(() => void this.round().catch(() => undefined), SWEEP_MS).unref()
    signal.addEventListener('abort', () => clearInterval(timer))
  }

  /** Runs one round; rounds must be at least SWEEP_MS apart. */
  async round(): Promise<void> {
    await settleAll([this.#sweepLive(), this.#sweepLetters()])
  }

  async #sweepLive(): Promise<void> {
    const { live } = this.#topology
    const state = await this.#storage.state(live)
    // If positions have gone back, because the server was killed, those recorded before are invalid.
    if (state.last < (this.#noted.at(-1) ?? 0)) this.#noted = []
    const [parts, messages] = this.#noted
    this.#noted = [...this.#noted, state.last].slice(-2)
    if (parts === undefined || messages === undefined || state.parts === 0) return
    if (await this.#anyUpTo(messages, state.subjects)) return
    await this.#storage.purge(live, live.partsSubject, parts)
  }

  async #sweepLetters(): Promise<void> {
    const state = await this.#storage.state(this.#topology.dead)
    const noted = this.#notedLetters
    this.#notedLetters = state.last
    const isSwept = state.last === this.#swept?.last && state.parts === this.#swept.parts
    if (noted === undefined || state.last < noted || state.parts === 0 || isSwept) return
    await this.#letters.sweep(noted)
    if (state.last === noted) this.#swept = state
  }

  /** Of all partitions that the stream has, which may be more than this process knows. */
  async #anyUpTo(sequence: number, subjects: readonly string[]): Promise<boolean> {
    const { live } = this.#topology
    for (const subject of subjects) {
      const first = await this.#storage.next(live, subject, 1)
      if (first !== null && first.seq <= sequence) return true
    }
    return false
  }
}
