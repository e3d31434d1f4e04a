import { randomBytes } from 'node:crypto'
import type { JsonObject } from '@spanhouse/model'
import { sql, toJsonb } from '@spanhouse/postgres'
import type { Scope } from '../kind.ts'

/**
 * The members that can be changed in every layer. In an edit undefined leaves a member unchanged and null clears it.
 */
export interface HeaderInput {
  name?: string | null
  description?: string | null
  flags?: JsonObject | null
  tags?: JsonObject | null
  meta?: JsonObject | null
}

/** The columns of a new row. Each layer handles its own flags. */
export const newHeader = ({ name, description, tags, meta }: HeaderInput) => ({
  name: name ?? null,
  description: description ?? null,
  tags: toJsonb(tags),
  meta: toJsonb(meta),
})

/** The columns that an edit changes. Each layer handles its own flags. */
export function changedHeader({ name, description, tags, meta }: HeaderInput): Partial<ReturnType<typeof newHeader>> {
  return {
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    ...(tags === undefined ? {} : { tags: toJsonb(tags) }),
    ...(meta === undefined ? {} : { meta: toJsonb(meta) }),
  }
}

/** The column of free-form flags, as an edit changes it: merged over the stored flags; null clears all. */
export function changedFlags({ flags }: HeaderInput) {
  if (flags === undefined) return {}
  return { flags: flags === null ? null : sql<string>`coalesce(flags, '{}') || ${toJsonb(flags)}::jsonb` }
}

/** Marks a row as changed now by the user. */
export const touched = ({ user_id }: Scope) => ({ updated_at: sql<string>`now()`, updated_by_id: user_id })

export const archived = (scope: Scope) => ({
  ...touched(scope),
  deleted_at: sql<string>`now()`,
  deleted_by_id: scope.user_id,
})

export const restored = (scope: Scope) => ({ ...touched(scope), deleted_at: null, deleted_by_id: null })

/** Generates a slug: 12 hex digits. */
export const newSlug = (): string => randomBytes(6).toString('hex')
