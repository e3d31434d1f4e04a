/** Slots for calls, none at first, taken in the order of asking. */
export class Slots {
  #free = 0
  #waiting: (() => void)[] = []

  /** More slots, from now on. */
  add(count: number): void {
    for (let one = 0; one < count; one++) this.#giveBack()
  }

  /** Does the work with a slot. Rejects with the signal's reason if that aborts before there is one. */
  async with<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--
    else await new Promise<void>(resolve => this.#waiting.push(resolve))
    try {
      signal.throwIfAborted()
      return await work()
    } finally {
      this.#giveBack()
    }
  }

  #giveBack(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#free++
  }
}
