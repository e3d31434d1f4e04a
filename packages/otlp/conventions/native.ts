import { isJsonObject, type Json, type JsonObject } from '@spanhouse/model'
import { mergeBelow } from '../canonical/unflatten.ts'

/** An older name of a place in `ag`. */
interface Move {
  from: readonly string[]
  /** Null: the value is dropped. */
  to: readonly string[] | null
  /** Moved only if it is an object, and merged with an existing one. */
  isTree?: true
  /** The place for the whole value if `to` is taken. */
  else?: readonly string[]
  convert?(value: Json): Json
}

const path = (dotted: string): readonly string[] => dotted.split('.')
const move = (from: string, to: string): Move => ({ from: path(from), to: path(to) })
const moveTree = (from: string, to: string): Move => ({ ...move(from, to), isTree: true })
const lowerCase = (value: Json): Json => (typeof value === 'string' ? value.toLowerCase() : value)

/** In this order: later rows move what earlier ones have moved. */
const MOVES: readonly Move[] = [
  { ...move('type.node', 'type.span'), convert: lowerCase },
  { ...move('meta.configuration', 'data.parameters'), else: path('unsupported.meta.configuration') },
  moveTree('metrics.unit.tokens', 'metrics.tokens.incremental'),
  moveTree('metrics.unit.costs', 'metrics.costs.incremental'),
  moveTree('metrics.acc.tokens', 'metrics.tokens.cumulative'),
  moveTree('metrics.acc.costs', 'metrics.costs.cumulative'),
  { from: path('metrics.acc.duration.total'), to: null },
  moveTree('refs', 'references'),
  move('references.variant.id', 'references.application_variant.id'),
  move('references.variant.slug', 'references.application_variant.slug'),
  move('references.variant.version', 'references.application_revision.version'),
  move('references.environment.version', 'references.environment_revision.version'),
]

/** Grouped by the member of `ag` that they read, in the same order: most spans have two of these. */
const MOVES_FROM = [...Map.groupBy(MOVES, ({ from }) => from[0] as string)]

/**
 * Moves values under older names of `ag.*` attributes to their current places. If the current name has a value too,
 * that one wins; the older one then remains in its place, which the schema does not know.
 */
export function renameOlder(ag: JsonObject): void {
  for (const [member, moves] of MOVES_FROM) if (isJsonObject(ag[member])) for (const move of moves) apply(move, ag)
}

function apply({ from, to, isTree, else: otherwise, convert }: Move, ag: JsonObject): void {
  const value = valueAt(ag, from)
  if (value === undefined || (isTree && !isJsonObject(value))) return
  remove(ag, from)
  if (to === null) return
  const target = otherwise && valueAt(ag, to) !== undefined ? otherwise : to
  const left = add(ag, target, convert ? convert(value) : value)
  if (left !== undefined) add(ag, from, left)
}

/** The value at one of the places above, none of which is a name of an inherited property. Null counts as absent. */
function valueAt(ag: JsonObject, place: readonly string[]): Json | undefined {
  let value: Json | undefined = ag
  for (const key of place) {
    if (!isJsonObject(value)) return undefined
    value = value[key]
  }
  return value ?? undefined
}

/**
 * In `ag` and in these members of it the schema treats null as absent, so a removed value need not be deleted: an
 * object with a deleted key slows down everything that follows (2 of 8 microseconds per span).
 */
const NULL_IS_ABSENT_IN: ReadonlySet<string | undefined> = new Set(['type', 'metrics', 'references'])

/** Removes the value at a place, and the objects around it that become empty. */
function remove(ag: JsonObject, place: readonly string[]): void {
  for (let depth = place.length; depth > 0; depth--) {
    const parent = valueAt(ag, place.slice(0, depth - 1)) as JsonObject
    const key = place[depth - 1] as string
    if (depth === 1 || (depth === 2 && NULL_IS_ABSENT_IN.has(place[0]))) {
      parent[key] = null
      return
    }
    if (Object.keys(parent).length > 1) {
      delete parent[key]
      return
    }
  }
}

/** Puts a value in its place, merging objects. Returns the parts that have no place. */
function add(ag: JsonObject, place: readonly string[], value: Json): Json | undefined {
  const last = place.length - 1
  let node = ag
  for (let at = 0; at < last; at++) {
    const key = place[at] as string
    node[key] ??= {}
    const child = node[key]
    if (!isJsonObject(child)) return value
    node = child
  }
  const key = place[last] as string
  const present = node[key] ?? undefined
  if (isJsonObject(present) && isJsonObject(value)) return mergeBelow(present, value)
  if (present === undefined) node[key] = value
  return present === undefined || present === value ? undefined : value
}
