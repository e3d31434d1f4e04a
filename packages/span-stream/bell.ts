/** Wakes waiters. A ring without waiters is not kept: look for work first, then wait, with no await in between. */
export class Bell {
  #waiting = new Set<() => void>()

  ring(): void {
    for (const wake of this.#waiting) wake()
  }

  /** Resolves at the next ring, or after `ms`. */
  wait(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const wake = () => {
      clearTimeout(timer)
      this.#waiting.delete(wake)
      resolve()
    }
    const timer = setTimeout(wake, Math.max(0, ms))
    this.#waiting.add(wake)
    return promise
  }
}
