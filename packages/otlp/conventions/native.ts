import { isJsonObject, type Json, type JsonObject } from '@spanhouse/model'
import { mergeBelow } from '../canonical/unflatten.ts'

/** An older name of a place in `ag`. */
interface Move {
  from: readonly string[]
  /** Null: what stands there is dropped. */
  to: readonly string[] | null
  /** Moved if it is an object, and merged with the one that is there. */
  isTree?: true
  /** Where it goes, as a whole, when there is something in the place already. */
  else?: readonly string[]
  convert?(value: Json): Json
}

const path = (dotted: string): readonly string[] => dotted.split('.')
const move = (from: string, to: string): Move => ({ from: path(from), to: path(to) })
const moveTree = (from: string, to: string): Move => ({ ...move(from, to), isTree: true })
const lowerCase = (value: Json): Json => (typeof value === 'string' ? value.toLowerCase() : value)

/** In this order: the later rows move what the earlier ones have brought. */
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

/** By the member of `ag` that they take something from, in the same order: most spans have two of these. */
const MOVES_FROM = [...Map.groupBy(MOVES, ({ from }) => from[0] as string)]

/**
 * The `ag.*` attributes themselves, under their current and their older names: gives what has an older name its
 * current place. A value under an older name gives way to one under the current name; it then stays where it is, a
 * place that the schema does not know.
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

/** The value at one of the places above, which are no names that every object has; null counts as none. */
function valueAt(ag: JsonObject, place: readonly string[]): Json | undefined {
  let value: Json | undefined = ag
  for (const key of place) {
    if (!isJsonObject(value)) return undefined
    value = value[key]
  }
  return value ?? undefined
}

/**
 * In `ag` and in these members of it the schema takes null for absent, so a removed value need not be deleted: an
 * object that had a key deleted is slow for everything that follows (2 of 8 microseconds a span).
 */
const NULL_IS_ABSENT_IN: ReadonlySet<string | undefined> = new Set(['type', 'metrics', 'references'])

/** Removes what stands at a place, and the objects around it that are empty then. */
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

/** Puts a value in its place, merging objects. Returns what of it was not needed there. */
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
