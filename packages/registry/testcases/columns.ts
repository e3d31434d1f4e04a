import type { Json, JsonObject } from '@spanhouse/model'

/** Column changes that apply to every row, in this order. */
export interface ColumnChanges {
  remove: readonly string[]
  /** Old and new names, renamed simultaneously, so that two columns can swap names. */
  replace: readonly (readonly [string, string])[]
  /** Added to rows that lack the column, with the empty text. */
  add: readonly string[]
}

/** Column changes, prepared for many rows: the cost per row depends on the row and not on the number of changes. */
export class ColumnChanger {
  readonly #removed: ReadonlySet<string>
  readonly #names: ReadonlyMap<string, string>
  readonly #added: readonly string[]

  constructor({ remove, replace, add }: ColumnChanges) {
    this.#removed = new Set(remove)
    this.#names = new Map(replace.filter(([from]) => !this.#removed.has(from)))
    this.#added = [...new Set(add)]
  }

  /**
   * The row with its columns changed. A renamed column keeps its position and replaces one with the new name. Empty
   * rows stay empty.
   */
  change(data: JsonObject): JsonObject {
    if (Object.keys(data).length === 0) return data
    const kept = Object.entries(data).filter(([name]) => !this.#removed.has(name))
    const taken = new Set(kept.map(([name]) => this.#names.get(name)))
    const changed = new Map<string, Json>()
    for (const [name, value] of kept) {
      const to = this.#names.get(name)
      if (to !== undefined || !taken.has(name)) changed.set(to ?? name, value)
    }
    for (const name of this.#added) if (!changed.has(name)) changed.set(name, '')
    return Object.fromEntries(changed)
  }
}
