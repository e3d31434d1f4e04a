import { Refusal } from '@spanhouse/span-stream'

/** How long exports are refused unread when the stream has refused one. */
const PAUSE_MS = 500

/**
 * Refuses, for a moment, whatever comes after the stream has refused an export: to read, inflate and scan exports that are
 * refused in the end would take from the writers the time that they need to make room.
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
