/** Items of one batch, and the promise of its work. */
interface Batch<Item> {
  items: Item[]
  done: Promise<void>
}

/**
 * Does work on lists of items in batches: one batch of a key at a time, and whatever is added meanwhile is the next
 * one. A lone caller never waits, and many at once share a few statements. The work of a batch begins after all its
 * items were added, in the context of the caller who added the first.
 */
export class Batches<Item> {
  readonly #itemsMax: number
  /** The batch of each key that has not begun. */
  readonly #open = new Map<string, Batch<Item>>()
  /** The batch of each key that was added last. */
  readonly #last = new Map<string, Promise<void>>()

  /** `itemsMax`: no more are added to a batch that would exceed it; a single list may. */
  constructor(itemsMax: number) {
    this.#itemsMax = itemsMax
  }

  /** Resolves when a batch with these items is done; rejects as its work does. */
  add(key: string, items: readonly Item[], work: (items: Item[]) => Promise<void>): Promise<void> {
    const open = this.#open.get(key)
    if (open && open.items.length + items.length <= this.#itemsMax) {
      open.items.push(...items)
      return open.done
    }
    const before = this.#last.get(key) ?? Promise.resolve()
    const batch: Batch<Item> = { items: [...items], done: before }
    const begin = (): Promise<void> => {
      if (this.#open.get(key) === batch) this.#open.delete(key)
      return work(batch.items)
    }
    batch.done = before.then(begin, begin)
    this.#open.set(key, batch)
    this.#last.set(key, batch.done)
    const forget = (): void => {
      if (this.#last.get(key) === batch.done) this.#last.delete(key)
    }
    batch.done.then(forget, forget)
    return batch.done
  }
}
