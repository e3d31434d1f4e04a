import type { Json, JsonObject } from '@spanhouse/model'

/** Changes of columns that are made to every row, in this order. */
export interface ColumnChanges {
  remove: readonly string[]
  /** Old name, new name. All at once, so that two columns can change names. */
  replace: readonly (readonly [string, string])[]
  /** Where a row does not have it: with the empty text. */
  add: readonly string[]
}

/** Changes of columns, prepared to be made to many rows: what a row costs follows from the row and not from the changes. */
export class ColumnChanger {
  readonly #removed: ReadonlySet<string>
  readonly #names: ReadonlyMap<string, string>
  readonly #added: readonly string[]

  constructor({ remove, replace, add }: ColumnChanges) {
    this.#removed = new Set(remove)
    this.#names = new Map(replace.filter(([from]) => !this.#removed.has(from)))
    this.#added = [...new Set(add)]
  }

  /** The row with its columns changed; a renamed one keeps its place and takes that of its new name. Empty rows have none. */
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
