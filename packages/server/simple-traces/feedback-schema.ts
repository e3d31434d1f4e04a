import { isJsonObject, type Json, type JsonObject, numberOf } from '@spanhouse/model'

/** Schemas are read by people and used for validation: values beyond these limits are unrestricted. */
const DEPTH_MAX = 8
const MEMBERS_MAX = 200

/**
 * A JSON Schema that such data satisfies: the types of its members, none of which is required, since later feedback may
 * have fewer.
 */
export function schemaOf(value: Json, depth = 0): JsonObject {
  if (typeof value === 'string') return { type: 'string' }
  if (typeof value === 'boolean') return { type: 'boolean' }
  if (numberOf(value) !== undefined) return { type: 'number' }
  if (Array.isArray(value)) return { type: 'array', ...itemsOf(value, depth) }
  if (!isJsonObject(value)) return {}
  const members = Object.entries(value)
  if (depth === DEPTH_MAX || members.length > MEMBERS_MAX) return { type: 'object' }
  return {
    type: 'object',
    properties: Object.fromEntries(members.map(([key, one]) => [key, schemaOf(one, depth + 1)])),
  }
}

/** Given only if all items have the same schema. */
function itemsOf(items: readonly Json[], depth: number): JsonObject {
  if (depth === DEPTH_MAX || items.length === 0 || items.length > MEMBERS_MAX) return {}
  const [first, ...others] = items.map(item => schemaOf(item, depth + 1))
  const text = JSON.stringify(first)
  return first && others.every(other => JSON.stringify(other) === text) ? { items: first } : {}
}
