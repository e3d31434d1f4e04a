import { isJsonObject, type Json, type JsonObject } from '@spanhouse/model'
import { getOwn, setOwn } from './own-property.ts'

export interface Unflattened {
  tree: JsonObject
  /** Values without a place in the tree, by the key of an attribute. */
  conflicts: JsonObject
}

/** How many gaps in lists are filled in total: `a.999999.x` must not create a million objects. */
const GAPS_MAX = 1_000

/**
 * Builds a tree from flat attributes. Keys are split at dots; an all-digit segment under a new parent creates a list
 * (gaps become null or empty containers), under an object it is a key. Dots inside nested values are kept. Nested
 * values become part of the tree and are modified. The tree is built on `root`.
 *
 * Nothing is lost if attributes use the same place. The winner does not depend on their order: a plain value wins over
 * anything below it, and of two plain values the one with the longer key. The loser goes to `conflicts`: an attribute
 * whose place is taken under its own key, a displaced value under the key of the attribute that displaced it.
 */
export function unflatten(attributes: ReadonlyMap<string, Json>, root: JsonObject = {}): Unflattened {
  const builder = new TreeBuilder(root)
  const containers: [string, Json][] = []
  // Iterates over keys, because entries would create two objects each.
  for (const key of attributes.keys()) {
    const value = attributes.get(key) as Json
    if (isContainer(value)) containers.push([key, value])
  }
  if (containers.length > 1) containers.sort(([one], [other]) => one.length - other.length)
  for (const [key, value] of containers) builder.place(key, value)
  for (const key of attributes.keys()) {
    const value = attributes.get(key) as Json
    if (!isContainer(value)) builder.place(key, value)
  }
  return { tree: builder.tree, conflicts: builder.conflicts }
}

/**
 * Adds the members of `lower` to `upper`, at every level; if both have a value (not null) the one in `upper` is kept.
 * Returns the parts of `lower` that had no place; undefined if there are none.
 */
export function mergeBelow(upper: JsonObject, lower: JsonObject): JsonObject | undefined {
  let losers: JsonObject | undefined
  for (const key in lower) {
    const value = lower[key] as Json
    const present = getOwn(upper, key)
    if (present === undefined || present === null) setOwn(upper, key, value)
    else {
      const loser = isJsonObject(present) && isJsonObject(value) ? mergeBelow(present, value) : value
      if (loser === undefined || loser === present) continue
      losers ??= {}
      setOwn(losers, key, loser)
    }
  }
  return losers
}

type Container = JsonObject | Json[]
/** A number is a segment of digits. */
type Segment = string | number

class TreeBuilder {
  readonly tree: JsonObject
  readonly conflicts: JsonObject = {}
  #gapsLeft = GAPS_MAX

  constructor(root: JsonObject) {
    this.tree = root
  }

  place(key: string, value: Json): void {
    const path = pathOf(key)
    const last = path.length - 1
    let node: Container | undefined = this.tree
    for (let at = 0; at < last && node; at++)
      node = this.#descend(node, path[at] as Segment, typeof path[at + 1] === 'number')
    const loser = node ? this.#put(node, path[last] as Segment, value) : value
    if (loser !== undefined) setOwn(this.conflicts, key, loser)
  }

  /** The container at a segment, created if absent; undefined if the place is taken. */
  #descend(node: Container, segment: Segment, isList: boolean): Container | undefined {
    const present = childOf(node, segment)
    if (isContainer(present)) return present
    if (present !== undefined && present !== null) return undefined
    const container = isList ? [] : {}
    return this.#attach(node, segment, container, isList ? EMPTY_LIST : EMPTY_OBJECT) ? container : undefined
  }

  /** Returns the value that has no place. */
  #put(node: Container, segment: Segment, value: Json): Json | undefined {
    const present = childOf(node, segment)
    if (present === undefined) return this.#attach(node, segment, value, NULL) ? undefined : value
    const { winner, loser } = settle(present, value)
    return this.#attach(node, segment, winner, NULL) ? loser : value
  }

  #attach(node: Container, segment: Segment, value: Json, gap: () => Json): boolean {
    if (!Array.isArray(node)) setOwn(node, String(segment), value)
    else {
      if (typeof segment === 'string' || segment - node.length > this.#gapsLeft) return false
      for (; node.length < segment; this.#gapsLeft--) node.push(gap())
      node[segment] = value
    }
    return true
  }
}

/** The values that fill gaps in lists. */
const NULL = (): Json => null
const EMPTY_LIST = (): Json => []
const EMPTY_OBJECT = (): Json => ({})

interface Settled {
  winner: Json
  loser?: Json
}

/** Decides between the `present` value of a place and a new one. */
function settle(present: Json, value: Json): Settled {
  if (isVoid(present)) return { winner: value ?? present }
  if (isVoid(value)) return { winner: present }
  if (isContainer(value) && !isContainer(present)) return { winner: present, loser: value }
  if (isJsonObject(value) && isJsonObject(present)) {
    // The new value has the longer key, so its members win.
    const loser = mergeBelow(value, present)
    return { winner: value, loser }
  }
  return present === value ? { winner: present } : { winner: value, loser: present }
}

/** Dropping it loses nothing: null (a gap), or an empty container. */
const isVoid = (value: Json): boolean =>
  value === null || (Array.isArray(value) ? value.length === 0 : isJsonObject(value) && Object.keys(value).length === 0)

const isContainer = (value: Json | undefined): value is Container => Array.isArray(value) || isJsonObject(value)

const childOf = (node: Container, segment: Segment): Json | undefined =>
  Array.isArray(node) ? (typeof segment === 'number' ? node[segment] : undefined) : getOwn(node, String(segment))

const INDEX = /^(0|[1-9]\d{0,8})$/

/** A key with more segments than this is not split. */
const SEGMENTS_MAX = 100

/** Senders use the same few keys for all their spans. */
const paths = new Map<string, readonly Segment[]>()
const PATHS_MAX = 10_000
const REMEMBERED_LENGTH_MAX = 200

function pathOf(key: string): readonly Segment[] {
  const known = paths.get(key)
  if (known) return known
  const segments = key.split('.')
  const path = segments.length > SEGMENTS_MAX ? [key] : segments.map(one => (INDEX.test(one) ? Number(one) : one))
  if (paths.size === PATHS_MAX) paths.clear()
  if (key.length <= REMEMBERED_LENGTH_MAX) paths.set(key, path)
  return path
}
