import { Problem } from '@spanhouse/model'

/**
 * Lets `count` statements run at a time. Others wait in order of arrival; one that has waited for `queueMs` is rejected
 * with a Problem `overloaded`.
 */
export class Slots {
  readonly #count: number
  readonly #queueMs: number
  readonly #waiting: (() => void)[] = []
  #free: number

  constructor(count: number, queueMs: number) {
    this.#count = count
    this.#free = count
    this.#queueMs = queueMs
  }

  /** Rejects with the signal's reason when that aborts. */
  async take(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted()
    if (this.#free > 0) this.#free--
    else await this.#wait(signal)
  }

  /** Passes the slot to the statement that has waited longest. */
  give(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#free++
  }

  #wait(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', abort)
      }
      const start = (): void => {
        stop()
        resolve()
      }
      const refuse = (reason: unknown): void => {
        stop()
        this.#waiting.splice(this.#waiting.indexOf(start), 1)
        reject(reason)
      }
      const abort = (): void => refuse(signal?.reason)
      const timer = setTimeout(() => refuse(this.#busy()), this.#queueMs)
      signal?.addEventListener('abort', abort)
      this.#waiting.push(start)
    })
  }

  #busy(): Problem {
    const detail = `All ${this.#count} query slots were busy for ${this.#queueMs / 1000} s; try again.`
    return new Problem('overloaded', detail, { retryAfterSeconds: 1 })
  }
}
