import type { Json, JsonObject } from '@spanhouse/model'

/** Changes of columns that are made to every row, in this order. */
export interface ColumnChanges {
  remove: readonly string[]
  /** Old name, new name. All at once, so that two columns can change names. */
  replace: readonly (readonly [string, string])[]
  /** Where a row does not have it: with the empty text. */
  add: readonly string[]
}

/** The row with its columns changed; a renamed one keeps its place and takes that of its new name. Empty rows have none. */
export function changeColumns(data: JsonObject, { remove, replace, add }: ColumnChanges): JsonObject {
  if (Object.keys(data).length === 0) return data
  const removed = new Set(remove)
  const kept = Object.entries(data).filter(([name]) => !removed.has(name))
  const names = new Map(replace.filter(([from]) => Object.hasOwn(data, from) && !removed.has(from)))
  const taken = new Set(names.values())
  const renamed = kept.flatMap(([name, value]): [string, Json][] => {
    const to = names.get(name)
    if (to !== undefined) return [[to, value]]
    return taken.has(name) ? [] : [[name, value]]
  })
  const changed = new Map(renamed)
  for (const name of add) if (!changed.has(name)) changed.set(name, '')
  return Object.fromEntries(changed)
}
