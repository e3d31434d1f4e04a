import type { Uuid } from '@spanhouse/model'
import { LANES, type Lane, SENDING_MS } from './lanes.ts'
import type { DeliveriesOptions } from './span-stream.ts'

/** A message that waits to be delivered. */
export interface Waiting {
  readonly project_id: Uuid
  readonly sequence: number
  readonly spans: number
  readonly bytes: number
}

/** The source of a batch's messages, in order in each lane. */
export interface Source<T extends Waiting> {
  /** The lane's next message if one is available. It remains the next until it is taken. */
  peek(lane: Lane): T | undefined
  /** Takes the message that `peek` returned. */
  take(lane: Lane): void
  /** Resolves when `peek` may have a new result, after `msMax` at the latest; also when the iteration ends. */
  changed(msMax: number): Promise<void>
}

export type BatchLimits = Pick<DeliveriesOptions, 'spansMax' | 'sharedSpansMax' | 'bytesMax' | 'lingerMs'>

/** Maximum time of one wait for a source. Sources that can miss notifications choose a shorter one. */
const IDLE_MS = 60_000

/**
 * Cuts the batches of one iteration. While a single project sends, or all that send are beyond their pace, a batch has
 * what is there of both lanes, and is as large as the limits allow. While one of several keeps its pace, the lanes take
 * turns, and a bulk batch is small: a message in the prompt lane waits for one of those at most, and shares its batch
 * with none.
 */
export class Batches<T extends Waiting> {
  readonly #source: Source<T>
  readonly #limits: BatchLimits
  /** When each project was last seen. */
  readonly #seen = new Map<Uuid, number>()
  #promptAt = Number.NEGATIVE_INFINITY
  #isPromptUsed = false
  #last: Lane = 'bulk'

  constructor(source: Source<T>, limits: BatchLimits) {
    this.#source = source
    this.#limits = limits
  }

  /**
   * Takes one batch: as many messages as fit, but at least one, waiting at most `lingerMs` after the first for more. If
   * the signal is aborted, returns the messages taken so far, possibly none.
   */
  async next(signal: AbortSignal): Promise<T[]> {
    while (!signal.aborted && !LANES.some(lane => this.#source.peek(lane))) await this.#source.changed(IDLE_MS)
    const now = performance.now()
    this.#lookWhoSends(now)
    this.#forgetWhoEnded(now)
    if (!this.#isShared) return this.#gather(LANES, this.#limits.spansMax, signal)
    const other = this.#last === 'bulk' ? 'prompt' : 'bulk'
    if (this.#source.peek(other)) this.#last = other
    const { spansMax, sharedSpansMax } = this.#limits
    return this.#gather([this.#last], this.#last === 'bulk' ? Math.min(spansMax, sharedSpansMax) : spansMax, signal)
  }

  /** Ends early if messages are waiting that do not belong to the batch: another lane's, or another project's. */
  async #gather(lanes: readonly Lane[], spansMax: number, signal: AbortSignal): Promise<T[]> {
    const { bytesMax, lingerMs } = this.#limits
    const wasShared = this.#isShared
    const batch: T[] = []
    let [spans, bytes, until] = [0, 0, Number.POSITIVE_INFINITY]
    while (!signal.aborted && spans < spansMax && bytes < bytesMax) {
      const lane = this.#nextOf(lanes)
      if (lane === undefined) {
        const left = until - performance.now()
        if (left <= 0 || LANES.some(other => this.#source.peek(other))) break
        await this.#source.changed(Math.min(left, IDLE_MS))
        continue
      }
      const next = this.#source.peek(lane) as T
      if (batch.length > 0 && (spans + next.spans > spansMax || bytes + next.bytes > bytesMax)) break
      this.#lookWhoSends(performance.now())
      if (batch.length > 0 && this.#isShared !== wasShared) break
      this.#source.take(lane)
      if (batch.push(next) === 1) until = performance.now() + lingerMs
      spans += next.spans
      bytes += next.bytes
    }
    return batch
  }

  /** Of these lanes, the one with the message that was published first. */
  #nextOf(lanes: readonly Lane[]): Lane | undefined {
    let [first, sequence]: [Lane | undefined, number] = [undefined, Number.POSITIVE_INFINITY]
    for (const lane of lanes) {
      const next = this.#source.peek(lane)
      if (next && next.sequence < sequence) [first, sequence] = [lane, next.sequence]
    }
    return first
  }

  #lookWhoSends(now: number): void {
    for (const lane of LANES) {
      const next = this.#source.peek(lane)
      if (!next) continue
      this.#seen.set(next.project_id, now)
      if (lane === 'prompt') [this.#promptAt, this.#isPromptUsed] = [now, true]
    }
  }

  #forgetWhoEnded(now: number): void {
    this.#isPromptUsed = now - this.#promptAt <= SENDING_MS
    for (const [project_id, at] of this.#seen) if (now - at > SENDING_MS) this.#seen.delete(project_id)
  }

  get #isShared(): boolean {
    return this.#isPromptUsed && this.#seen.size > 1
  }
}
