import { isJsonObject, type Json, type JsonObject } from '@spanhouse/model'

/** Levels that are described; deeper values are of no type. */
const DEPTH_MAX = 20

/**
 * A JSON schema that describes all of the values (section 4.6 of the interface). Every number is a `number`, so that 0,
 * 1 and 0.7 have one type. Values of several types have a list of types; null makes one nullable.
 */
export function inferSchema(values: readonly Json[], depth = 0): JsonObject {
  const types = [...new Set(values.map(typeOf))]
  if (depth > DEPTH_MAX || types.length === 0) return {}
  const schema: JsonObject = { type: types.length === 1 ? (types[0] as string) : types.sort() }
  const objects = values.filter(isJsonObject)
  if (objects.length > 0) schema.properties = propertiesOf(objects, depth)
  const items = values.flatMap(value => (Array.isArray(value) ? (value as Json[]) : []))
  if (items.length > 0) schema.items = inferSchema(items, depth + 1)
  return schema
}

function propertiesOf(objects: readonly JsonObject[], depth: number): JsonObject {
  const all = new Set(objects.flatMap(one => Object.keys(one)))
  // A schema with such a name could not be stored.
  const names = [...all].filter(name => !name.includes('\0'))
  return Object.fromEntries(
    names.map(name => {
      const values = objects.filter(one => Object.hasOwn(one, name)).map(one => one[name] as Json)
      return [name, inferSchema(values, depth + 1)]
    }),
  )
}

function typeOf(value: Json): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value
}
