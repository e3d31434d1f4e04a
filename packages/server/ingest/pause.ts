import { Refusal } from '@spanhouse/span-stream'

/** How long exports are rejected unread after the stream has rejected one. */
const PAUSE_MS = 500

/**
 * Rejects everything for a moment after the stream has rejected an export: reading, inflating and scanning exports that
 * are then rejected would take the time that the writers need to make room.
 */
export class PauseWhenFull {
  #refusal: Refusal | undefined
  #refusedAt = Number.NEGATIVE_INFINITY

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#refusal && performance.now() < this.#refusedAt + PAUSE_MS) throw this.#refusal
    try {
      return await work()
    } catch (error) {
      if (error instanceof Refusal && error.why !== 'busy') {
        this.#refusal = error
        this.#refusedAt = performance.now()
      }
      throw error
    }
  }
}
