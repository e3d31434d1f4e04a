/** A JSON Schema of draft 2020-12. */
export type JsonSchema = { readonly [member: string]: unknown }

/** Deeper members are left out of an example. */
const DEPTH_MAX = 4

const BY_FORMAT: Record<string, string> = {
  uuid: '0198f6b2-5c6e-7d1a-9f43-2b7c8d9e0f11',
  'date-time': '2026-02-01T00:00:00Z',
  email: 'ada@example.com',
  uri: 'https://example.com',
}

/**
 * An example of what a JSON Schema describes, for documents: what the schema gives itself, otherwise the required
 * members of objects, or all of them if none is required.
 */
export function exampleOf(schema: JsonSchema, depth = 0): unknown {
  const { examples, const: constant, enum: values, default: preset, anyOf, oneOf, allOf } = schema
  if (Array.isArray(examples)) return examples[0]
  if (constant !== undefined) return constant
  if (Array.isArray(values)) return values[0]
  if (preset !== undefined) return preset
  const variants = [anyOf, oneOf, allOf].find(Array.isArray) as JsonSchema[] | undefined
  if (variants) return exampleOf(variants.find(({ type }) => type !== 'null') ?? {}, depth)
  return ofType(schema, depth)
}

function ofType(schema: JsonSchema, depth: number): unknown {
  const { type, format, minimum = 1, minLength = 0, items } = schema
  switch (Array.isArray(type) ? type[0] : type) {
    case 'object':
      return objectOf(schema, depth)
    case 'array':
      return depth < DEPTH_MAX && items ? [exampleOf(items as JsonSchema, depth + 1)] : []
    case 'integer':
    case 'number':
      return Math.max(1, Number(minimum))
    case 'boolean':
      return true
    case 'null':
      return null
    default:
      return BY_FORMAT[String(format)] ?? 'text'.padEnd(Number(minLength), '-')
  }
}

function objectOf({ properties = {}, required = [] }: JsonSchema, depth: number): object {
  const wanted = required as string[]
  const names = wanted.length > 0 || depth >= DEPTH_MAX ? wanted : Object.keys(properties as object)
  const members = properties as Record<string, JsonSchema>
  return Object.fromEntries(names.map(name => [name, exampleOf(members[name] ?? {}, depth + 1)]))
}
