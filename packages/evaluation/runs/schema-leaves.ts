import { isJsonObject, type Json, type JsonObject } from '@spanhouse/model'

/** How the values of a metric are counted (section 4.2 of the interface). */
export type MetricType =
  | 'numeric/continuous'
  | 'numeric/discrete'
  | 'binary'
  | 'categorical/single'
  | 'categorical/multiple'
  | 'string'
  | 'json'

/** A value in the outputs of an evaluator: its path, member by member, and its type. */
export interface SchemaLeaf {
  path: string[]
  type: MetricType
}

/** Levels of a schema that are looked at, and leaves that are taken from it. */
const DEPTH_MAX = 50
const LEAVES_MAX = 1_000

/** The leaves of an output schema that have a metric, in its order; one that is not an object has one at its root. */
export function schemaLeaves(schema: Json | undefined): SchemaLeaf[] {
  const leaves: SchemaLeaf[] = []
  const look = (given: Json | undefined, path: string[]): void => {
    const one = withoutNull(given)
    if (!one || path.length > DEPTH_MAX || leaves.length >= LEAVES_MAX) return
    if (one.type === 'object' && isJsonObject(one.properties)) {
      for (const [name, member] of Object.entries(one.properties)) look(member, [...path, name])
      return
    }
    const type = typeOf(one)
    if (type) leaves.push({ path, type })
  }
  look(schema, [])
  return leaves
}

const SCALARS: Readonly<Record<string, MetricType>> = {
  object: 'json',
  number: 'numeric/continuous',
  integer: 'numeric/discrete',
  boolean: 'binary',
  string: 'string',
}

function typeOf({ type, enum: words, items }: JsonObject): MetricType | undefined {
  if (type === 'string' && Array.isArray(words)) return 'categorical/single'
  if (type === 'array')
    return isJsonObject(items) && items.type === 'string' && Array.isArray(items.enum)
      ? 'categorical/multiple'
      : undefined
  return typeof type === 'string' && Object.hasOwn(SCALARS, type) ? SCALARS[type] : undefined
}

/** What a schema says of values that are not null: a nullable union is its other member. */
function withoutNull(schema: Json | undefined): JsonObject | undefined {
  if (!isJsonObject(schema)) return undefined
  const { type } = schema
  if (Array.isArray(type)) {
    const types = type.filter(one => one !== 'null')
    return types.length === 1 ? { ...schema, type: types[0] as Json } : undefined
  }
  const union = schema.anyOf ?? schema.oneOf
  if (type !== undefined || !Array.isArray(union)) return schema
  const members = union.filter(one => !isJsonObject(one) || one.type !== 'null')
  return members.length === 1 ? withoutNull(members[0]) : undefined
}
