import { isJsonObject, type Json, type JsonObject } from '@spanhouse/model'
import type { Selectable, Tables } from '@spanhouse/postgres'
import { z } from '@spanhouse/validation'
import type { SecretKind } from './secret-body.ts'

/** A secret as shown in responses; null members are omitted. */
export const secretJson = z.object({
  id: z.string(),
  slug: z.string().optional(),
  kind: z.custom<SecretKind>().meta({ type: 'string' }),
  data: z.custom<JsonObject>().meta({ type: 'object' }),
  header: z.object({ name: z.string().optional(), description: z.string().optional() }),
  lifecycle: z.object({ created_at: z.string(), updated_at: z.string().optional() }),
})
export type SecretJson = z.output<typeof secretJson>

/** The same length for every value. */
const MASK = '********'
/** Members that are secret at any depth. */
const SECRET_MEMBERS = new Set(['key', 'client_secret', 'content'])
/** Members with names that the caller chooses, cloud credentials among them: every text in them is secret. */
const FREE_MEMBERS = new Set(['extras', 'extra'])
/** Deeper than anything that may be stored; a secret stored before that limit existed is masked entirely below it. */
const MASKED_DEPTH_MAX = 250

export function toSecretJson(row: Selectable<Tables['secrets']>, data: JsonObject, isMasked: boolean): SecretJson {
  const { id, slug, name, description, created_at, updated_at } = row
  const kind = row.kind as SecretKind
  const shown = kind === 'custom_provider' ? withModelKeys(data, name) : data
  return {
    id,
    ...(slug !== null && { slug }),
    kind,
    data: isMasked ? mask(shown) : shown,
    header: { ...(name !== null && { name }), ...(description !== null && { description }) },
    lifecycle: { created_at, ...(updated_at !== null && { updated_at }) },
  }
}

/** The provider's name is part of its models' names. */
function withModelKeys(data: JsonObject, name: string | null): JsonObject {
  const models = (data.models ?? []) as { slug: string }[]
  const model_keys = models.map(model => `${name}/${data.kind}/${model.slug}`)
  return { ...data, provider_slug: name, model_keys }
}

function mask(data: JsonObject, isFree = false, depth = 0): JsonObject {
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => {
      const isSecret = SECRET_MEMBERS.has(name) && value !== null
      return [name, isSecret ? MASK : maskInside(value, isFree || FREE_MEMBERS.has(name), depth + 1)]
    }),
  )
}

function maskInside(value: Json, isFree: boolean, depth: number): Json {
  if (typeof value === 'object' && depth > MASKED_DEPTH_MAX) return MASK
  if (typeof value === 'string' && isFree) return MASK
  if (Array.isArray(value)) return value.map(item => maskInside(item, isFree, depth + 1))
  return isJsonObject(value) ? mask(value, isFree, depth) : value
}
