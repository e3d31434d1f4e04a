import { isJsonObject, type Json, type JsonObject } from '@spanhouse/model'

/**
 * Merges two objects: objects merge at every depth, any other value in `over` replaces the one in `under`. Neither is
 * modified.
 */
export function mergeDeep(under: JsonObject, over: JsonObject): JsonObject {
  const merged: JsonObject = { ...under }
  for (const [name, value] of Object.entries(over)) {
    const before = Object.hasOwn(under, name) ? under[name] : undefined
    define(merged, name, isJsonObject(before) && isJsonObject(value) ? mergeDeep(before, value) : value)
  }
  return merged
}

/** Paths to remove, by their first segments. */
interface Removal {
  isEnd: boolean
  readonly members: Map<string, Removal>
}

/** The object without the members at the paths. Paths that do not exist are ignored. */
export function removePaths(object: JsonObject, paths: readonly (readonly string[])[]): JsonObject {
  const all: Removal = { isEnd: false, members: new Map() }
  for (const path of paths) {
    let removal = all
    for (const name of path) {
      const next = removal.members.get(name) ?? { isEnd: false, members: new Map() }
      removal.members.set(name, next)
      removal = next
    }
    removal.isEnd = true
  }
  return without(object, all)
}

function without(object: JsonObject, { members }: Removal): JsonObject {
  const kept: JsonObject = {}
  for (const [name, value] of Object.entries(object)) {
    const removal = members.get(name)
    if (removal?.isEnd) continue
    define(kept, name, removal && isJsonObject(value) ? without(value, removal) : value)
  }
  return kept
}

/** Treats a member called `__proto__` like any other. */
function define(object: JsonObject, name: string, value: Json): void {
  Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true })
}
