interface Waiter {
  readonly begin: () => void
}

interface Owner {
  /** How long it has had the connection, counted from where the others stood when it came. */
  usedMs: number
  readonly waiting: Waiter[]
}

/**
 * Callers that wait for one thing, which is lent to one of them at a time. Those without an owner come first. Of the
 * others the next is always the owner that has had it for the shortest time, so two owners that both wait all the time have
 * half of the time each, however many callers each has and however long they keep it. An owner that comes anew starts
 * level with the one that is served: nobody saves up time while idle.
 */
export class FairQueue {
  readonly #urgent: Waiter[] = []
  readonly #owners = new Map<string, Owner>()
  /** Where the owner stood that was served last. */
  #levelMs = 0
  #size = 0

  /** How many callers wait. */
  get size(): number {
    return this.#size
  }

  /** Adds a caller, whose `begin` is called by {@link next}. Returns what takes it out again. */
  add(owner: string | undefined, begin: () => void): () => void {
    const waiter = { begin }
    const line = owner === undefined ? this.#urgent : this.#ownerOf(owner).waiting
    line.push(waiter)
    this.#size++
    return () => {
      const at = line.indexOf(waiter)
      if (at < 0) return
      line.splice(at, 1)
      this.#size--
    }
  }

  /** Counts what an owner has had. */
  charge(owner: string | undefined, ms: number): void {
    if (owner !== undefined) this.#ownerOf(owner).usedMs += ms
  }

  /** Takes the caller out whose turn it is and begins it. False when nobody waits. */
  next(): boolean {
    const waiter = this.#urgent.shift() ?? this.#nextOwner()?.waiting.shift()
    if (!waiter) {
      // Nobody has to be compared with anybody.
      this.#owners.clear()
      return false
    }
    this.#size--
    waiter.begin()
    return true
  }

  #ownerOf(name: string): Owner {
    const owner = this.#owners.get(name) ?? { usedMs: 0, waiting: [] }
    if (owner.waiting.length === 0) owner.usedMs = Math.max(owner.usedMs, this.#levelMs)
    this.#owners.set(name, owner)
    return owner
  }

  #nextOwner(): Owner | undefined {
    let least: Owner | undefined
    for (const [name, owner] of this.#owners) {
      if (owner.waiting.length > 0) {
        if (!least || owner.usedMs < least.usedMs) least = owner
      } else if (owner.usedMs <= this.#levelMs) this.#owners.delete(name)
    }
    if (least) this.#levelMs = least.usedMs
    return least
  }
}
