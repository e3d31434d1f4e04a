import { isJsonObject, type Json, type JsonObject } from '@spanhouse/model'
import { getOwn, setOwn } from './own-property.ts'
import { mergeBelow } from './unflatten.ts'

const CONFLICTS = '_conflicts'

/** Collects what does not fit into a span: the span's `ag.unsupported`. */
export class Parking {
  #unsupported: JsonObject | undefined

  /** `sent` is what the client already has under `ag.unsupported`; it is kept and extended. */
  constructor(sent: Json | undefined) {
    if (isJsonObject(sent)) this.#unsupported = sent
    else if (sent !== undefined) this.park(['_unsupported'], sent)
  }

  /** Undefined if everything fits. */
  get unsupported(): JsonObject | undefined {
    return this.#unsupported
  }

  /** Keeps a value under its path in `ag`. */
  park(path: readonly string[], value: Json): void {
    if (value === null) return
    this.#unsupported ??= {}
    const parked = path.reduceRight<Json>((inner, key) => objectOf(key, inner), value) as JsonObject
    const isTaken = mergeBelow(this.#unsupported, parked) !== undefined
    if (isTaken) this.parkConflict(['ag', ...path].join('.'), value)
  }

  /** Keeps a value that was displaced by another one, under its attribute key. */
  parkConflict(key: string, value: Json): void {
    this.#unsupported ??= {}
    let conflicts = getOwn(this.#unsupported, CONFLICTS)
    if (!isJsonObject(conflicts)) {
      conflicts = conflicts === undefined ? {} : objectOf(CONFLICTS, conflicts)
      setOwn(this.#unsupported, CONFLICTS, conflicts)
    }
    let name = key
    for (let count = 2; Object.hasOwn(conflicts, name); count++) name = `${key} (${count})`
    setOwn(conflicts, name, value)
  }
}

function objectOf(key: string, value: Json): JsonObject {
  const object: JsonObject = {}
  setOwn(object, key, value)
  return object
}
