import type { Uuid } from '@spanhouse/model'

/** Points at a record. It identifies one only by id or slug; a version needs something that it is a version of. */
export interface Reference {
  id?: Uuid
  slug?: string
  version?: string
}

/** A reference to a record at each of the three layers, as far as they were given. */
export interface References {
  artifact?: Reference
  variant?: Reference
  revision?: Reference
}

export const identifies = (reference: { id?: unknown; slug?: unknown } | undefined): boolean =>
  reference?.id !== undefined || reference?.slug !== undefined

/** A version in a reference as it is stored; -1, which none has, for text that is no version. */
export const versionOf = (text: string): number => (/^\d{1,9}$/.test(text) ? Number(text) : -1)
