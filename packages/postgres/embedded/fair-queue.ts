interface Waiter {
  readonly begin: () => void
}

interface Owner {
  /** How long it has used the connection, relative to the others when it arrived. */
  usedMs: number
  readonly waiting: Waiter[]
}

/**
 * Callers that wait for one resource, which is lent to one of them at a time. Callers without an owner come first.
 * Among the others, the next is always the owner that has used the resource for the shortest time, so two owners that
 * both wait constantly get half of the time each, however many callers each has and however long they keep it. A new
 * owner starts level with the one being served: idle owners accumulate no credit.
 */
export class FairQueue {
  readonly #urgent: Waiter[] = []
  readonly #owners = new Map<string, Owner>()
  /** The level of the owner served last. */
  #levelMs = 0
  #size = 0

  /** The number of waiting callers. */
  get size(): number {
    return this.#size
  }

  /** Adds a caller, whose `begin` is called by {@link next}. Returns a function that removes it. */
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

  /** Adds to the time that an owner has used. */
  charge(owner: string | undefined, ms: number): void {
    if (owner !== undefined) this.#ownerOf(owner).usedMs += ms
  }

  /** Removes the next caller and calls its `begin`. False if no one waits. */
  next(): boolean {
    const waiter = this.#urgent.shift() ?? this.#nextOwner()?.waiting.shift()
    if (!waiter) {
      // No owners to compare.
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
